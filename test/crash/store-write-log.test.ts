// The embedded engine's promise on disk: every commit is synced before it is acknowledged, checkpoints sync data before
// pg_control, and any disk that a power cut may leave opens with every acknowledged row.
import fs, { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskModel, type DiskOperation, seededRandom } from '@gbrain/testkit/disk-model';
import { createFolder } from 'gbrain/store/data-folder';
import { openPglite } from 'gbrain/store/pglite';
import { Engine } from 'gbrain/store/pglite-engine';
import { encodeBurst, encodeScript, parseReply } from 'gbrain/store/protocol';
import { sql } from 'gbrain/store/sql';
import type { Sql } from 'gbrain/store/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTemplate } from '../../tools/build-template.ts';

/** Cuts tried; raise it for a long run. */
const cuts = Number(process.env.GBRAIN_CRASH_CUTS ?? 9);
const seed = Number(process.env.GBRAIN_CRASH_SEED ?? Date.now() % 1e9);

type Entry =
  | DiskOperation
  | { kind: 'asked'; row: number }
  | { kind: 'acknowledged'; row: number }
  | { kind: 'mark'; name: string };

interface Recording {
  base: string;
  log: Entry[];
  /** Calls of the operating system's fsync while the engine ran. */
  systemSyncs: number;
}

/** Counts what really reaches the operating system, until it is told to stop. */
function countSystemSyncs(): () => number {
  const { fsyncSync } = fs;
  let calls = 0;
  fs.fsyncSync = (fd) => {
    calls += 1;
    fsyncSync(fd);
  };
  syncBuiltinESMExports();
  return () => {
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
    return calls;
  };
}

