// Purging a fact on both engines: its words are nowhere, what refers to it still does, and nothing brings it back.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT, OWNER, type TestHost, testHost } from '@gbrain/testkit/host';
import { startScriptedProvider } from '@gbrain/testkit/scripted-provider';
import { eachStore } from '@gbrain/testkit/stores';
import { raw } from 'gbrain/store/sql';
import { expect, test } from 'vitest';

const WORDS = 'Umbra keeps the crimson ledger';

eachStore('purge_fact', (given) => {
  const remember = async (on: TestHost, fact: string, more: object = {}) =>
    (await on.ok<{ id: string }>('remember', { fact, provenance: 'Umbra, in chat', ...more })).id;
  /** Approves the plan as its preview shows it. */
  const purge = async (on: TestHost, id: string) => {
    const asked = await on.refused('purge_fact', { id });
    expect(asked).toMatchObject({ code: 'confirmation_required', exit: 3, consent: { effects: ['destructive'] } });
    expect(JSON.stringify(asked)).not.toContain('crimson');
    const approval = { yes: true, expect: asked.consent!.plan_hash };
    const outcome = await on.call('purge_fact', { id }, OWNER, { approval } as never);
    if (outcome.kind !== 'ok') throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
    return outcome.output as { status: string; purged: string[]; still_in: string[] };
  };
  /** Every row of every table, as text. */
  const everything = async () => {
    const { store } = given();
    const tables = await store.query<{ name: string }>(
      raw(`select tablename as name from pg_tables where schemaname = 'public'`),
    );
    const rows = await Promise.all(
      tables.map(({ name }) => store.query(raw(`select to_jsonb(t)::text as row from "${name}" t`))),
    );
    return JSON.stringify(rows);
  };

  test('the words are gone from every table, from reading and from an export, and do not come back', async () => {
    const provider = await startScriptedProvider();
    const folder = await mkdtemp(join(tmpdir(), 'gbrain-purge-'));
    try {
      const settings = {
        ...provider.settings,
        embedding_model: 'openai:text-embedding-3-small',
        embedding_dimensions: '256',
      };
      const on = testHost(given().store, { settings });
      const id = await remember(on, WORDS, { entity: 'Umbra', visibility: 'private' });
      const twin = await remember(on, WORDS, { entity: 'Umbra' });
      const other = await remember(on, 'Penumbra paints the harbour', { derived_from: [id] });
      await on.call('embed', { stale: true, facts: true }, OWNER, { approval: { yes: true } } as never);
      await on.ok('forget', { id: twin, reason: 'nobody should know of the crimson ledger' });
      await on.ok('recall', { query: 'crimson ledger' });
      const vectors = async () =>
        Number((await given().store.query<{ n: number }>(raw('select count(*) as n from chunk_vectors')))[0]!.n);
      const before = await vectors();
      expect(await everything()).toContain('crimson');

      const look = await on.ok('purge_fact', { id, dry_run: true });
      expect(look).toMatchObject({ status: 'would_purge', purged: [id, twin], still_in: [] });
      expect(await purge(on, id)).toMatchObject({ status: 'purged', purged: [id, twin], still_in: [] });

      expect(await everything()).not.toMatch(/crimson/i);
      expect(await vectors()).toBe(before - 1);
      for (const args of [{}, { include_expired: true }, { query: 'crimson ledger' }, { entity: 'Umbra' }]) {
        expect(JSON.stringify(await on.ok('recall', args))).not.toMatch(/crimson|\[purged\]/);
      }
      const [left] = (await on.ok<{ facts: object[] }>('recall', { grep: 'Penumbra' })).facts;
      expect(left).toMatchObject({ fact_id: other, premise_changed: [id] });
      expect(await on.refused('remember', { fact: WORDS, provenance: 'x', entity: 'Umbra' })).toMatchObject({
        reason: 'fact_withdrawn',
      });
      expect(await on.ok('purge_fact', { id })).toMatchObject({ status: 'was_purged', purged: [] });

      await on.ok('export', { dir: join(folder, 'out') });
      const files = await readdir(join(folder, 'out'), { recursive: true, withFileTypes: true });
      const texts = await Promise.all(
        files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), 'utf8')),
      );
      expect(texts.join('\n')).not.toMatch(/crimson/i);
      expect(texts.join('\n')).toContain('[purged]');
    } finally {
      await provider.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('pages that hold the words are named, and a fact of a page has its home there', async () => {
    const on = testHost(given().store);
    const id = await remember(on, 'Orla owns the brass clock');
    await on.ok('put_page', {
      slug: 'notes/clock',
      content: '# Clock\n\nIt is said that orla owns the brass clock.\n',
    });
    expect(await purge(on, id)).toMatchObject({ purged: [id], still_in: ['notes/clock'] });
    const fence =
      '# Pia\n\n## Facts\n\n<!--- gbrain:facts:begin -->\n| # | claim | kind | confidence | visibility | ' +
      'notability | valid_from | valid_until | source | context |\n|---|---|---|---|---|---|---|---|---|---|\n' +
      '| 1 | Pia rows on Sundays | fact | 1.0 | world | medium |  |  | Pia |  |\n<!--- gbrain:facts:end -->\n';
    await on.ok('put_page', { slug: 'people/pia', content: fence });
    const [fact] = (await on.ok<{ facts: { fact_id: string }[] }>('recall', { entity: 'people/pia' })).facts;
    const refused = await on.refused('purge_fact', { id: fact!.fact_id });
    expect(refused).toMatchObject({ code: 'invalid_params', reason: 'page_fact' });
    expect(refused.fix!.argv).toEqual(expect.arrayContaining(['people/pia']));
  });

  test('a plan that changed since it was shown is refused, and agreement alone is not enough', async () => {
    const on = testHost(given().store);
    const id = await remember(on, 'Quincy hums at dusk');
    const asked = await on.refused('purge_fact', { id });
    const yes = await on.call('purge_fact', { id }, OWNER, { approval: { yes: true } } as never);
    expect(yes).toMatchObject({ kind: 'failed', failure: { code: 'confirmation_required' } });
    await remember(on, 'Quincy hums at dusk', { visibility: 'private' });
    const approval = { yes: true, expect: asked.consent!.plan_hash };
    const late = await on.call('purge_fact', { id }, OWNER, { approval } as never);
    expect(late).toMatchObject({ kind: 'failed', failure: { code: 'preview_changed' } });
    expect(await on.ok('recall', { grep: 'Quincy' })).toMatchObject({ total: 2 });
  });

  test('an agent is told the command of the owner; unknown ids are named', async () => {
    const on = testHost(given().store);
    const refused = await on.refused('purge_fact', { id: '1' }, AGENT);
    expect(refused).toMatchObject({
      code: 'trusted_local_only',
      legacyError: 'permission_denied',
      fix: { argv: ['gbrain', 'purge-fact', '--', '1'], actor: 'user' },
    });
    expect(await on.refused('purge_fact', { id: '999999' })).toMatchObject({ code: 'not_found' });
    expect(await on.refused('purge_fact', { id: 'people/pia' })).toMatchObject({ code: 'invalid_params' });
  });
});
