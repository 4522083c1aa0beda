// Every refusal of pages and writes is provoked, and its fix is run as it stands: it must lead on.
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import type { Action } from '@gbrain/wire/action';
import type { Caller } from 'gbrain/context';
import type { Outcome } from 'gbrain/outcome';
import { sql } from 'gbrain/store/sql';
import { type Store, StoreError } from 'gbrain/store/store';
import { beforeAll, expect, test } from 'vitest';
import errorsOfSources from '../sources/sources.errors.ts';
import errorsOfWrites from '../writes/writes.errors.ts';
import errorsOfPages from './pages.errors.ts';

type Failure = Extract<Outcome, { kind: 'failed' }>['failure'];

/** The call of a fix with its inputs filled in. */
function callOf(fix: Action | undefined, inputs: Record<string, string> = {}): [string, Record<string, unknown>] {
  if (!fix?.mcp) throw new Error(`no call in ${JSON.stringify(fix)}`);
  const args = Object.entries(fix.mcp.arguments).map(([key, value]) => {
    const input = fix.inputs?.find(({ name }) => value === `<${name}>`);
    return [key, input ? inputs[input.name] : value];
  });
  return [fix.mcp.tool, Object.fromEntries(args)];
}

interface Case {
  code: string;
  provoke(host: TestHost): Promise<Failure>;
  /** Values for the fix's inputs. */
  inputs?: Record<string, string>;
  caller?: Caller;
  /** What must hold of the fix's outcome, and of its second step. */
  after(outcome: Outcome, host: TestHost, failure: Failure): Promise<void> | void;
}

const isOk = (outcome: Outcome): void => {
  if (outcome.kind === 'failed') throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
};

const put = (host: TestHost, slug: string, content: string) => host.ok('put_page', { slug, content, force: true });

/** A page at `slug` and the edit of it that is refused. */
const editRefused = (slug: string, text: string, old_text: string) => async (host: TestHost) => {
  const { revision } = await put(host, slug, text);
  const edits = [{ old_text, new_text: 'x' }];
  return host.refused('edit_page', { slug, expected_revision: revision, edits });
};

const showsPage = (slug: string) => (outcome: Outcome) => {
  isOk(outcome);
  expect(outcome).toMatchObject({ output: { slug, revision: expect.any(String), content: expect.any(String) } });
};

const FENCED = '<!--- gbrain:facts:begin -->\n| # | claim |\n|---|---|\n| 1 | tea |\n<!--- gbrain:facts:end -->\n';