let folder: string;
beforeAll(async () => {
  await buildTemplate();
  folder = mkdtempSync(join(tmpdir(), 'gbrain-write-log-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const word = (text: string): Sql => ({ text, params: [] });
const noteOf = (row: number) => `${row}:${'abcdefgh'.repeat(200 + ((row * 137) % 900))}`;

/** Runs commits of several shapes with checkpoints between them, and records what reached the files. */
async function record(name: string, durable: boolean, rows: number): Promise<Recording> {
  const dataDir = join(folder, name);
  await createFolder(dataDir);
  const setup = await openPglite({ dataDir });
  await setup.query(word('create table kept (row int primary key, note text not null, turn int not null default 0)'));
  await setup.query(word('create index kept_note on kept (left(note, 20))'));
  await setup.close();
  const base = join(folder, `${name}.base`);
  cpSync(dataDir, base, { recursive: true });

  const log: Entry[] = [];
  const stop = countSystemSyncs();
  const observe = (operation: DiskOperation) => log.push(operation);
  const engine = await Engine.open({ dataDir, durable }, { observe });
  const run = async (statements: Sql[]) => {
    const reply = parseReply(await engine.run(encodeBurst(statements)));
    expect(reply.error).toBeUndefined();
  };
  for (let row = 0; row < rows; row += 1) {
    const insert = sql`insert into kept (row, note) values (${row}, ${noteOf(row)})`;
    const touch = sql`update kept set turn = turn + 1 where row % 7 = ${row % 7}`;
    log.push({ kind: 'asked', row });
    if (row % 3 === 0) await run([insert]);
    else if (row % 3 === 1) await run([word('begin'), touch, insert, word('commit')]);
    else {
      await run([word('begin'), insert]);
      await run([word('savepoint s'), touch]);
      await run([word('rollback to s'), word('commit')]);
    }
    log.push({ kind: 'acknowledged', row });
    if (row % 40 === 25) {
      log.push({ kind: 'mark', name: 'checkpoint' });
      await engine.run(encodeScript('checkpoint'));
      log.push({ kind: 'mark', name: 'checkpoint done' });
    }
  }
  // Left open on purpose: the process that wrote this log never came to close anything.
  return { base, log, systemSyncs: stop() };
}

const isDisk = (entry: Entry): entry is DiskOperation => !['asked', 'acknowledged', 'mark'].includes(entry.kind);
const isLog = (path: string) => /^pg_wal\/[0-9A-F]{24}$/.test(path);

describe('syncs', () => {
  let recording: Recording;
  beforeAll(async () => {
    recording = await record('syncs', true, 120);
  });

  test('each one that the engine asks for reaches the operating system', () => {
    expect(recording.systemSyncs).toBe(recording.log.filter((entry) => entry.kind === 'sync').length);
    expect(recording.systemSyncs).toBeGreaterThan(120);
  });

  test('every commit syncs its log before it is acknowledged', () => {
    const unsynced = new Set<string>();
    let syncs = 0;
    let acknowledged = 0;
    for (const entry of recording.log) {
      if (entry.kind === 'asked') syncs = 0;
      if (entry.kind === 'write' && isLog(entry.path)) unsynced.add(entry.path);
      if (entry.kind === 'sync' && isLog(entry.path)) {
        unsynced.delete(entry.path);
        syncs += 1;
      }
      if (entry.kind === 'acknowledged') {
        acknowledged += 1;
        expect(syncs, `row ${entry.row}`).toBeGreaterThan(0);
        expect([...unsynced], `row ${entry.row}`).toEqual([]);
      }
    }
    expect(acknowledged).toBe(120);
  });

  test('a commit costs one sync a segment of the log that it writes, and none beside', () => {
    let from = 0;
    let compared = 0;
    for (const [i, entry] of recording.log.entries()) {
      if (entry.kind === 'asked') from = i;
      if (entry.kind !== 'acknowledged') continue;
      const window = recording.log.slice(from, i).filter(isDisk);
      // A new segment is filled and synced by itself, once a megabyte.
      if (window.some((operation) => operation.kind === 'create')) continue;
      const segments = window.filter((operation) => operation.kind === 'write' && isLog(operation.path));
      const syncs = window.filter((operation) => operation.kind === 'sync').map((operation) => operation.path);
      expect(syncs.sort()).toEqual([...new Set(segments.map((operation) => operation.path))].sort());
      compared += 1;
    }
    expect(compared).toBeGreaterThan(100);
  });

  test('a checkpoint syncs every data file it wrote before pg_control, and pg_control last', () => {
    const dirty = new Set<string>();
    let checkpoints = 0;
    let inside = false;
    for (const entry of recording.log) {
      if (entry.kind === 'mark') {
        inside = entry.name === 'checkpoint';
        if (!inside) {
          checkpoints += 1;
          expect([...dirty]).toEqual([]);
        }
      }
      if (entry.kind === 'sync') dirty.delete(entry.path);
      if (entry.kind !== 'write' || isLog(entry.path)) continue;
      if (inside && entry.path === 'global/pg_control') expect([...dirty]).toEqual([]);
      // The catalogue's cache files are thrown away at every start; nothing depends on them.
      if (entry.path.includes('pg_internal.init')) continue;
      if (/^(base|global|pg_xact|pg_multixact)\//.test(entry.path)) dirty.add(entry.path);
    }
    expect(checkpoints).toBe(3);
  });
});

interface Kept {
  row: number;
  note: string;
}

/** Opens one possible disk and gives the rows in it, after checking that table and index agree. */
async function rowsOf(dataDir: string): Promise<Map<number, string>> {
  const store = await openPglite({ dataDir, durable: false });
  try {
    const rows = await store.query<Kept>(sql`select row, note from kept`);
    await store.tx(async (tx) => {
      await tx.query(word('set local enable_seqscan = off'));
      const indexed = await tx.query<Kept>(sql`select row from kept where row >= 0 order by row`);
      expect(indexed.map((one) => one.row)).toEqual(rows.map((one) => one.row).sort((a, b) => a - b));
      await tx.query(sql`insert into kept (row, note) values (-1, 'writable')`);
    });
    return new Map(rows.map((one) => [one.row, one.note]));
  } finally {
    await store.close();
  }
}

/** Cuts the log after `end` entries and tells which acknowledged rows the disk has lost. */
async function lostAt({ base, log }: Recording, end: number, cut: number): Promise<number[]> {
  const model = new DiskModel(base);
  const acknowledged: number[] = [];
  let asked = -1;
  for (const entry of log.slice(0, end)) {
    if (isDisk(entry)) model.apply(entry);
    else if (entry.kind === 'acknowledged') acknowledged.push(entry.row);
    else if (entry.kind === 'asked') asked = entry.row;
  }
  const disk = join(folder, `cut-${cut}`);
  model.writeTo(disk, seededRandom(seed + cut));
  const rows = await rowsOf(disk);
  rmSync(disk, { recursive: true });
  for (const [row, note] of rows) {
    expect(row).toBeLessThanOrEqual(asked);
    expect(note === noteOf(row)).toBe(true);
  }
  return acknowledged.filter((row) => !rows.has(row));
}

/** Where to cut: right after acknowledgements, inside checkpoints, anywhere. */
function cutPoints(log: Entry[], count: number): number[] {
  const random = seededRandom(seed);
  const after = (kind: string) => log.flatMap((entry, i) => (entry.kind === kind ? [i + 1] : []));
  const pick = (from: number[]) => from[Math.floor(random() * from.length)] as number;
  const [start = 0, stop = log.length] = after('mark').slice(-2);
  return Array.from({ length: count }, (_, i) => {
    if (i % 3 === 0) return pick(after('acknowledged'));
    if (i % 3 === 1) return start + Math.floor(random() * (stop - start));
    return Math.floor(random() * (log.length + 1));
  });
}

describe('power cuts', () => {
  test(`lose no acknowledged row (seed ${seed})`, { timeout: 60_000 + cuts * 10_000 }, async () => {
    const recording = await record('cuts', true, 120);
    for (const [cut, end] of cutPoints(recording.log, cuts).entries()) {
      expect(await lostAt(recording, end, cut), `seed ${seed}, cut ${cut} after entry ${end}`).toEqual([]);
    }
  });

  test('lose rows in this model when syncing is off, so the test can fail', { timeout: 120_000 }, async () => {
    const recording = await record('unsafe', false, 60);
    let lost = 0;
    for (let cut = 0; cut < 12 && lost === 0; cut += 1) {
      lost += await lostAt(recording, recording.log.length, cut).then(
        (rows) => rows.length,
        () => 1,
      );
    }
    expect(lost).toBeGreaterThan(0);
  });
});
