// The frozen shapes of the operator contract against our renderers: structure stays, and `next` is recomputed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Action, RenderedAction } from '@gbrain/wire/action';
import { parseNoticeBlock } from '@gbrain/wire/marker-parse';
import { decideNext } from '@gbrain/wire/next';
import type { RenderedNotice } from '@gbrain/wire/notice';
import { renderAction } from '@gbrain/wire/render-action';
import { noticeBlockText, renderNotice } from '@gbrain/wire/render-notice';
import { describe, expect, test } from 'vitest';
import { CASES, connect, DOCS_BASE } from './agent-contract-cases.ts';

const ROOT = join(import.meta.dirname, '../fixtures/agent-contract/v1');
const FILES = (readdirSync(ROOT, { recursive: true }) as string[]).filter((name) => /\.(json|txt)$/.test(name)).sort();
const JSON_FILES = FILES.filter((name) => name.endsWith('.json'));
const ON_CLI = ['confirmation-required.json', 'json-fallback.json', 'nested-legacy-error.json'];

const readText = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const transportOf = (file: string): 'cli' | 'stdio' | 'http' => {
  if (file === 'legacy-error-value.json') return 'http';
  return ON_CLI.includes(file) || file === 'journey/init-first-run.json' ? 'cli' : 'stdio';
};

type Visit = (value: Record<string, unknown>) => void;

/** Calls `visit` for every object of a JSON value, outer before inner. */
function walk(value: unknown, visit: Visit): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as Record<string, unknown>);
  for (const item of Object.values(value)) walk(item, visit);
}

const isStep = (value: Record<string, unknown>): boolean => 'consent' in value && 'requires_exclusive' in value;
const isNotice = (value: Record<string, unknown>): boolean => 'kind' in value && 'contract_version' in value;

/** Takes out what a fixture never holds: `next`, and the address of the docs. */
function freeze(rendered: unknown): unknown {
  const text = JSON.stringify(rendered)
    .replaceAll(DOCS_BASE, '{{DOCS_BASE}}')
    .replace(/\\nnext: [a-z_]+/g, '\\nnext: {{next}}');
  return JSON.parse(text, (key, value: unknown) => (key === 'next' ? undefined : value));
}

/** The `next` of a rendered step from its own facts, as a harness would recompute it. */
function recompute(step: RenderedAction, transport: 'cli' | 'stdio' | 'http'): string {
  return decideNext({
    userDecision: false,
    transport,
    hasArgv: step.argv !== undefined,
    hasMcp: step.mcp !== undefined,
    mcpCallable: step.mcp !== undefined,
    actor: step.actor,
    consentCovered: step.consent.length === 0,
  });
}

test('the set of files is the frozen one', () => {
  expect(FILES).toEqual([
    'bare-array-result.json',
    'confirmation-required.json',
    'error-with-fix.json',
    'error-with-notices.json',
    'journey/caller-mistake.json',
    'journey/init-first-run.json',
    'journey/recall-degraded.json',
    'journey/status-only-lock-held.json',
    'journey/status-only-missing-brain.json',
    'json-fallback.json',
    'legacy-error-value.json',
    'nested-legacy-error.json',
    'notice-block.txt',
    'object-result.json',
    'receipt-error.json',
  ]);
});

