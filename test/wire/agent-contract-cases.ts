// The stored form of each frozen shape: what the product holds before it renders it. No `next`, no pins, no command.
import type { Action, Connection } from '@gbrain/wire/action';
import { sharedFailure } from '@gbrain/wire/codes';
import type { ConsentRequest, Failure } from '@gbrain/wire/envelope';
import { decideFallback } from '@gbrain/wire/json-document';
import { renderNestedError } from '@gbrain/wire/nested-error';
import type { Notice } from '@gbrain/wire/notice';
import { renderConsent } from '@gbrain/wire/render-consent';
import { renderEnvelope } from '@gbrain/wire/render-envelope';
import { noticeBlockText, renderNotice } from '@gbrain/wire/render-notice';

/** Stands in for the published address of the docs. */
export const DOCS_BASE = 'https://docs.example/v1';

const OPENS_BRAIN = new Set(['backup', 'code-def', 'doctor', 'list', 'write-request']);

/** A connection to the brain `host` and its source `default`, with every tool callable. */
export function connect(transport: Connection['transport']): Connection {
  return {
    transport,
    isCallable: () => transport !== 'cli',
    command: (argv) =>
      argv[0] === 'gbrain'
        ? {
            // A check that opens no brain is pinned to none.
            opensBrain: OPENS_BRAIN.has(argv[1] ?? '') && !argv.includes('--only'),
            routesSource: argv[1] === 'list',
            sourceFlag: '--source',
          }
        : undefined,
    target: { brain: 'host', source: 'default' },
    preapproval: { persistentInstall: false },
    docsBase: DOCS_BASE,
  };
}

const step = (action: Partial<Action> & Pick<Action, 'why'>): Action => ({
  consent: [],
  actor: 'agent',
  requires_exclusive: false,
  ...action,
});

const docs = (code: string): string => `docs/guides/error-codes.md#${code}`;

const EMPTY_RETRIEVAL: Notice = {
  code: 'empty_retrieval',
  kind: 'info',
  why: '0 results. Only keywords were searched, because no embeddings are configured.',
  fix: step({
    argv: ['gbrain', 'doctor', '--json'],
    why: 'The report says how to turn on search by meaning.',
  }),
  user_message: 'I found no note on that. Your brain is searched by keywords only at the moment.',
};

const ERROR_WITH_FIX: Failure = sharedFailure('invalid_params', {
  message: "Unknown sort 'bogus'.",
  suggestion: 'Use one of: updated, created, title.',
  docs: docs('invalid_params'),
  fix: step({
    argv: ['gbrain', 'list', '--sort', 'updated'],
    mcp: { tool: 'list_pages', arguments: { sort: 'updated' } },
    why: 'Pages are sorted by updated unless another key is given. Nothing ran.',
    verify: { mcp: { tool: 'list_pages', arguments: { sort: 'updated', limit: 1 } } },
  }),
});

const ERROR_WITH_NOTICES: Failure = sharedFailure('unavailable', {
  message: 'Search by meaning is turned off on this brain.',
  suggestion: 'Search by keywords, or ask the user whether embeddings should be turned on.',
  docs: docs('unavailable'),
  reason: 'embeddings_disabled',
  why: 'The brain was set up without embeddings, so there are no vectors to compare.',
  fix: step({
    argv: ['gbrain', 'doctor', '--json'],
    mcp: { tool: 'run_doctor', arguments: {} },
    why: 'The report names the exact steps that turn embeddings on. It spends nothing.',
    verify: { mcp: { tool: 'run_doctor', arguments: {} } },
  }),
  notices: [
    {
      code: 'backup_coverage',
      kind: 'safety',
      why: '2 assets of this brain have no copy on another machine.',
      fix: step({
        argv: ['gbrain', 'backup', 'status', '--json'],
        actor: 'user',
        why: 'The status lists every asset and how to copy it.',
      }),
      user_message: 'Parts of your brain exist on this machine only. Shall we set up a backup?',
    },
  ],
});

const NESTED: Failure = sharedFailure('invalid_params', {
  code: 'code_def_requires_symbol',
  message: 'gbrain code-def needs the name of a symbol.',
  suggestion: 'Name the symbol after the command.',
  fix: step({
    argv: ['gbrain', 'code-def', '--', '<symbol>'],
    why: 'Nothing ran, because no symbol was named.',
    inputs: [{ name: 'symbol', how: "Take the name of the function or type from the user's question." }],
  }),
});

const REQUEST_ID = '9f0a2f0e-6f5d-4b0e-8a57-2d4c1f6b7e90';
const RECEIPT: Failure = sharedFailure('rate_limited', {
  code: 'write_pending',
  retryable: false,
  exit: 10,
  message: 'The write was accepted and has not been committed yet.',
  suggestion: 'Do not send it again; read its receipt.',
  docs: docs('write_pending'),
  writeRequest: { request_id: REQUEST_ID, state: 'queued', retry_after_ms: 2000 },
  writeError: { code: 'write_pending', message: 'Waiting behind another write.' },
  why: 'Another write to the same page is still running.',
  fix: step({
    argv: ['gbrain', 'write-request', '--', REQUEST_ID],
    mcp: { tool: 'get_write_request', arguments: { request_id: REQUEST_ID } },
    why: 'The receipt says whether the write took effect.',
  }),
});

