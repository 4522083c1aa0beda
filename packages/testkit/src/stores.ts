// Both storage engines for tests: one suite, run on each with a fresh database that holds the current schema.
// It must not know any table.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from 'gbrain/store/migrate';
import { openPglite, type PgliteOptions } from 'gbrain/store/pglite';
import { openPostgres } from 'gbrain/store/postgres';
import type { Store } from 'gbrain/store/store';
import { afterAll, beforeAll, describe } from 'vitest';
import { buildTemplate } from '../../../tools/build-template.ts';
import { cluster, serverPackage } from './postgres-cluster.ts';
import { openPooler, type Pooler } from './transaction-pooler.ts';

/** A store of a suite, and how to open it again. */
export interface TestStore {
  engine: 'pglite' | 'postgres';
  store: Store;
  /** The data folder (pglite) or the connection URL (postgres). */
  place: string;
  /** Closes the store and opens the same database anew; `store` is then the new one. */
  reopen(): Promise<Store>;
  /** Closes the store and removes its database. */
  remove(): Promise<void>;
}

/** Opens a fresh embedded brain in a temporary folder. It is not synced to disk unless `durable`. */
export async function openTestPglite(
  options: Partial<Omit<PgliteOptions, 'dataDir' | 'create'>> = {},
): Promise<TestStore> {
  await buildTemplate();
  const folder = mkdtempSync(join(tmpdir(), 'gbrain-store-'));
  const place = join(folder, 'data');
  const open = () => openPglite({ durable: false, ...options, dataDir: place, create: true });
  return asTestStore('pglite', place, open, () => rmSync(folder, { recursive: true, force: true }));
}

/** Opens a fresh, migrated database on this process's own Postgres server. */
export async function openTestPostgres(): Promise<TestStore> {
  const place = await (await cluster()).createDatabase();
  const opened = await asTestStore(
    'postgres',
    place,
    () => openPostgres({ url: place }),
    () => undefined,
  );
  await migrate(opened.store);
  return opened;
}

async function asTestStore(
  engine: TestStore['engine'],
  place: string,
  open: () => Promise<Store>,
  clean: () => void | Promise<void>,
): Promise<TestStore> {
  const test: TestStore = {
    engine,
    place,
    store: await open(),
    reopen: async () => {
      await test.store.close();
      test.store = await open();
      return test.store;
    },
    remove: async () => {
      await test.store.close();
      await clean();
    },
  };
  return test;
}

/** Opens a fresh database behind a transaction pooler whose two sessions serve all connections of the store. */
export async function openTestPooled(): Promise<TestStore & { pooler: Pooler }> {
  const direct = await openTestPostgres();
  const pooler = await openPooler(direct.place, 2);
  const place = direct.place.replace(/:\d+\//, `:${pooler.port}/`);
  const clean = async () => {
    await pooler.close();
    await direct.remove();
  };
  return Object.assign(await asTestStore('postgres', place, () => openPostgres({ url: place }), clean), { pooler });
}

/** Runs a suite on one store, opened before its tests and removed after them; skipped, and told so, when absent. */
export function storeSuite<T extends TestStore>(
  name: string,
  how: { open: () => Promise<T>; present?: boolean },
  body: (given: () => T) => void,
): void {
  describe.skipIf(how.present === false)(name, () => {
    let current: T | undefined;
    beforeAll(async () => {
      current = await how.open();
    });
    afterAll(async () => {
      await current?.remove();
    });
    body(() => {
      if (!current) throw new Error('the store is opened before the tests, not before the suite');
      return current;
    });
  });
}

/** False where the platform has no server program; suites on Postgres are skipped there. */
export const hasPostgres = (): boolean => serverPackage() !== undefined;

/**
 * Runs a suite once on each engine. `given()` is the suite's store, fresh for the suite and shared by its tests.
 * Where the platform has no server program the Postgres half is skipped, which vitest reports.
 *
 * @example eachStore('outbox', (given) => { test('is empty', async () => { await given().store.query(...) }) })
 */
export function eachStore(name: string, body: (given: () => TestStore) => void): void {
  storeSuite(`${name} (pglite)`, { open: () => openTestPglite() }, body);
  storeSuite(`${name} (postgres)`, { open: openTestPostgres, present: hasPostgres() }, body);
}