const CASES: Case[] = [
  {
    code: 'page_not_found',
    provoke: async (host) => {
      await put(host, 'fix/alice-example', 'x\n');
      return host.refused('get_page', { slug: 'people/alice-example' });
    },
    after: (outcome) => expect(outcome).toMatchObject({ kind: 'ok', output: { slug: 'fix/alice-example' } }),
  },
  {
    code: 'page_not_found',
    provoke: (host) => host.refused('delete_page', { slug: 'people/alice-example' }),
    after: (outcome) => expect(outcome).toMatchObject({ kind: 'ok', output: ['fix/alice-example'] }),
  },
  {
    code: 'page_identity_changed',
    provoke: async (host) => {
      const { revision } = await put(host, 'fix/identity', 'one\n');
      await host.ok('delete_page', { slug: 'fix/identity' });
      return host.refused('put_page', { slug: 'fix/identity', content: 'two\n', expected_revision: revision });
    },
    after: async (outcome, host) => {
      isOk(outcome);
      const { revision } = (outcome as { output: { revision: string } }).output;
      const args = { slug: 'fix/identity', content: 'two\n', expected_revision: revision };
      expect(await host.ok('put_page', args)).toMatchObject({ restored: true });
    },
  },
  {
    code: 'timeline_rows_would_be_removed',
    caller: AGENT,
    provoke: async (host) => {
      const { revision } = await put(
        host,
        'fix/dated',
        '# Dated\n\nProse.\n\n## Timeline\n\n- **2026-01-02** | note — met\n',
      );
      const input = { slug: 'fix/dated', content: '# Dated\n\nNew prose.\n', expected_revision: revision };
      return host.refused('put_page', input, AGENT);
    },
    after: async (outcome, host, failure) => {
      showsPage('fix/dated')(outcome);
      expect(failure.message).toContain('1 dated');
      const { revision, content } = (outcome as unknown as { output: { revision: string; content: string } }).output;
      const sent = { slug: 'fix/dated', expected_revision: revision };
      const kept = await host.ok('put_page', { ...sent, content: content.replace('Prose', 'New prose') }, AGENT);
      expect(await host.ok('get_timeline', { slug: 'fix/dated' })).toHaveLength(1);
      const next = { slug: 'fix/dated', expected_revision: kept.revision, content: '# Dated\n\nNew.\n' };
      await host.ok('put_page', { ...next, drop_timeline: true }, AGENT);
      expect(await host.ok('get_timeline', { slug: 'fix/dated' })).toEqual([]);
    },
  },
  {
    code: 'revision_required',
    provoke: async (host) => {
      await put(host, 'fix/required', 'one\n');
      return host.refused('put_page', { slug: 'fix/required', content: 'two\n', request_id: 'fix-required' });
    },
    after: async (outcome, host, failure) => {
      showsPage('fix/required')(outcome);
      const [op, args] = callOf(failure.fix?.then);
      expect(await host.ok(op, args)).toMatchObject({ status: 'updated' });
      expect((await host.ok('get_page', { slug: 'fix/required', content_only: true })).content).toBe('two\n');
    },
  },
  {
    code: 'revision_required',
    provoke: async (host) => {
      await put(host, 'fix/required-long', 'one\n');
      return host.refused('put_page', { slug: 'fix/required-long', content: 'long '.repeat(2000) });
    },
    after: async (outcome, host, failure) => {
      showsPage('fix/required-long')(outcome);
      expect(JSON.stringify(failure).length).toBeLessThan(4000);
      const [op, args] = callOf(failure.fix?.then, { content: 'merged\n' });
      expect(await host.ok(op, args)).toMatchObject({ status: 'updated' });
    },
  },
  {
    code: 'revision_conflict',
    provoke: async (host) => {
      const { revision } = await put(host, 'fix/conflict', 'one\n');
      await put(host, 'fix/conflict', 'two\n');
      return host.refused('put_page', { slug: 'fix/conflict', content: 'three\n', expected_revision: revision });
    },
    after: async (outcome, host) => {
      showsPage('fix/conflict')(outcome);
      const { revision } = (outcome as { output: { revision: string } }).output;
      await host.ok('put_page', { slug: 'fix/conflict', content: 'three\n', expected_revision: revision });
    },
  },
  {
    code: 'ambiguous_slug',
    provoke: async (host) => {
      await put(host, 'one/twin', 'x\n');
      await put(host, 'two/twin', 'x\n');
      return host.refused('get_page', { slug: 'twin', fuzzy: true });
    },
    after: (outcome) => expect(outcome).toMatchObject({ kind: 'ok', output: { slug: 'one/twin' } }),
  },
  { code: 'edit_no_match', provoke: editRefused('fix/e1', 'one\n', 'two'), after: showsPage('fix/e1') },
  { code: 'edit_ambiguous_match', provoke: editRefused('fix/e2', 'one one\n', 'one'), after: showsPage('fix/e2') },
  { code: 'edit_protected_span', provoke: editRefused('fix/e3', FENCED, 'tea'), after: showsPage('fix/e3') },
  { code: 'edit_invalid', provoke: editRefused('fix/e4', 'one\n', ''), after: showsPage('fix/e4') },
  {
    code: 'invalid_frontmatter',
    provoke: (host) => host.refused('put_page', { slug: 'fix/front', content: '---\na: [\n---\nx\n' }),
    inputs: { content: '---\na: []\n---\nx\n' },
    after: isOk,
  },
  {
    code: 'invalid_fence',
    provoke: (host) => host.refused('put_page', { slug: 'fix/fence', content: FENCED.slice(0, 60) }),
    inputs: { content: FENCED },
    after: isOk,
  },
  {
    code: 'content_rejected',
    provoke: (host) => host.refused('put_page', { slug: 'fix/nul', content: 'a\0b' }),
    inputs: { content: 'ab' },
    after: isOk,
  },
  {
    code: 'content_rejected',
    provoke: (host) => host.refused('put_page', { slug: 'fix/empty', content: '' }),
    inputs: { content: 'not empty' },
    after: isOk,
  },
  {
    code: 'file_too_large',
    provoke: (host) => host.refused('put_page', { slug: 'fix/large', content: 'x'.repeat(5_000_001) }),
    inputs: { content: 'x' },
    after: isOk,
  },
  {
    code: 'idempotency_conflict',
    provoke: async (host) => {
      await host.ok('put_page', { slug: 'fix/id', content: 'one\n', request_id: 'fix-id' });
      return host.refused('put_page', { slug: 'fix/id-2', content: 'two\n', request_id: 'fix-id' });
    },
    after: isOk,
  },
  {
    code: 'unknown_source',
    provoke: (host) => host.refused('list_pages', { source_id: 'nowhere' }),
    after: isOk,
  },
  {
    code: 'unknown_source',
    provoke: (host) => host.refused('put_page', { slug: 'fix/s', content: 'x', source_id: 'nowhere' }),
    after: isOk,
  },
  { code: 'invalid_source', provoke: (host) => host.refused('list_pages', { source_id: '../x' }), after: isOk },
  {
    code: 'invalid_params',
    provoke: (host) => host.refused('get_page', { slug: '/fix//alice-example' }),
    after: isOk,
  },
  {
    code: 'not_found',
    provoke: (host) => host.refused('get_write_request', { request_id: 'never-sent' }),
    after: isOk,
  },
  {
    code: 'not_found',
    provoke: async (host) => {
      await put(host, 'fix/version', 'x\n');
      return host.refused('get_versions', { slug: 'fix/version', version_id: 999_999 });
    },
    after: isOk,
  },
];

