// What one stored step looks like on each connection.
import { describe, expect, test } from 'vitest';
import type { Action, Connection } from './action.ts';
import { fixLine, renderAction } from './render-action.ts';

function connect(transport: Connection['transport'], overrides: Partial<Connection> = {}): Connection {
  const brainCommands = new Set(['list', 'doctor', 'get']);
  return {
    transport,
    isCallable: (tool) => transport !== 'cli' && tool !== 'hidden_tool',
    command: (argv) => ({
      opensBrain: brainCommands.has(argv[1] ?? ''),
      routesSource: argv[1] === 'list' || argv[1] === 'get',
      sourceFlag: '--source',
    }),
    target: { brain: 'host', source: 'default' },
    preapproval: { persistentInstall: false },
    docsBase: 'https://docs.example/v1/',
    ...overrides,
  };
}

function action(overrides: Partial<Action> = {}): Action {
  return { consent: [], actor: 'agent', why: 'Because.', requires_exclusive: false, ...overrides };
}

const LIST = action({
  argv: ['gbrain', 'list', '--sort', 'updated'],
  mcp: { tool: 'list_pages', arguments: { sort: 'updated' } },
  verify: { mcp: { tool: 'list_pages', arguments: { sort: 'updated', limit: 1 } } },
});

test('transcript 1: a step with argv and a callable tool, in the key order of the wire', () => {
  expect(JSON.stringify(renderAction(LIST, connect('stdio')))).toBe(
    JSON.stringify({
      argv: ['gbrain', 'list', '--sort', 'updated', '--brain', 'host', '--source', 'default'],
      command: 'gbrain list --sort updated --brain host --source default',
      mcp: { tool: 'list_pages', arguments: { sort: 'updated' } },
      consent: [],
      actor: 'agent',
      next: 'run',
      why: 'Because.',
      verify: { mcp: { tool: 'list_pages', arguments: { sort: 'updated', limit: 1 } } },
      requires_exclusive: false,
    }),
  );
});

test('every key set, in order, pins included', () => {
  const full = action({
    argv: ['gbrain', 'doctor', '--remediate', '--yes'],
    mcp: { tool: 'fix_it', arguments: {} },
    consent: ['paid'],
    user_message: 'May I?',
    verify: { argv: ['gbrain', 'doctor', '--json'], mcp: { tool: 'hidden_tool', arguments: {} } },
    docs: 'docs/guides/spend.md#caps',
    requires_exclusive: true,
    inputs: [{ name: 'usd', how: 'Ask the user.' }],
    plan_hash: 'ph_0123',
    preview_argv: ['gbrain', 'list', '--', '--x'],
    // biome-ignore lint/suspicious/noThenProperty: the wire's name for step two.
    then: action({ argv: ['gbrain', 'get', 'a'] }),
    user_decision: false,
    est_usd: 0.4,
  });
  const rendered = renderAction(full, connect('stdio'));
  expect(Object.keys(rendered)).toEqual([
    ...['argv', 'command', 'mcp', 'consent', 'actor', 'next', 'why', 'user_message', 'verify', 'docs'],
    ...['requires_exclusive', 'inputs', 'plan_hash', 'preview_argv', 'then'],
  ]);
  expect(rendered.next).toBe('ask_user');
  expect(rendered.verify).toEqual({ argv: ['gbrain', 'doctor', '--json', '--brain', 'host'] });
  expect(rendered.docs).toBe('https://docs.example/v1/docs/guides/spend.md#caps');
  expect(rendered.preview_argv).toEqual(['gbrain', 'list', '--brain', 'host', '--source', 'default', '--', '--x']);
  expect(rendered.then?.command).toBe('gbrain get a --brain host --source default');
  expect(rendered.then?.next).toBe('tell_user_to_run');
});

