// Outcomes as bytes: the document of --json, MCP blocks, lines for people, help, instructions.
import type { Connection } from '@gbrain/wire/action';
import type { Notice } from '@gbrain/wire/notice';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Raised } from '../failure.ts';
import { errors } from '../generated/errors.ts';
import { notices } from '../generated/notices.ts';
import { operations } from '../generated/operations.ts';
import { settings } from '../generated/settings.ts';
import type { HumanView } from '../operation.ts';
import type { OkOutcome, Outcome } from '../outcome.ts';
import { normaliseThrown } from '../pipeline/normalise.ts';
import { buildRegistry } from '../registry.ts';
import { commandFacts } from './connection.ts';
import { groupsText, helpGroups, helpPage, pageText, twoColumns } from './help.ts';
import { printFailed, printOk } from './human.ts';
import { instructionsText } from './instructions.ts';
import { jsonText } from './json.ts';
import { toolResult } from './mcp.ts';
import { statusPayload } from './status-only.ts';

const registry = buildRegistry({ operations, errors, notices, settings });
const connection = (transport: 'cli' | 'stdio'): Connection => ({
  transport,
  isCallable: (tool) => (registry.operation(tool)?.surface ?? 'cli') !== 'cli',
  command: (argv) => commandFacts(registry, argv),
  target: { brain: 'host', source: 'default' },
  preapproval: { persistentInstall: false },
});
const same = (text: string) => text;
const view: HumanView = {
  colour: false,
  columns: 80,
  bold: same,
  dim: same,
  green: same,
  yellow: same,
  red: same,
  cyan: same,
};
const notice: Notice = { code: 'weak_retrieval', kind: 'info', why: 'Weak.' };
const ok = (output: unknown, more: Partial<OkOutcome> = {}): OkOutcome => ({
  kind: 'ok',
  op: 'version',
  output,
  notices: [],
  meta: {},
  ...more,
});
const point = { operation: 'get_page', input: { slug: 'a/b' }, mutating: false, idempotent: true };
const failed: Extract<Outcome, { kind: 'failed' }> = {
  kind: 'failed',
  op: 'get_page',
  failure: normaliseThrown(registry, new Raised('internal_error', { operation: 'get_page' }), point),
};

describe('--json', () => {
  it('is one document with a line end, whatever the output is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (output) => {
        const text = jsonText(ok(output), connection('cli'));
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(output)));
        expect(text.endsWith('\n')).toBe(true);
      }),
    );
    expect(jsonText(ok(undefined), connection('cli'))).toBe('null\n');
  });

  it('has notices in an object, before contract_version, and never inside a list', () => {
    const object = jsonText(ok({ a: 1, contract_version: 1 }, { notices: [notice] }), connection('cli'));
    expect(Object.keys(JSON.parse(object))).toEqual(['a', 'notices', 'contract_version']);
    expect(JSON.parse(jsonText(ok([1], { notices: [notice] }), connection('cli')))).toEqual([1]);
  });
});

describe('a tool result', () => {
  it('is the body alone in the first block, then lines, then a block for each notice', () => {
    const result = toolResult(
      ok({ a: 1 }, { lines: ['a line'], notices: [notice], meta: { retrieval: {} } }),
      connection('stdio'),
    );
    expect(result.content.map(({ text }) => text.split('\n')[0])).toEqual([
      '{"a":1}',
      'a line',
      '[gbrain notice weak_retrieval kind=info]',
    ]);
    expect(Object.keys(result._meta!)).toEqual(['retrieval', 'gbrain_notices']);
    expect(result).not.toHaveProperty('isError');
    expect(toolResult(ok(null), connection('stdio'))).toEqual({ content: [{ type: 'text', text: 'null' }] });
  });

  it('of a failure is exactly one block', () => {
    const result = toolResult(failed, connection('stdio'));
    expect([result.isError, result.content.length]).toEqual([true, 1]);
    expect(JSON.parse(result.content[0]!.text)).toMatchObject({ code: 'internal_error', contract_version: 1 });
  });
});

describe('lines for a person', () => {
  const options = (stderrIsTerminal: boolean) => ({ connection: connection('cli'), view, stderrIsTerminal, input: {} });
  const version = registry.operation('version')!;

  it('are data on stdout and talk on stderr', () => {
    const outcome = ok({ version: '1.2.3', node: 'v24', contract_version: 1 }, { notices: [notice] });
    const { stdout, stderr } = printOk(outcome, version, options(true));
    expect(stdout).not.toContain('weak_retrieval');
    expect(stderr).toMatch(/^Note \[weak_retrieval\]: Weak\.\n$/);
    expect(printOk(outcome, version, options(false)).stderr).toMatch(/^\[AGENT\]\n[\s\S]*\[\/AGENT\]\n$/);
  });

  it('are talk on stdout where the command is talk and nobody watches', () => {
    const talk = { ...version, cli: { ...version.cli, isTalk: true, human: () => 'Ready' } };
    const { stdout, stderr } = printOk(ok({}, { notices: [notice] }), talk, options(false));
    expect([stdout.startsWith('Ready\n[AGENT]\n'), stderr]).toEqual([true, '']);
  });

  it('of a failure begin with its code', () => {
    expect(printFailed(failed, options(true)).stderr).toMatch(/^Error \[internal_error\]: /);
  });
});

