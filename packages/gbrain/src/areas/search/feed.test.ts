// Readers of feeds while other transactions of the server run: what has committed is seen at once, what commits late is
// not passed over, and the rows of a dump of another server are read once.
import { testHost } from '@gbrain/testkit/host';
import { eachStore, hasPostgres, openTestPostgres, storeSuite } from '@gbrain/testkit/stores';
import { openPostgres } from 'gbrain/store/postgres';
import type { Store } from 'gbrain/store/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cursorText, FEED_START, parseCursor } from '../../store/feed.ts';
import { sql } from '../../store/sql.ts';
import { storedVectors } from '../vectors/stored-vectors.ts';
import { LiveIndex } from './live-index.ts';
import { type FeedRow, readFeed, readFeedEnd } from './search.sql.ts';

const noFile = { read: async () => undefined, write: async () => undefined };
const open = (store: Store) => LiveIndex.open({ store, incarnation: 'one', file: noFile, language: 'english' });
const anyone = { sources: ['default'], seesPrivate: false };
const slugsOf = async (live: LiveIndex, word: string) =>
  (await (await live.current()).search(word, anyone, {})).pages.map(({ slug }) => slug);

/** Holds a transaction that has written something open, until it is let go. */
function hold(store: Store, write = sql`select pg_current_xact_id()`) {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const done = store.tx(async (tx) => {
    await tx.query(write);
    begun.resolve();
    await end.promise;
  });
  return {
    begun: Promise.race([begun.promise, done]),
    letGo: () => {
      end.resolve();
      return done;
    },
  };
}

const change = (revision: string) =>
  sql`insert into changes (kind, source_id, revision) values ('put', 'default', ${revision}::uuid)`;
const revision = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

storeSuite('a feed beside open transactions', { open: openTestPostgres, present: hasPostgres() }, (given) => {
  /** Another program's connection, and one of a database beside it on the same server. */
  let other: Store;
  let beside: Awaited<ReturnType<typeof openTestPostgres>>;

  beforeAll(async () => {
    other = await openPostgres({ url: given().place });
    beside = await openTestPostgres();
  });
  afterAll(async () => {
    await other?.close();
    await beside?.remove();
  });

  test.each([
    ['of the same database', () => other],
    ['of another database', () => beside.store],
  ])('pages and facts are found while a transaction %s stays open', async (name, whose) => {
    const host = testHost(given().store);
    const word = name.length % 2 === 0 ? 'amphora' : 'basilisk';
    const live = await open(given().store);
    await host.ok('recall', { query: 'nothing yet' });
    const held = hold(whose());
    await held.begun;
    await host.ok('put_page', { slug: `notes/${word}`, content: `# A note\n\n${word}\n` });
    await host.ok('remember', { fact: `The ${word} is in the attic`, provenance: 'the house list' });
    expect(await slugsOf(live, word)).toEqual([`notes/${word}`]);
    expect(await slugsOf(await open(given().store), word)).toEqual([`notes/${word}`]);
    const { facts } = await host.ok<{ facts: { fact: string }[] }>('recall', { query: `where is the ${word}` });
    expect(facts.map(({ fact }) => fact)).toContain(`The ${word} is in the attic`);
    await held.letGo();
    expect(await slugsOf(live, word)).toEqual([`notes/${word}`]);
  });

  test('what commits late is read, whatever was read in between, and nothing is read twice', async () => {
    const { store } = given();
    const { cursor: start } = await readFeedEnd(store);
    const late = hold(other, change(revision(1)));
    await late.begun;
    await store.query(change(revision(2)));
    const first = await readFeed(store, start, 10);
    expect(first.rows.map((row) => row.revision)).toEqual([revision(2)]);
    await store.query(change(revision(3)));
    const second = await readFeed(store, parseCursor(cursorText(first.cursor))!, 10);
    expect(second.rows.map((row) => row.revision)).toEqual([revision(3)]);
    await late.letGo();
    const third = await readFeed(store, second.cursor, 10);
    expect(third.rows.map((row) => row.revision)).toEqual([revision(1)]);
    expect((await readFeed(store, third.cursor, 10)).rows).toEqual([]);
  });

  test('a round of several reads loses nothing that commits between them', async () => {
    const { store } = given();
    let { cursor } = await readFeedEnd(store);
    const late = hold(other, change(revision(11)));
    await late.begun;
    for (const n of [12, 13, 14]) await store.query(change(revision(n)));
    const seen: FeedRow[] = [];
    for (let reads = 0, hasMore = true; hasMore; reads++) {
      const part = await readFeed(store, cursor, 1);
      seen.push(...part.rows);
      ({ cursor, hasMore } = part);
      // It lies below what the round has read by now.
      if (reads === 1) await late.letGo();
    }
    seen.push(...(await readFeed(store, cursor, 10)).rows);
    expect(seen.map((row) => row.revision).sort()).toEqual([11, 12, 13, 14].map(revision));
  });
});

eachStore('a feed of a dump', (given) => {
  test('is read once: its transactions are ones that this server has not had yet', async () => {
    const { store } = given();
    const host = testHost(store);
    for (const n of [1, 2, 3]) await host.ok('put_page', { slug: `old/n${n}`, content: `# Old ${n}\n\ncormorant\n` });
    await host.ok('remember', { fact: 'The dump came from the old server', provenance: 'the log' });
    for (const table of ['changes', 'facts']) {
      const shift = sql`xid = (xid::text::bigint + 5000000)::text::xid8`;
      await store.query({ text: `update ${table} set ${shift.text}`, params: [] });
    }
    const live = await open(store);
    expect(await slugsOf(live, 'cormorant')).toHaveLength(3);
    const { facts } = await testHost(store).ok<{ facts: unknown[] }>('recall', { query: 'old server dump' });
    expect(facts).toHaveLength(1);
    const { cursor, rows } = await readFeed(store, FEED_START, 100);
    expect(rows.length).toBeGreaterThanOrEqual(3);
    expect((await readFeed(store, cursor, 100)).rows).toEqual([]);
    expect(await storedVectors(store).readVectors(undefined, 10)).toMatchObject({ vectors: [] });
  });
});

describe('a cursor', () => {
  test.each([
    { seen: '12:20:13,15', last: { xid: 14, position: 3 } },
    { seen: '12:12:', reading: '19:30:19,20', last: { xid: 18, position: 7 } },
    FEED_START,
  ])('comes back from its text', (cursor) => {
    expect(parseCursor(cursorText(cursor))).toEqual(cursor);
  });

  test.each(['', '5:7', '1:2/3', '1:2/3:4:/x', '1:2/3:4:;drop/'])('is not read from %j', (text) => {
    expect(parseCursor(text)).toBeUndefined();
  });
});