eachStore('fixes', (given) => {
  let host: TestHost;
  beforeAll(() => {
    host = testHost(given().store);
  });

  test.each(CASES.map((one, n) => [`${n} ${one.code}`, one] as const))('%s', async (_, one) => {
    const failure = await one.provoke(host);
    expect(failure.code).toBe(one.code);
    const [op, args] = callOf(failure.fix, one.inputs);
    expect(failure.fix?.argv?.[0]).toBe('gbrain');
    const outcome = await host.call(op, args, one.caller ?? OWNER);
    await one.after(outcome, host, failure);
    expect(host.faults).toEqual([]);
  });

  test('a private slug sends the agent to the user, who can run the fix', async () => {
    await put(host, 'fix/private', '---\nvisibility: private\n---\nx\n');
    const failure = await host.refused('put_page', { slug: 'fix/private', content: 'mine' }, AGENT);
    expect(failure).toMatchObject({ code: 'permission_denied', reason: 'trusted_cli_required' });
    expect(failure.fix).toMatchObject({
      actor: 'user',
      argv: ['gbrain', 'get', '--source', 'default', '--', 'fix/private'],
    });
    expect(failure.fix?.mcp).toBeUndefined();
  });

  test('a source of files asks the user', async () => {
    await given().store.query(sql`insert into sources (id, name, truth) values ('notes', 'notes', 'files')`);
    const failure = await host.refused('capture', { content: 'x', source_id: 'notes' }, AGENT);
    expect(failure).toMatchObject({ code: 'owner_unavailable', retryable: false, fix: { user_decision: true } });
    expect(failure.fix).not.toHaveProperty('argv');
    expect(failure.fix).not.toHaveProperty('mcp');
  });

  test('pending and unknown outcomes lead to the receipt', async () => {
    const { store } = given();
    const gate = Promise.withResolvers<void>();
    const slow: Store = { ...bind(store), tx: (body, options) => gate.promise.then(() => store.tx(body, options)) };
    const waiting = testHost(slow);
    const pending = await waiting.refused('put_page', { slug: 'fix/pending', content: 'x', wait_ms: 0 });
    expect(pending.code).toBe('write_pending');
    expect(await waiting.ok(...callOf(pending.fix))).toMatchObject({ state: 'running' });
    gate.resolve();
    await waiting.ok('put_page', { slug: 'fix/after', content: 'x' });
    expect(await waiting.ok(...callOf(pending.fix))).toMatchObject({ state: 'committed' });
    const lost: Store = { ...bind(store), tx: () => Promise.reject(new StoreError('outcome_unknown', 'lost')) };
    const losing = testHost(lost);
    const unknown = await losing.refused('put_page', { slug: 'fix/lost', content: 'x', request_id: 'fix-lost' });
    expect(unknown.code).toBe('write_outcome_unknown');
    // No receipt, so nothing took effect, and the same request may be sent again under the same id.
    const [op, args] = callOf(unknown.fix);
    expect(await host.refused(op, args)).toMatchObject({ code: 'not_found' });
    await host.ok('put_page', { slug: 'fix/lost', content: 'x', request_id: 'fix-lost' });
    expect(await host.ok(op, args)).toMatchObject({ state: 'committed' });
  });

  test('every code of these areas is provoked here', () => {
    const elsewhere = ['owner_unavailable', 'write_pending', 'write_outcome_unknown', 'queue_capacity'];
    const provoked = new Set([...CASES.map(({ code }) => code), ...elsewhere]);
    const codes = [errorsOfPages, errorsOfSources, errorsOfWrites].flatMap((table) => Object.keys(table));
    expect(codes.filter((code) => !provoked.has(code))).toEqual([]);
  });
});

const bind = (store: Store): Store => ({
  facts: store.facts,
  query: (statement, options) => store.query(statement, options),
  batch: (statements, options) => store.batch(statements, options),
  tx: (body, options) => store.tx(body, options),
  close: () => store.close(),
});