describe('a CLI-only step over MCP', () => {
  const cliOnly = action({ argv: ['gbrain', 'doctor', '--json'], mcp: { tool: 'hidden_tool', arguments: {} } });

  test('is the user’s on stdio', () => {
    const rendered = renderAction(cliOnly, connect('stdio'));
    expect(rendered).toMatchObject({ actor: 'user', next: 'tell_user_to_run' });
    expect(rendered.mcp).toBeUndefined();
  });

  test('is the host operator’s over HTTP, whoever it was stored for', () => {
    for (const actor of ['agent', 'user', 'host_admin'] as const) {
      expect(renderAction({ ...cliOnly, actor }, connect('http'))).toMatchObject({
        argv: ['gbrain', 'doctor', '--json'],
        actor: 'host_admin',
        next: 'tell_user_to_run',
      });
    }
  });

  test('of another program stays the user’s over HTTP', () => {
    const other = action({ argv: ['claude', 'mcp', 'list'], actor: 'user' });
    expect(renderAction(other, connect('http', { command: () => undefined })).actor).toBe('user');
  });

  test('of a provider is waited for', () => {
    expect(renderAction({ ...cliOnly, actor: 'provider' }, connect('http'))).toMatchObject({
      actor: 'provider',
      next: 'wait',
    });
  });
});

test('an MCP-only step on the CLI is relayed as data', () => {
  const rendered = renderAction(action({ mcp: { tool: 'get_page', arguments: { slug: 'a' } } }), connect('cli'));
  expect(rendered).toMatchObject({
    mcp: { tool: 'get_page', arguments: { slug: 'a' } },
    actor: 'user',
    next: 'tell_user_to_run',
  });
  expect(rendered.user_message).toContain('get_page');
  expect(fixLine(rendered, 'cli')).toBe('Fix: call get_page over MCP with {"slug":"a"}');
});

test('a call that is not callable and has no command leaves nothing to run', () => {
  const rendered = renderAction(action({ mcp: { tool: 'hidden_tool', arguments: {} } }), connect('stdio'));
  expect(rendered.next).toBe('report');
  expect(rendered.mcp).toBeUndefined();
  expect(fixLine(rendered, 'stdio')).toBeUndefined();
});

test('a step that would outlast a tool call is never the agent’s', () => {
  const slow = { ...LIST, expected_ms: 120_001 };
  for (const [transport, actor] of [
    ['cli', 'user'],
    ['stdio', 'user'],
    ['http', 'host_admin'],
  ] as const) {
    expect(renderAction(slow, connect(transport))).toMatchObject({ actor, next: 'tell_user_to_run' });
    expect(renderAction({ ...LIST, expected_ms: 120_000 }, connect(transport)).next).toBe('run');
    expect(renderAction({ ...slow, actor: 'provider' }, connect(transport)).next).toBe('wait');
  }
});

test('docs are absolute or left out; empty fields are left out', () => {
  const stored = action({ argv: ['gbrain', 'list'], docs: 'docs/a.md', inputs: [], user_message: '', verify: {} });
  const { docsBase: _dropped, ...bare } = connect('cli');
  expect(Object.keys(renderAction(stored, bare))).toEqual([
    ...['argv', 'command', 'consent', 'actor', 'next', 'why', 'requires_exclusive'],
  ]);
  expect(renderAction({ ...stored, docs: 'https://x.example/a' }, bare).docs).toBe('https://x.example/a');
});

test('host paths leave the step over HTTP, the caller’s own arguments do not', () => {
  const rendered = renderAction(
    action({
      argv: ['gbrain', 'import', '/home/alice-example/notes'],
      mcp: { tool: 'import_pages', arguments: { path: '/mine/notes' } },
      why: 'The brain at /home/alice-example/.gbrain/brain.pglite is open (PID 48213).',
    }),
    connect('http'),
  );
  expect(rendered.argv).toEqual(['gbrain', 'import', '<path>']);
  expect(rendered.command).toBe("gbrain import '<path>'");
  expect(rendered.mcp?.arguments).toEqual({ path: '/mine/notes' });
  expect(rendered.why).toBe('The brain at <path> is open (PID <redacted>).');
});
