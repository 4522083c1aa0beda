// The envelope's key order, its suggestion and its frozen values.
import { describe, expect, test } from 'vitest';
import type { Action, Connection } from './action.ts';
import type { Failure } from './envelope.ts';
import { renderAction } from './render-action.ts';
import { errorLines, renderEnvelope, suggestionWithStep } from './render-envelope.ts';

function connect(transport: Connection['transport'], overrides: Partial<Connection> = {}): Connection {
  return {
    transport,
    isCallable: () => transport !== 'cli',
    command: () => ({ opensBrain: true, routesSource: true, sourceFlag: '--source' }),
    target: { brain: 'host', source: 'default' },
    preapproval: { persistentInstall: false },
    docsBase: 'https://docs.example',
    ...overrides,
  };
}

const FIX: Action = {
  argv: ['gbrain', 'list', '--sort', 'updated'],
  mcp: { tool: 'list_pages', arguments: { sort: 'updated' } },
  consent: [],
  actor: 'agent',
  why: 'updated is the default sort.',
  requires_exclusive: false,
};

const FAILURE: Failure = {
  code: 'invalid_params',
  class: 'caller',
  retryable: false,
  exit: 2,
  httpStatus: 400,
  message: "Unknown sort 'bogus'.",
  suggestion: 'Use one of: updated, created, title.',
  docs: 'docs/guides/error-codes.md#invalid_params',
  fix: FIX,
  notices: [],
};

test('transcript 1, key by key', () => {
  const envelope = renderEnvelope(FAILURE, connect('stdio'));
  const { fix, ...rest } = envelope;
  expect(Object.keys(envelope)).toEqual([
    ...['error', 'code', 'message', 'suggestion', 'docs', 'fix', 'docs_cmd', 'class', 'retryable', 'contract_version'],
  ]);
  expect(rest).toEqual({
    error: 'invalid_params',
    code: 'invalid_params',
    message: "Unknown sort 'bogus'.",
    suggestion: 'Use one of: updated, created, title. Next: list_pages {"sort":"updated"}',
    docs: 'https://docs.example/docs/guides/error-codes.md#invalid_params',
    docs_cmd: ['gbrain', 'errors', 'invalid_params'],
    class: 'caller',
    retryable: false,
    contract_version: 1,
  });
  expect(fix?.next).toBe('run');
});

test('every key set, in order', () => {
  const full: Failure = {
    ...FAILURE,
    detail: 'd',
    protocolVersion: 1,
    writeRequest: { request_id: 'r' },
    writeError: { code: 'c' },
    reason: 'r',
    why: 'w',
    notices: [
      { code: 'b', kind: 'info', why: 'x' },
      { code: 'a', kind: 'safety', why: 'x' },
    ],
  };
  const envelope = renderEnvelope(full, connect('stdio'));
  expect(Object.keys(envelope)).toEqual([
    ...['error', 'code', 'message', 'suggestion', 'docs', 'detail', 'protocol_version', 'write_request'],
    ...['write_error', 'reason', 'why', 'fix', 'docs_cmd', 'class', 'retryable', 'notices', 'contract_version'],
  ]);
  expect(envelope.notices?.map(({ code }) => code)).toEqual(['a', 'b']);
  expect(JSON.parse(JSON.stringify(envelope))).toEqual(envelope);
});

describe('the frozen value of error', () => {
  const unknown: Failure = { ...FAILURE, code: 'unknown_tool', legacyError: 'unknown_operation' };

  test('of an unknown tool is sent over HTTP alone', () => {
    expect(renderEnvelope(unknown, connect('http'))).toMatchObject({
      error: 'unknown_operation',
      code: 'unknown_tool',
    });
    expect(renderEnvelope(unknown, connect('stdio')).error).toBe('unknown_tool');
    expect(renderEnvelope(unknown, connect('cli')).error).toBe('unknown_tool');
  });

  test('of the other pairs is sent everywhere', () => {
    const missing: Failure = { ...FAILURE, code: 'not_found', legacyError: 'invalid_params' };
    for (const transport of ['cli', 'stdio', 'http'] as const) {
      expect(renderEnvelope(missing, connect(transport))).toMatchObject({ error: 'invalid_params', code: 'not_found' });
    }
  });
});

