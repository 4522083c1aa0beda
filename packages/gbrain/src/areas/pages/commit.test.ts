// The commit path itself: one transaction, few round trips, parts of other areas, groups, races, the writer's gate.
import { randomUUID } from 'node:crypto';
import { type TestHost, testHost } from '@gbrain/testkit/host';
import { eachStore } from '@gbrain/testkit/stores';
import { Raised } from 'gbrain/failure';
import { type DerivedPart, definePart } from 'gbrain/part';
import { sql } from 'gbrain/store/sql';
import type { Store, Tx } from 'gbrain/store/store';
import { beforeAll, expect, test } from 'vitest';
import { commitPage } from './commit.ts';
import { commitGroup } from './commit-group.ts';
import type { PageWrite } from './page-write.ts';
import { parseSlug } from './slug.ts';

function write(slug: string, text: string, more: Partial<PageWrite> = {}): PageWrite {
  const parsed = parseSlug(slug);
  if (!parsed.ok) throw new Error(slug);
  return {
    operation: 'import',
    sourceId: 'default',
    slug: parsed.slug,
    writer: { principal: 'test', trustTier: 'owner' },
    newRevision: randomUUID(),
    at: new Date(Date.UTC(2026, 0, 2)),
    decide: () => ({ kind: 'put', text }),
    ...more,
  };
}

const request = (id: string) => ({ requestId: id, argumentsHash: 'h' });

/** A part that keeps the words of a page; it fails in the database for a page that holds `!bad`. */
const words = definePart<string[]>({
  name: 'words',
  summary: 'Words of a page.',
  requirement: 'test',
  derive: ({ text }) => {
    if (text.includes('!refuse')) throw new Raised('content_rejected', { slug: 'x', reason: 'empty' });
    return text.split(/\s+/).filter(Boolean);
  },
  write: ({ id }, list) => [
    sql`delete from test_words where page_id = ${id}`,
    sql`insert into test_words select ${id}, unnest(${list}::text[])`,
  ],
  effects: ({ id, revision }, list) => [
    { key: `words:${id}`, kind: 'words', payload: { revision, count: list.length } },
  ],
  reply: (list) => ({ words: list.length }),
});
const parts: readonly DerivedPart[] = [words];

const counts = async (store: Store): Promise<Record<string, number>> => {
  const [row] = await store.query<Record<string, number>>(sql`select
    (select count(*) from pages) as pages, (select count(*) from page_versions) as versions,
    (select count(*) from changes) as changes, (select count(*) from outbox) as outbox,
    (select count(*) from write_requests) as receipts, (select count(*) from page_aliases) as aliases,
    (select count(*) from test_words) as words`);
  return row!;
};

/** Counts what crosses to the database inside transactions; a commit is one more. */
function counted(store: Store): { store: Store; trips(): number } {
  let trips = 0;
  let inSavepoint = false;
  const tx: Store['tx'] = (body, options) => {
    trips += 1;
    return store.tx((inner) => {
      const watched: Tx = {
        query: (statement) => {
          trips += 1;
          return inner.query(statement);
        },
        batch: (statements) => {
          trips += 1;
          return inner.batch(statements);
        },
        // Inside a savepoint what is queued goes out before it ends.
        queue: (statements) => {
          if (inSavepoint && statements.length > 0) trips += 1;
          return inner.queue(statements);
        },
        savepoint: (part) => {
          inSavepoint = true;
          return inner.savepoint(part).finally(() => {
            inSavepoint = false;
          });
        },
        script: (text) => inner.script(text),
      };
      return body(watched);
    }, options);
  };
  return { store: { ...bound(store), tx }, trips: () => trips };
}

const bound = (store: Store): Store => ({
  facts: store.facts,
  query: (statement, options) => store.query(statement, options),
  batch: (statements, options) => store.batch(statements, options),
  tx: (body, options) => store.tx(body, options),
  close: () => store.close(),
});

