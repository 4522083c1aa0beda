// Migrations go forward once, whole or not at all, one process at a time, and refuse what they do not know.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { eachStore, openTestPostgres, type TestStore } from '@gbrain/testkit/stores';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrationsFile, renderMigrations } from '../../../../tools/embed-migrations.ts';
import { migrations as shipped } from '../generated/migrations.ts';
import { type Migration, migrate, readSchemaState } from './migrate.ts';
import { openStore } from './open-store.ts';
import { sql } from './sql.ts';
import type { Store } from './store.ts';

const checksumOf = (text: string) => createHash('sha256').update(text).digest('hex');
const last = shipped.length;

/** A migration after the shipped ones. */
function next(step: number, text: string, breaking = false): Migration {
  const version = last + step;
  return { version, name: `${String(version).padStart(4, '0')}_test`, breaking, checksum: checksumOf(text), text };
}

test('the embedded list is what the SQL files say', () => {
  expect(readFileSync(migrationsFile, 'utf8')).toBe(renderMigrations());
});

eachStore('migrations', (given) => {
  let store: Store;
  beforeAll(() => {
    store = given().store;
  });
  const first = next(1, 'create table one (x int); insert into one values (1);');
  const broken = next(2, 'create table two (x int); insert into two values (1 / 0);');
  const mended = next(2, 'create table two (x int);', true);

  test('a new brain has all that ship, and applying them again does nothing', async () => {
    expect(await readSchemaState(store)).toEqual({ version: last, pending: [], newer: [] });
    expect(await migrate(store)).toEqual([]);
  });

  test('a failing one leaves no trace, and those before it stay', async () => {
    await expect(migrate(store, [...shipped, first, broken])).rejects.toMatchObject({ name: 'StoreError' });
    expect(await store.query(sql`select x from one`)).toEqual([{ x: 1 }]);
    await expect(store.query(sql`select x from two`)).rejects.toMatchObject({ fault: 'schema_missing' });
    const state = await readSchemaState(store, [...shipped, first, broken]);
    expect(state).toMatchObject({ version: last + 1, pending: [broken] });
  });

  test('a changed one is refused by its name', async () => {
    const changed = next(1, 'create table other (x int);');
    await expect(migrate(store, [...shipped, changed])).rejects.toMatchObject({
      fault: 'schema_changed',
      at: first.name,
    });
  });

  test('older code works with a newer schema unless it broke', async () => {
    expect(await migrate(store, shipped)).toEqual([]);
    expect((await readSchemaState(store, shipped)).newer).toMatchObject([{ version: last + 1, breaking: false }]);
    expect(await migrate(store, [...shipped, first, mended])).toEqual([mended.name]);
    await expect(migrate(store, [...shipped, first])).rejects.toMatchObject({ fault: 'schema_newer', at: mended.name });
  });
});

describe('several processes at once (postgres)', () => {
  let opened: TestStore;
  const stores: Store[] = [];
  beforeAll(async () => {
    opened = await openTestPostgres();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await opened.remove();
  });

  test('apply each migration once', async () => {
    const list = [...shipped, ...[1, 2, 3].map((step) => next(step, `create table race_${step} (x int);`))];
    const place = { kind: 'postgres', url: opened.place } as const;
    const results = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const store = await openStore(place, { migrations: shipped });
        stores.push(store);
        return migrate(store, list);
      }),
    );
    expect(results.flat().sort()).toEqual(list.slice(last).map((migration) => migration.name));
  });
});

describe('an empty server database', () => {
  test('is not taken for a brain, unless one is to be made', async () => {
    const opened = await openTestPostgres();
    await opened.store.tx(async (tx) => tx.script('drop schema public cascade; create schema public;'));
    const place = { kind: 'postgres', url: opened.place } as const;
    await expect(openStore(place, { migrations: shipped })).rejects.toMatchObject({ fault: 'schema_missing' });
    const made = await openStore(place, { migrations: shipped, create: true });
    expect((await readSchemaState(made)).version).toBe(last);
    await made.close();
    await opened.remove();
  });
});

describe('the first schema', () => {
  eachStore('collation', (given) => {
    test('every text column of it is ordered by code point', async () => {
      const rows = await given().store.query(sql`
        select c.table_name, c.column_name from information_schema.columns c
        join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
          and (c.data_type = 'text' or c.udt_name = '_text') and c.collation_name is distinct from 'C'`);
      expect(rows).toEqual([]);
    });

    test('slugs come in code point order whatever the server’s locale', async () => {
      const slugs = ['b', 'a-b', 'a_b', 'ab', 'a/b', 'ä', 'z', 'é', '漢', 'A'];
      await given().store.query(sql`
        insert into pages (source_id, slug, text, revision, title, type, content_hash, folded_slug, size_bytes)
        select 'default', s, s, gen_random_uuid(), s, 'note', 'h', s, 1 from unnest(${slugs}::text[]) as s`);
      const rows = await given().store.query<{ slug: string }>(sql`select slug from live_pages order by slug`);
      const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect(rows.map((row) => row.slug)).toEqual([...slugs].sort(byBytes));
      const [range] = await given().store.query<{ n: number }>(sql`
        select count(*) as n from pages where slug > 'a' and slug < ${'b'}`);
      expect(range?.n).toBe(4);
    });
  });
});