describe('the suggestion', () => {
  const say = (prose: string, transport: Connection['transport'] = 'cli', fix: Action | undefined = FIX): string => {
    const connection = connect(transport);
    return suggestionWithStep(prose, fix, fix && renderAction(fix, connection), transport);
  };
  const pinned = 'gbrain list --sort updated --brain host --source default';

  test.each([
    ['Do it.', `Do it. Next: ${pinned}`],
    ['Do it', `Do it. Next: ${pinned}`],
    ['', `Next: ${pinned}`],
    ['Run gbrain list --sort updated.', `Run ${pinned}.`],
    ['Run `gbrain list --sort updated` now.', `Run \`${pinned}\` now.`],
    [`Run ${pinned}`, `Run ${pinned}`],
    ['Run gbrain list --sort updated --limit 3.', `Run gbrain list --sort updated --limit 3. Next: ${pinned}`],
    ['Not gbrain list --sort updated-by.', `Not gbrain list --sort updated-by. Next: ${pinned}`],
  ])('%s', (prose, expected) => {
    expect(say(prose)).toBe(expected);
  });

  test('names the call where the tool is callable', () => {
    expect(say('Do it.', 'http')).toBe('Do it. Next: list_pages {"sort":"updated"}');
  });

  test('relays an MCP-only step on the CLI', () => {
    const { argv: _argv, ...mcpOnly } = FIX;
    expect(say('Do it.', 'cli', mcpOnly)).toBe('Do it. Next: call list_pages over MCP with {"sort":"updated"}');
  });

  test('stays prose when there is nothing to run, and keeps a $ as it is', () => {
    expect(say('Tell the user.', 'stdio', { ...FIX, argv: [], mcp: undefined } as unknown as Action)).toBe(
      'Tell the user.',
    );
    const priced = { ...FIX, argv: ['gbrain', 'x', '$&'] };
    expect(say("Run gbrain x '$&'.", 'cli', priced)).toBe("Run gbrain x '$&' --brain host --source default.");
  });
});

test('a remote client reads no host detail, and prose and fix stay equal', () => {
  const failure: Failure = {
    ...FAILURE,
    message: 'Cannot open /home/alice-example/.gbrain/brain.pglite.',
    suggestion: 'Run gbrain import /home/alice-example/notes',
    detail: '/var/lib/x/y',
    why: 'PID 77 holds it.',
    writeRequest: { request_id: 'r', path: '/a/b', note: '/srv/x/y' },
    fix: { ...FIX, mcp: undefined, argv: ['gbrain', 'import', '/home/alice-example/notes'] } as unknown as Action,
  };
  const envelope = renderEnvelope(failure, connect('http'));
  expect(JSON.stringify(envelope)).not.toMatch(/alice|\/var|\/srv|77|"path"/);
  expect(envelope.write_request).toEqual({ request_id: 'r', note: '<path>' });
  expect(envelope.suggestion).toContain(envelope.fix?.command ?? 'no command');
  expect(envelope.docs).toBe('https://docs.example/docs/guides/error-codes.md#invalid_params');
});

test('the human lines', () => {
  expect(errorLines(renderEnvelope({ ...FAILURE, why: 'It is not a sort key.' }, connect('cli')))).toEqual([
    "Error [invalid_params]: Unknown sort 'bogus'.",
    'Fix: gbrain list --sort updated --brain host --source default',
    'Why: It is not a sort key.',
    'Docs: https://docs.example/docs/guides/error-codes.md#invalid_params',
  ]);
  const { fix: _fix, docs: _docs, ...bare } = FAILURE;
  expect(errorLines(renderEnvelope(bare, connect('cli')))).toEqual([
    "Error [invalid_params]: Unknown sort 'bogus'.",
    'Fix: Use one of: updated, created, title.',
    'Docs: gbrain errors invalid_params',
  ]);
});
