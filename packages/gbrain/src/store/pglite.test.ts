// What only the embedded engine can suffer: its thread's crash, a full or read-only disk, a log that grows.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asOrdinaryUser } from '@gbrain/testkit/ordinary-user';
import { openTestPglite, type TestStore } from '@gbrain/testkit/stores';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildTemplate } from '../../../../tools/build-template.ts';
import { createFolder } from './data-folder.ts';
import { fromServer } from './faults.ts';
import { openPglite } from './pglite.ts';
import { Engine, EngineStartError } from './pglite-engine.ts';
import { encodeBurst, parseReply } from './protocol.ts';
import { sql } from './sql.ts';
import type { Sql } from './store.ts';

const word = (text: string): Sql => ({ text, params: [] });
const logBytes = (dataDir: string) =>
  readdirSync(join(dataDir, 'pg_wal'))
    .map((name) => statSync(join(dataDir, 'pg_wal', name)))
    .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);

beforeAll(async () => {
  await buildTemplate();
});

describe('an engine that crashes', () => {
  let opened: TestStore;
  beforeEach(async () => {
    opened = await openTestPglite();
    await opened.store.query(word('create table kept (row int primary key)'));
  });
  afterEach(() => opened.remove());

  /** Takes a file away that the next statement needs in a critical section, so that the engine panics. */
  const breakLog = () => rmSync(join(opened.place, 'pg_wal'), { recursive: true });

  test('a panic is told as a fault, not as the engine’s text, and nothing waits for ever', async () => {
    breakLog();
    const failing = opened.store
      .query(sql`insert into kept select generate_series(1, 200000)`)
      .catch((e: unknown) => e);
    const behind = opened.store.query(sql`select count(*) as n from kept`).catch((e: unknown) => e);
    for (const error of await Promise.all([failing, behind])) {
      expect(error).toMatchObject({ name: 'StoreError' });
      expect((error as Error).message).not.toMatch(/panic|pg_wal/i);
    }
    expect(await failing).toMatchObject({ fault: 'outcome_unknown' });
    expect(await behind).toMatchObject({ fault: 'damaged' });
  });

  test('temporary files that a killed engine left are gone after the next open, and nothing else is', async () => {
    const base = join(opened.place, 'base');
    const [database = ''] = readdirSync(base).filter((name) => /^\d+$/.test(name));
    mkdirSync(join(base, 'pgsql_tmp'), { recursive: true });
    const left = [
      'pgsql_tmp/pgsql_tmp42.0',
      `${database}/t3_16999`,
      `${database}/t3_16999_fsm`,
      `${database}/t12_17000.1`,
    ];
    for (const path of left) writeFileSync(join(base, path), 'left');
    const before = readdirSync(base, { recursive: true }).length;
    await opened.reopen();
    for (const path of left) expect(existsSync(join(base, path)), path).toBe(false);
    expect(readdirSync(base, { recursive: true }).length).toBeGreaterThanOrEqual(before - left.length);
  });
});

describe('a disk', () => {
  let folder: string;
  let dataDir: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gbrain-disk-'));
    dataDir = join(folder, 'brain');
    await createFolder(dataDir);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const full = () => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };

  test('that fills under a table gives disk_full, and reads go on', async () => {
    let isFull = false;
    const observe = (operation: { kind: string; path: string }) => {
      if (isFull && operation.kind === 'write' && operation.path.startsWith('base/')) full();
    };
    const engine = await Engine.open({ dataDir, durable: false }, { observe });
    const ask = async (text: string) => parseReply(await engine.run(encodeBurst([word(text)])));
    await ask('create table big (x text)');
    isFull = true;
    const { error } = await ask("insert into big select repeat('x', 2000) from generate_series(1, 50)");
    expect(error && fromServer(error)).toMatchObject({ fault: 'disk_full', at: '53100' });
    expect((await ask('select count(*) as n from big')).results).toEqual([[{ n: 0 }]]);
    isFull = false;
    expect((await ask("insert into big values ('fits')")).error).toBeUndefined();
    await engine.close();
  });

  test('that fills under the log ends the engine, and its log says why', async () => {
    let isFull = false;
    let told = '';
    const observe = (operation: { kind: string; path: string }) => {
      if (isFull && operation.kind === 'write' && operation.path.startsWith('pg_wal/')) full();
    };
    const onCrash = (log: string) => {
      told ||= log;
      throw new Error('the thread ends here');
    };
    const engine = await Engine.open({ dataDir, durable: false }, { observe, onCrash });
    isFull = true;
    await engine.run(encodeBurst([word('create table big (x text)')])).catch(() => undefined);
    expect(told).toMatch(/no space left on device/i);
  });

  test('that cannot be written is told at open', async () => {
    const refuse = (operation: { kind: string }) => {
      if (operation.kind !== 'sync') throw Object.assign(new Error('read only'), { code: 'EROFS' });
    };
    const error = await Engine.open({ dataDir, durable: false }, { observe: refuse }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(EngineStartError);
    expect((error as EngineStartError).log).toMatch(/read-only file system/i);
  });

  test('whose folder is not ours to write is read_only', async () => {
    chmodSync(dataDir, 0o500);
    await asOrdinaryUser([folder], () => expect(openPglite({ dataDir })).rejects.toMatchObject({ fault: 'read_only' }));
    chmodSync(dataDir, 0o700);
  });

  test('a folder that cannot be made is told with its path', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    await expect(openPglite({ dataDir: join(path, 'brain'), create: true })).rejects.toMatchObject({
      name: 'StoreError',
      at: join(path, 'brain'),
    });
  });
});

describe('the write-ahead log', () => {
  test('stays bounded under a long load, in many transactions and in one', { timeout: 180_000 }, async () => {
    const checkpointBytes = 8 * 2 ** 20;
    const opened = await openTestPglite({ checkpointBytes });
    const { store, place } = opened;
    await store.query(word('create table load (id bigint generated always as identity, note text not null)'));
    // Text that neither compresses nor repeats, about 4 MB a statement.
    const chunk = sql`insert into load (note)
      select (select string_agg(md5(random()::text), '') from generate_series(1, 60) where n > 0)
      from generate_series(1, 2000) as n`;
    let most = 0;
    const measured = async (work: Promise<unknown>) => {
      await work;
      most = Math.max(most, logBytes(place));
    };
    for (let i = 0; i < 8; i += 1) await measured(store.query(chunk));
    const many = most;
    await store.tx(async (tx) => {
      for (let i = 0; i < 12; i += 1) await measured(tx.query(chunk));
    });
    // What was written is several times the bound; a statement of 4 MB may stand above it.
    expect(many).toBeGreaterThan(checkpointBytes);
    expect(many).toBeLessThan(2.5 * checkpointBytes);
    expect(most).toBeLessThan(4 * checkpointBytes);
    expect(await store.query(sql`select count(*) as n from load`)).toEqual([{ n: 40_000 }]);
    await opened.remove();
  });
});