const LEGACY_VALUE: Failure = sharedFailure('unknown_tool', {
  legacyError: 'unknown_operation',
  message: 'No tool get_timelin can be called on this connection.',
  suggestion: 'Widen the session with request_tools, then call the tool by its name.',
  docs: docs('unknown_tool'),
  fix: step({
    mcp: { tool: 'request_tools', arguments: { surface: 'full' } },
    why: 'This connection lists a smaller set of tools. The call widens this session only.',
  }),
});

const PAID: ConsentRequest = {
  effects: ['paid'],
  actor: 'agent',
  what: 'doctor --remediate',
  why: '120 pages changed since they were last embedded, and the configured provider charges for it.',
  risk: 'It spends money up to the cap and deletes nothing.',
  est_usd: 0.4,
  user_message: 'Bringing your brain back to health costs about $0.40 for embeddings. May I go ahead?',
  approve: step({ argv: ['gbrain', 'doctor', '--remediate', '--max-usd', '0.60'], why: '' }),
  preview_argv: ['gbrain', 'doctor', '--remediation-plan', '--json'],
};

const CALLER_MISTAKE: Failure = sharedFailure('invalid_params', {
  protocolVersion: 1,
  message: 'Parameter "limit" must be a number',
  suggestion: 'Pass `limit` as a number, such as 10.',
  docs: docs('invalid_params'),
  fix: step({
    mcp: { tool: 'recall', arguments: { query: 'quokka-journey-marker', limit: 10 } },
    why: 'Nothing ran. This is the same call with your other arguments kept and `limit` corrected.',
  }),
});

const TRUNCATED: Notice = {
  code: 'listing_truncated',
  kind: 'info',
  why: '50 of 312 pages are listed; the rest follows on further pages.',
  fix: step({
    argv: ['gbrain', 'list', '--limit', '50', '--offset', '50'],
    mcp: { tool: 'list_pages', arguments: { limit: 50, offset: 50 } },
    why: 'It is the next page of the same listing.',
  }),
  user_message: 'I have looked at the first 50 of 312 pages.',
  decisions: [
    {
      id: 'page_size',
      question: 'How many pages should I read at once?',
      options: [
        { id: 'fifty', label: 'fifty' },
        { id: 'all', label: 'all of them' },
      ],
      default: 'fifty',
      default_reason: 'It keeps replies short.',
    },
  ],
};

const DEGRADED: Notice = {
  code: 'degraded_recall',
  kind: 'degraded',
  why:
    'Only keywords were searched: this brain has no embeddings, by choice. ' +
    'Stages: keyword_only_embedding_disabled.',
  user_message: 'I searched your notes by keywords only, so I may have missed some.',
  config_only: true,
};

/** An MCP tool result with its notices, as blocks and as data. */
function resultWith(body: string, notice: Notice): unknown {
  const rendered = renderNotice(notice, connect('stdio'));
  const blocks = [body, noticeBlockText(rendered, 'stdio')].map((text) => ({ type: 'text', text }));
  return { content: blocks, _meta: { gbrain_notices: [rendered] } };
}

/** One frozen file: how it is rendered, and the `next` of each of its steps in reading order. */
export interface ContractCase {
  file: string;
  render(): unknown;
  next: string[];
}

/** Every file that one stored form renders whole. */
export const CASES: readonly ContractCase[] = [
  { file: 'bare-array-result.json', render: () => resultWith('[]', EMPTY_RETRIEVAL), next: ['tell_user_to_run'] },
  { file: 'error-with-fix.json', render: () => renderEnvelope(ERROR_WITH_FIX, connect('stdio')), next: ['run'] },
  {
    file: 'error-with-notices.json',
    render: () => renderEnvelope(ERROR_WITH_NOTICES, connect('stdio')),
    next: ['run', 'tell_user_to_run'],
  },
  {
    file: 'nested-legacy-error.json',
    render: () => renderNestedError(NESTED, 'UsageError', connect('cli')),
    next: ['run'],
  },
  { file: 'receipt-error.json', render: () => renderEnvelope(RECEIPT, connect('stdio')), next: ['run'] },
  { file: 'legacy-error-value.json', render: () => renderEnvelope(LEGACY_VALUE, connect('http')), next: ['run'] },
  { file: 'confirmation-required.json', render: () => renderConsent(PAID, connect('cli')), next: ['ask_user'] },
  {
    file: 'notice-block.txt',
    render: () => `${noticeBlockText(renderNotice(TRUNCATED, connect('stdio')), 'stdio')}\n`,
    next: [],
  },
  {
    file: 'json-fallback.json',
    render: () => decideFallback({ command: 'orphans', exit: 1, wroteDocument: false }),
    next: [],
  },
  {
    file: 'journey/caller-mistake.json',
    render: () => ({
      call: { tool: 'recall', arguments: { query: 'quokka-journey-marker', limit: 'abc' } },
      error: renderEnvelope(CALLER_MISTAKE, connect('stdio')),
    }),
    next: ['run'],
  },
  {
    file: 'journey/recall-degraded.json',
    render: () =>
      resultWith('{"protocol_version":1,"results":[],"degraded":["keyword_only_embedding_disabled"]}', DEGRADED),
    next: [],
  },
];
