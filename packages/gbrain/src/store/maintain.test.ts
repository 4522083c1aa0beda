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

async function open(options: { quietMs?: number } = {}): Promise<void> {
  opened = await openTestPglite(options);
  store = opened.store;
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
  expect(await maintain(store, () => true)).toEqual([]);
});

test('it happens by itself when nobody asks for anything', async () => {
  await open({ quietMs: 20 });
  await rewrite();
  const seen = sql`select count(*) as n from pg_stat_all_tables where relname = 'kept' and last_vacuum is not null`;
  await expect.poll(() => store.query(seen), { interval: 300, timeout: 30_000 }).toEqual([{ n: 1 }]);
});
