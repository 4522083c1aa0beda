// Without care the embedded engine's files would grow with every rewrite of a page; with it they stay bounded.
import { openTestPglite, type TestStore } from '@gbrain/testkit/stores';
import { afterEach, expect, test } from 'vitest';
import { maintain } from './maintain.ts';
import { sql } from './sql.ts';
import type { Store } from './store.ts';

let opened: TestStore;
let store: Store;
const fill = async () => {
  await store.query(sql`create table kept (row int primary key, note text not null)`);
  await rewrite(true);
};
/** Rewrites 300 long texts that do not compress; the old ones are dead rows of the toast table. */
const rewrite = (first = false) => {
  // Naming the outer row makes Postgres compute the text for each row anew.
  const parts = sql`select md5(random()::text || g::text) as part from generate_series(1, 200) as g where i > 0`;
  const text = sql`(select string_agg(part, '') from (${parts}) as p)`;
  return store.query(
    first
      ? sql`insert into kept select i, ${text} from generate_series(1, 300) as i`
      : sql`update kept set note = ${text} from generate_series(1, 300) as i where row = i`,
  );
};
const sizeOf = async () => {
  const [row] = await store.query<{ n: number }>(sql`select pg_total_relation_size('kept') as n`);
  return row?.n ?? 0;
};

afterEach(() => opened.remove());

async function openEmpty(options: { quietMs?: number } = {}): Promise<void> {
  opened = await openTestPglite(options);
  store = opened.store;
}

async function open(options: { quietMs?: number } = {}): Promise<void> {
  await openEmpty(options);
  await fill();
}

test('tables that are due are named once, and rewriting keeps the file bounded', async () => {
  await open({ quietMs: 1_000_000 });
  await rewrite();
  expect(await maintain(store)).toContain('kept');
  expect(await maintain(store)).not.toContain('kept');
  const start = await sizeOf();
  for (let i = 0; i < 6; i += 1) {
    await rewrite();
    await maintain(store);
  }
  expect(await sizeOf()).toBeLessThan(2 * start);
});

test('it stops between tables when told to', async () => {
  await open({ quietMs: 1_000_000 });
  await rewrite();
  expect(await maintain(store, { stop: () => true })).toEqual([]);
});

test('it happens by itself when nobody asks for anything', async () => {
  await open({ quietMs: 20 });
  await rewrite();
  const seen = sql`select count(*) as n from pg_stat_all_tables where relname = 'kept' and last_vacuum is not null`;
  await expect.poll(() => store.query(seen), { interval: 300, timeout: 30_000 }).toEqual([{ n: 1 }]);
});

/** Rows that the planner takes a table to have; -1 before it was ever told. */
const rowsTold = async (name: string) => {
  const [row] = await store.query<{ n: number }>(sql`select reltuples::int as n from pg_class where relname = ${name}`);
  return row?.n;
};

test('a long run of writes without any quiet refreshes the figures of the planner', async () => {
  await openEmpty({ quietMs: 1_000_000 });
  await store.query(sql`create table grown (row int)`);
  for (let i = 0; i < 70; i += 1) await store.query(sql`insert into grown select generate_series(1, 100)`);
  await expect.poll(() => rowsTold('grown'), { interval: 50, timeout: 30_000 }).toBeGreaterThan(2_000);
});

test('closing refreshes them for whoever opens the folder next', async () => {
  await openEmpty({ quietMs: 1_000_000 });
  await store.query(sql`create table left_over as select generate_series(1, 5_000) as row`);
  store = await opened.reopen();
  expect(await rowsTold('left_over')).toBe(5_000);
});

test('growth is seen after a crash, which makes the engine forget what it counted', async () => {
  await openEmpty({ quietMs: 1_000_000 });
  await store.query(sql`create table grown as select generate_series(1, 50_000) as row`);
  // A statement past its bound ends the engine like a crash.
  await expect(store.query(sql`select pg_sleep(60)`, { timeoutMs: 50 })).rejects.toMatchObject({ fault: 'timeout' });
  expect(await rowsTold('grown')).toBe(-1);
  expect(await maintain(store, { figuresOnly: true })).toContain('grown');
  expect(await rowsTold('grown')).toBe(50_000);
});