test.each(FILES)('%s holds no next and no address of its own', (file) => {
  expect(readText(file)).not.toMatch(/https?:\/\//);
  if (!file.endsWith('.json')) return;
  walk(JSON.parse(readText(file)), (value) => expect(value).not.toHaveProperty('next'));
});

test.each(CASES)('$file is what the stored form renders to, key for key', ({ file, render, next }) => {
  const rendered = render();
  if (typeof rendered === 'string') {
    expect(rendered.replace(/^next: .*$/m, 'next: {{next}}')).toBe(readText(file));
    return;
  }
  expect(JSON.stringify(freeze(rendered), null, 2)).toBe(JSON.stringify(JSON.parse(readText(file)), null, 2));
  const given: string[] = [];
  walk(rendered, (value) => {
    if (!isStep(value)) return;
    given.push(String(value.next));
    expect(recompute(value as unknown as RenderedAction, transportOf(file))).toBe(value.next);
  });
  expect(given).toEqual(next);
});

test.each(JSON_FILES)('%s: every step renders to itself again', (file) => {
  const connection = connect(transportOf(file));
  walk(JSON.parse(readText(file)), (value) => {
    if (!isStep(value)) return;
    const stored = JSON.parse(JSON.stringify(value).replaceAll('{{DOCS_BASE}}', DOCS_BASE)) as Action;
    const rendered = renderAction(stored, connection);
    expect(JSON.stringify(freeze(rendered))).toBe(JSON.stringify(value));
    expect(recompute(rendered, connection.transport)).toBe(rendered.next);
  });
});

test.each(JSON_FILES)('%s: every notice renders to itself again', (file) => {
  const connection = connect(transportOf(file));
  walk(JSON.parse(readText(file)), (value) => {
    if (!isNotice(value)) return;
    const notice = value as unknown as RenderedNotice;
    expect(JSON.stringify(freeze(renderNotice(notice, connection)))).toBe(JSON.stringify(value));
  });
});

test.each(JSON_FILES)('%s: notice blocks say what the mirrored notices say', (file) => {
  const { content, _meta } = JSON.parse(readText(file)) as {
    content?: { text: string }[];
    _meta?: { gbrain_notices: RenderedNotice[] };
  };
  if (_meta === undefined || content === undefined) return;
  expect(content).toHaveLength(1 + _meta.gbrain_notices.length);
  for (const [index, notice] of _meta.gbrain_notices.entries()) {
    const text = content[index + 1]?.text as string;
    const rendered = renderNotice(notice, connect(transportOf(file)));
    expect(noticeBlockText(rendered, 'stdio').replace(/^next: .*$/m, 'next: {{next}}')).toBe(text);
    expect(parseNoticeBlock(text)).toMatchObject({ code: notice.code, kind: notice.kind, why: notice.why });
  }
});

describe('status-only mode', () => {
  const read = (file: string): Record<string, unknown> => JSON.parse(readText(`journey/${file}`));

  test.each([
    ['status-only-lock-held.json', 'lock_held'],
    ['status-only-missing-brain.json', 'missing_brain'],
  ])('%s tells the user', (file, reason) => {
    const { fix, ...body } = read(file);
    expect(body).toMatchObject({ status: 'unavailable', reason, contract_version: 1, surface: 'full' });
    expect(renderAction(fix as Action, connect('stdio')).next).toBe('tell_user_to_run');
  });

  test('the plan to share has three steps, each the user’s', () => {
    const plan = renderAction(read('status-only-lock-held.json').share_http_plan as Action, connect('stdio'));
    const steps = [plan, plan.then, plan.then?.then];
    expect(steps.map((step) => [step?.command, step?.actor, step?.next])).toEqual([
      ['kill 48213', 'user', 'tell_user_to_run'],
      ['gbrain serve --http', 'user', 'tell_user_to_run'],
      ['gbrain bootstrap harness --harness all --yes', 'user', 'tell_user_to_run'],
    ]);
    expect(steps.map((step) => step?.requires_exclusive)).toEqual([false, true, false]);
    expect(plan.then?.then?.then).toBeUndefined();
  });
});

test('the first-run bundle holds the argv of every option that a command applies', () => {
  const { notices } = JSON.parse(readText('journey/init-first-run.json')) as { notices: RenderedNotice[] };
  const options = notices
    .flatMap(({ decisions }) => decisions ?? [])
    .flatMap((decision) => decision.options.map(({ id, argv }) => [decision.id, id, argv?.join(' ')]));
  expect(options).toEqual([
    ['search_mode', 'conservative', 'gbrain config set search.mode conservative'],
    ['search_mode', 'balanced', 'gbrain config set search.mode balanced'],
    ['search_mode', 'tokenmax', 'gbrain config set search.mode tokenmax'],
    ['writeback', 'salient', 'gbrain config set memory.auto_writeback salient'],
    ['writeback', 'all', 'gbrain config set memory.auto_writeback all'],
    ['writeback', 'off', 'gbrain config set memory.auto_writeback off'],
    ['harness_wiring', 'wire', undefined],
    ['harness_wiring', 'skip', undefined],
  ]);
});