describe('help', () => {
  it('lists every command once, and shows what each takes', () => {
    const listed = helpGroups(registry).flatMap(({ commands }) => commands.map(({ usage }) => usage));
    expect(new Set(listed).size).toBe(listed.length);
    for (const operation of registry.operations) {
      const { command } = operation.cli;
      expect(listed.filter((usage) => usage === command || usage.startsWith(`${command} `))).not.toEqual([]);
      expect(pageText(helpPage(operation), view)).toContain('--json');
    }
    expect(groupsText(helpGroups(registry, ['get']), view)).toContain('get <slug>');
  });

  it('keeps columns aligned and breaks after a left side that is too long', () => {
    const lines = twoColumns([
      ['a', 'one'],
      ['bbb', 'two'],
      ['c'.repeat(60), 'three'],
    ]);
    expect(lines[0]!.indexOf('one')).toBe(lines[1]!.indexOf('two'));
    expect(lines[2]!.split('\n')[1]!.trim()).toBe('three');
  });
});

describe('instructions', () => {
  const tools = registry.operations.filter(({ surface }) => surface !== 'cli').map(({ name }) => name);

  it('name no tool that cannot be called', () => {
    fc.assert(
      fc.property(fc.subarray(tools), fc.boolean(), (names, isDown) => {
        const callable = new Set(isDown ? ['gbrain_status'] : names);
        const text = instructionsText({ callable, isDown, writeback: 'all', worst: [{ capability: 'x', why: 'y' }] });
        const named = tools.filter((tool) => tool.includes('_') && new RegExp(`\\b${tool}\\b`).test(text));
        expect(named.filter((tool) => !callable.has(tool))).toEqual([]);
      }),
    );
  });

  it.each([
    ['salient', /lasting facts that they state themselves/, true],
    ['all', /every fact that they state themselves/, true],
    ['off', /only when the user asks/, false],
    [undefined, /only when the user asks/, false],
    ['nonsense', /only when the user asks/, false],
  ])('say for memory.auto_writeback %s what is saved and what never is', (writeback, rule, asksForMore) => {
    const callable = new Set(['remember']);
    const text = instructionsText({ callable, isDown: false, ...(writeback && { writeback }) });
    expect(text).toMatch(rule);
    expect(text).toMatch(/secret/);
    const never = ['greetings', 'questions', 'infer', 'output of tools', 'quoted'];
    for (const word of never) expect(text.includes(word), word).toBe(asksForMore);
    expect(instructionsText({ callable: new Set(['recall']), isDown: false, writeback: 'all' })).not.toMatch(rule);
  });

  it('say so when a surface is empty or no brain is open, and end with the operator’s own', () => {
    expect(instructionsText({ callable: new Set(), isDown: false })).toContain('holds no tools yet');
    const down = instructionsText({ callable: new Set(['gbrain_status']), isDown: true, identity: 'prod' });
    expect(down).toContain('Call gbrain_status');
    expect(down.endsWith('Deployment identity: prod')).toBe(true);
  });
});

describe('a server without a brain', () => {
  it.each([
    'lock_held',
    'no_brain',
    'missing_brain',
    'config_unreadable',
    'brain_unopenable',
    'repair_failed',
  ] as const)('says for %s why, what to do, and when it looked', (reason) => {
    const facts = {
      reason,
      brainPath: '/home/a/.gbrain/brain.pglite',
      configPath: '/home/a/.gbrain/config.json',
      ...(reason === 'lock_held' && { owner: { pid: 42, transport: 'stdio', serve: true } }),
    };
    const at = { checkedAt: new Date(0), surface: 'starter', surfaceSource: 'flag' };
    const gate = { ...connection('stdio'), isCallable: (tool: string) => tool === 'gbrain_status' };
    const payload = JSON.parse(JSON.stringify(statusPayload(registry, gate, facts as never, at)));
    expect(payload).toMatchObject({
      status: 'unavailable',
      reason,
      contract_version: 1,
      checked_at: at.checkedAt.toISOString(),
    });
    expect(payload.why).toMatch(/\.$/);
    expect(payload.fix.next).toMatch(/^(run|ask_user|tell_user_to_run|wait|report)$/);
    expect(JSON.stringify(payload)).not.toMatch(/undefined|\[object/);
  });
});