eachStore('commit', (given) => {
  let host: TestHost;
  beforeAll(async () => {
    host = testHost(given().store);
    await given().store.query(sql`create table test_words (page_id bigint not null, word text collate "C"
      check (word <> '!bad'))`);
  });

  test('everything of a page is written together, in two round trips', async () => {
    const { store, trips } = counted(given().store);
    const text = '---\ntags: [a]\naliases: [First, First]\n---\none two\n';
    const done = await commitPage(store, write('c/one', text, { request: request(randomUUID()) }), { parts });
    expect(done.outcome).toEqual({ slug: 'c/one', status: 'created', words: 9 });
    expect(trips()).toBe(2);
    expect(await counts(store)).toMatchObject({ pages: 1, changes: 1, outbox: 1, receipts: 1, aliases: 1, words: 9 });
    const next = await commitPage(store, write('c/one', '---\naliases: [Second]\n---\nx\n'), { parts });
    expect(trips()).toBe(4);
    expect(next.outcome).toMatchObject({ status: 'updated' });
    expect(await counts(store)).toMatchObject({ pages: 1, versions: 1, changes: 2, outbox: 1, aliases: 1, words: 5 });
    const [feed] = await store.query(
      sql`select kind, slug, revision, page_id from changes order by position desc limit 1`,
    );
    expect(feed).toEqual({ kind: 'page_written', slug: 'c/one', revision: next.revision, page_id: done.pageId });
    const same = await commitPage(store, write('c/one', '---\naliases: [Second]\n---\nx\n'), { parts });
    expect(same).toMatchObject({ revision: next.revision, outcome: { status: 'unchanged' } });
    expect(await counts(store)).toMatchObject({ versions: 1, changes: 2 });
  });

  test('a part that fails leaves nothing of the page; one that refuses leaves only the receipt', async () => {
    const { store } = given();
    const before = await counts(store);
    await expect(
      commitPage(store, write('c/bad', 'a !bad', { request: request(randomUUID()) }), { parts }),
    ).rejects.toThrow();
    expect(await counts(store)).toEqual(before);
    const id = randomUUID();
    const refused = write('c/refused', '!refuse', { request: request(id) });
    await expect(commitPage(store, refused, { parts })).rejects.toMatchObject({ code: 'content_rejected' });
    expect(await counts(store)).toEqual({ ...before, receipts: before.receipts! + 1 });
    await expect(commitPage(store, refused, { parts: [] })).rejects.toMatchObject({ code: 'content_rejected' });
  });

  test('a group goes on past a page that is refused or fails', async () => {
    const { store } = given();
    const before = await counts(store);
    const outcomes = await commitGroup(
      store,
      [
        write('g/1', 'one'),
        write('g/2', '---\na: [\n---\n'),
        write('g/3', '!bad'),
        write('g/4', 'four', { sourceId: 'nowhere' }),
        write('g/5', 'five'),
        write('g/1', 'one again'),
      ],
      { parts },
    );
    expect(outcomes.map((one) => (one.ok ? one.committed.outcome.status : (one.error as Raised).code))).toEqual([
      'created',
      'invalid_frontmatter',
      undefined,
      'unknown_source',
      'created',
      'updated',
    ]);
    expect(await counts(store)).toMatchObject({ pages: before.pages! + 2, changes: before.changes! + 3 });
  });

  test('a group of pages costs one reading and one writing round trip, whatever its size', async () => {
    const { store, trips } = counted(given().store);
    const pages = Array.from({ length: 20 }, (_, n) => write(`group/${n}`, `${n}\n`));
    const made = await commitGroup(store, pages, { parts: [] });
    expect(trips()).toBe(3);
    expect(made.every((one) => one.ok && one.committed.outcome.status === 'created')).toBe(true);
    const again = await commitGroup(store, pages, { parts: [] });
    expect(trips()).toBe(3 + 2);
    expect(again.every((one) => one.ok && one.committed.outcome.status === 'unchanged')).toBe(true);
  });

  test('a group that fails as a whole is written page by page, with the same rows', async () => {
    const { store } = given();
    const pages = (folder: string, extra: PageWrite[]) => [
      ...Array.from({ length: 5 }, (_, n) =>
        write(`${folder}/${n}`, `---\naliases: [${folder}-${n}]\n---\nword ${n}\n`),
      ),
      ...extra,
    ];
    const rows = async (folder: string) =>
      store.query(sql`select replace(p.slug, ${folder}, '') as slug, replace(p.text, ${folder}, '') as text, p.title,
          (select array_agg(replace(a.alias, ${folder}, '')) from page_aliases a where a.page_id = p.id) as aliases,
          (select array_agg(w.word order by w.word) from test_words w where w.page_id = p.id and w.word like 'word%')
        from pages p where p.slug like ${`${folder}/%`} order by p.slug`);
    const good = await commitGroup(store, pages('together', []), { parts });
    const bad = await commitGroup(store, pages('apart-xx', [write('apart-xx/9', '!bad')]), { parts });
    expect(good.every(({ ok }) => ok)).toBe(true);
    expect(bad.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false]);
    expect(await rows('apart-xx')).toEqual(await rows('together'));
  });

  test('a page moves with its rows; its old slug leads to it until another page takes the slug', async () => {
    const { store } = given();
    const slugOf = (text: string) => write(text, '').slug;
    const [old] = await commitGroup(store, [write('move/old', 'words here\n')], { parts });
    const [moved] = await commitGroup(
      store,
      [
        write('move/new', 'words here\n', {
          movesFrom: slugOf('move/old'),
          isExact: true,
        }),
      ],
      {
        parts,
        alongside: (outcomes) =>
          outcomes.flatMap((one) =>
            one.ok ? [sql`insert into test_words values (${one.committed.pageId}, 'alongside')`] : [],
          ),
      },
    );
    expect([old, moved].map((one) => one?.ok && one.committed.pageId)).toEqual([
      old?.ok && old.committed.pageId,
      old?.ok && old.committed.pageId,
    ]);
    expect(await host.ok('get_page', { slug: 'move/old' })).toMatchObject({ slug: 'move/new', title: 'New' });
    const [row] = await store.query(sql`select count(*) as n from test_words w join pages p on p.id = w.page_id
      where p.slug = 'move/new' and w.word in ('words', 'alongside')`);
    expect(row).toEqual({ n: 2 });
    await commitGroup(store, [write('move/old', 'another\n', { isExact: true })], { parts });
    expect(await host.ok('get_page', { slug: 'move/old' })).toMatchObject({ slug: 'move/old', title: 'Old' });
    const { pages: before } = await counts(store);
    const [taken] = await commitGroup(store, [
      write('move/new', 'x', { movesFrom: slugOf('move/old'), isExact: true }),
    ]);
    expect(taken).toMatchObject({ ok: false, error: { fault: 'unique_violation' } });
    expect((await counts(store)).pages).toBe(before);
  });

  test('two writers on one revision: one wins, the other is told', async () => {
    const { revision } = await host.ok('put_page', { slug: 'race/page', content: 'base\n' });
    const put = (n: number) =>
      host.call('put_page', { slug: 'race/page', content: `${n}\n`, expected_revision: revision });
    const outcomes = await Promise.all([1, 2, 3, 4, 5, 6].map(put));
    expect(outcomes.filter(({ kind }) => kind === 'ok')).toHaveLength(1);
    const codes = outcomes.flatMap((one) => (one.kind === 'failed' ? [one.failure.code] : []));
    expect(new Set(codes)).toEqual(new Set(['revision_conflict']));
    const { versions } = await host.ok<{ versions: unknown[] }>('get_versions', { slug: 'race/page' });
    expect(versions).toHaveLength(1);
  });

  test('two writers make one page, or send one request: it is made once', async () => {
    const make = (n: number) => host.call('put_page', { slug: 'race/new', content: `${n}\n` });
    const made = await Promise.all([1, 2, 3, 4].map(make));
    expect(made.filter(({ kind }) => kind === 'ok')).toHaveLength(1);
    const codes = made.flatMap((one) => (one.kind === 'failed' ? [one.failure.code] : []));
    expect(codes).toEqual(['revision_required', 'revision_required', 'revision_required']);
    // Two processes on one server do not share a queue: the database alone decides.
    const id = randomUUID();
    const send = () => commitPage(given().store, write('race/twice', 'x\n', { request: request(id) }), { parts: [] });
    const sent = await Promise.all([send(), send(), send()]);
    expect(new Set(sent.map(({ revision }) => revision)).size).toBe(1);
    expect(sent.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
    expect(host.faults).toEqual([]);
  });

  test('concurrent tags all arrive', async () => {
    await host.ok('put_page', { slug: 'race/tags', content: 'x\n' });
    await Promise.all(Array.from({ length: 12 }, (_, n) => host.ok('add_tag', { slug: 'race/tags', tag: `t${n}` })));
    const { tags } = await host.ok<{ tags: string[] }>('get_tags', { slug: 'race/tags' });
    expect(tags.length).toBe(12);
  });

  test('a brain that asks for a newer writer is not written, and a source of files only by its files', async () => {
    const { store } = given();
    await store.query(sql`update brain set min_writer_version = 99`);
    expect(await host.refused('put_page', { slug: 'gate/a', content: 'x' })).toMatchObject({
      code: 'migrations_pending',
    });
    await store.query(sql`update brain set min_writer_version = 1`);
    await store.query(sql`insert into sources (id, name, truth) values ('wiki', 'wiki', 'files')`);
    const refused = await host.refused('put_page', { slug: 'gate/a', content: 'x', source_id: 'wiki' });
    expect(refused).toMatchObject({
      code: 'owner_unavailable',
      detail: 'unbound_source',
      class: 'retryable',
      retryable: false,
      fix: { user_decision: true, actor: 'user', user_message: expect.stringContaining('gate/a.md') },
    });
    const fromFiles = write('gate/a', 'x', { sourceId: 'wiki', isFromFiles: true });
    expect((await commitPage(store, fromFiles, { parts: [] })).outcome).toMatchObject({ status: 'created' });
    expect(await host.ok('list_pages', { source_id: 'wiki' })).toHaveLength(1);
  });
});
