// Notices as data, as MCP blocks, as terminal lines and as `[AGENT]` blocks.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Connection } from './action.ts';
import { parseAgentBlocks, parseNoticeBlock } from './marker-parse.ts';
import { NOTICE_KINDS, type Notice } from './notice.ts';
import { noticeAgentBlock, noticeBlockText, noticeTerminalLines, orderNotices, renderNotice } from './render-notice.ts';

function connect(transport: Connection['transport']): Connection {
  return {
    transport,
    isCallable: () => transport !== 'cli',
    command: () => ({ opensBrain: true, routesSource: false, sourceFlag: '--source' }),
    target: { brain: 'host', source: 'default' },
    preapproval: { persistentInstall: false },
  };
}

const EMPTY: Notice = {
  code: 'empty_retrieval',
  kind: 'info',
  why: '0 results.',
  fix: { argv: ['gbrain', 'doctor', '--json'], consent: [], actor: 'agent', why: 'Look.', requires_exclusive: false },
  user_message: 'Nothing was found.',
};

const BUNDLE: Notice = {
  code: 'first_run_decisions',
  kind: 'ask',
  why: 'Ready.',
  user_message: 'Reply.',
  decisions: [
    {
      id: 'search_mode',
      question: 'Which?',
      options: [
        { id: 'a', label: 'A', argv: ['gbrain', 'config', 'set', 'search.mode', 'a'] },
        { id: 'b', label: 'B' },
      ],
      default: 'a',
      default_reason: 'Cheap.',
    },
  ],
  config_only: true,
  coverage: { x: 1 },
};

test('transcript 3: a CLI-only fix on stdio', () => {
  expect(
    noticeBlockText(renderNotice(EMPTY, connect('stdio')), 'stdio'),
  ).toBe(`[gbrain notice empty_retrieval kind=info]
why: 0 results.
fix: gbrain doctor --json --brain host
next: tell_user_to_run
user_message: Nothing was found.`);
});

test('a callable tool is the fix, with compact arguments', () => {
  const notice: Notice = {
    ...EMPTY,
    user_message: '',
    fix: {
      argv: ['gbrain', 'list'],
      mcp: { tool: 'list_pages', arguments: { limit: 5 } },
      consent: [],
      actor: 'agent',
      why: '',
      requires_exclusive: false,
    },
  };
  expect(noticeBlockText(renderNotice(notice, connect('http')), 'http')).toBe(
    '[gbrain notice empty_retrieval kind=info]\nwhy: 0 results.\nfix: list_pages {"limit":5}\nnext: run',
  );
});

test('a fix with nothing to run still says what to do', () => {
  const fix = { consent: [], actor: 'agent' as const, why: '', requires_exclusive: false };
  const text = noticeBlockText(renderNotice({ code: 'c', kind: 'degraded', why: 'w', fix }, connect('http')), 'http');
  expect(text).toBe('[gbrain notice c kind=degraded]\nwhy: w\nnext: report');
});

test('the step’s relay text stands in where the notice has none', () => {
  const fix = { ...EMPTY.fix, user_message: 'Shall I look?' } as NonNullable<Notice['fix']>;
  const rendered = renderNotice({ code: 'c', kind: 'info', why: 'w', fix }, connect('stdio'));
  expect(noticeBlockText(rendered, 'stdio').split('\n').at(-1)).toBe('user_message: Shall I look?');
});

test('decisions are lines, and what is never rendered is not', () => {
  const rendered = renderNotice(BUNDLE, connect('stdio'));
  expect(Object.keys(rendered)).toEqual(['code', 'kind', 'why', 'user_message', 'decisions', 'contract_version']);
  expect(noticeBlockText(rendered, 'stdio').split('\n').at(-1)).toBe('decision search_mode: Which? (default: a)');
});

test('on a terminal: a note, its fix and its options', () => {
  expect(noticeTerminalLines(renderNotice(EMPTY, connect('cli')))).toEqual([
    'Note [empty_retrieval]: 0 results.',
    '  Fix: gbrain doctor --json --brain host',
  ]);
  expect(noticeTerminalLines(renderNotice(BUNDLE, connect('cli')))).toEqual([
    'Note [first_run_decisions]: Ready.',
    '  Which? (default: a)',
    '    - a: A (run: gbrain config set search.mode a)',
    '    - b: B',
  ]);
});

test('without a terminal: a block', () => {
  expect(noticeAgentBlock(renderNotice(EMPTY, connect('cli')))).toBe(`[AGENT]
why: [empty_retrieval] 0 results.
actor: agent
next: run
if_yes: gbrain doctor --json --brain host
[SHOW USER]
Nothing was found.
[/SHOW USER]
[/AGENT]`);
  const [block] = parseAgentBlocks(noticeAgentBlock(renderNotice(BUNDLE, connect('cli')))).blocks;
  expect(block?.fields[0]).toEqual(['ask', 'Reply.']);
  expect(block?.decisions).toHaveLength(1);
});

test('host details do not reach a remote client', () => {
  const notice: Notice = {
    ...BUNDLE,
    why: 'The brain at /home/alice-example/.gbrain/x needs OPENAI_API_KEY (PID 12).',
    user_message: 'See /srv/brain/a.',
  };
  const rendered = renderNotice(notice, connect('http'));
  expect(rendered.why).toBe('The brain at <path> needs <provider key> (PID <redacted>).');
  expect(rendered.user_message).toBe('See <path>.');
  expect(renderNotice(notice, connect('stdio')).why).toBe(notice.why);
});

test('kinds are ordered, and within a kind the given order stays', () => {
  const kinds = fc.array(fc.constantFrom(...NOTICE_KINDS));
  fc.assert(
    fc.property(kinds, (list) => {
      const notices = list.map((kind, index) => ({ kind, code: `c${index}`, why: '' }));
      const ordered = orderNotices(notices);
      const expected = NOTICE_KINDS.flatMap((kind) => notices.filter((notice) => notice.kind === kind));
      expect(ordered).toEqual(expected);
    }),
  );
});

describe('a block read back', () => {
  const hostile = fc
    .array(
      fc.constantFrom('[gbrain notice x kind=safety]', '\n', '\r', 'next: run', 'why: ', '[AGENT]', '\u2029', 'x', ' '),
    )
    .map((pieces) => pieces.join(''));

  test('has exactly the fields that were set, whatever they hold', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (why, message, question) => {
        const option = { id: 'a', label: question };
        const decision = { id: 'd', question, options: [option], default: 'a', default_reason: why };
        const notice: Notice = { ...EMPTY, why, user_message: message, decisions: [decision] };
        const text = noticeBlockText(renderNotice(notice, connect('stdio')), 'stdio');
        const parsed = parseNoticeBlock(text);
        expect(parsed).toMatchObject({ code: 'empty_retrieval', kind: 'info', next: 'tell_user_to_run' });
        expect(parsed?.decisions).toHaveLength(1);
        expect(text.match(/\[gbrain notice/g)).toHaveLength(1);
      }),
    );
  });

  test('is told from other text, and a broken one is refused', () => {
    expect(parseNoticeBlock('[]')).toBeUndefined();
    expect(() => parseNoticeBlock('[gbrain notice x kind=odd]\nwhy: a')).toThrow(SyntaxError);
    expect(() => parseNoticeBlock('[gbrain notice x kind=info]\nhow: a')).toThrow(SyntaxError);
  });
});
