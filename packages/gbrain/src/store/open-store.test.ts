// A brain of an older version opens with the new schema, and what it was before stays beside it under a name.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildTemplate } from '../../../../tools/build-template.ts';
import { migrations } from '../generated/migrations.ts';
import { type Migration, readSchemaState } from './migrate.ts';
import { openStore } from './open-store.ts';
import { sql } from './sql.ts';

let home: string;
let place: { kind: 'pglite'; dataDir: string };
beforeAll(async () => {
  await buildTemplate();
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gbrain-open-'));
  place = { kind: 'pglite', dataDir: join(home, 'brain') };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function next(text: string): Migration {
  const version = migrations.length + 1;
  const checksum = createHash('sha256').update(text).digest('hex');
  return { version, name: `${String(version).padStart(4, '0')}_next`, breaking: false, checksum, text };
}

async function makeBrain(): Promise<void> {
  const store = await openStore(place, { migrations, create: true });
  await store.query(sql`insert into config (key, value) values ('kept', '1')`);
  await store.close();
}

const readKept = sql`select value from config where key = 'kept'`;

test('a new brain needs no copy', async () => {
  const copies: string[] = [];
  const store = await openStore(place, { migrations, create: true, onCopy: (path) => copies.push(path) });
  await store.close();
  expect(copies).toEqual([]);
});

test('a brain that is behind is copied, then migrated; the copy opens as it was', async () => {
  await makeBrain();
  const migration = next('create table added (x int)');
  const copies: string[] = [];
  const list = [...migrations, migration];
  const store = await openStore(place, { migrations: list, onCopy: (path) => copies.push(path) });
  expect((await readSchemaState(store, list)).version).toBe(migration.version);
  expect(await store.query(readKept)).toEqual([{ value: 1 }]);
  await store.close();
  const copy = `${place.dataDir}.before-${migration.name}`;
  expect(copies).toEqual([copy]);
  const before = await openStore({ kind: 'pglite', dataDir: copy }, { migrations });
  expect((await readSchemaState(before, list)).version).toBe(migrations.length);
  expect(await before.query(readKept)).toEqual([{ value: 1 }]);
  await before.close();
});

test('a migration that fails leaves the brain as it was, closed, with the copy beside it', async () => {
  await makeBrain();
  const migration = next('select 1 / 0');
  await expect(openStore(place, { migrations: [...migrations, migration] })).rejects.toMatchObject({ fault: 'other' });
  expect(existsSync(`${place.dataDir}.before-${migration.name}/PG_VERSION`)).toBe(true);
  const store = await openStore(place, { migrations });
  expect(await store.query(readKept)).toEqual([{ value: 1 }]);
  await store.close();
});
