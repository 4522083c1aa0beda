// The journal over real files: durable order, one sync a group, chains that name the first bad record, locks, refusals.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DataPaths, dataPaths, lockDataDir, openDataDir } from './data-dir.ts';
import type { Batch, Journal } from './journal.ts';
import { createSealer } from './seal.ts';
import { openSqliteJournal } from './sqlite.ts';
import { verifyDataDir } from './verify.ts';

const SESSION = 'ses_00000000000000000001';
let folder: string;
let paths: DataPaths;
const open: Journal[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brain-journal-'));
  rmSync(folder, { recursive: true });
  paths = openDataDir(folder);
});

afterEach(async () => {
  for (const journal of open.splice(0)) await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openJournal(options = {}): Promise<Journal> {
  const journal = await openSqliteJournal(paths, options);
  open.push(journal);
  return journal;
}

const configuration = {
  agentloop: { name: 'echo' },
  model: { provider: 'openai', name: 'm' },
  system: '',
  tools: [],
  environments: [],
};

/** A batch that extends a session: its creation first, then events of the loop's own. */
function batch(sequence: number, sessionId = SESSION): Batch {
  const kinds = ['session_creation_started', 'session_creation_ended'];
  const kind = kinds[sequence - 1] ?? 'note';
  const payload = JSON.stringify(kind === 'note' ? { sequence, text: 'x'.repeat(100) } : { configuration });
  return {
    records: [{ sequence, recordedAtMs: 1000 + sequence, kind, payload, origin: null }],
    row: {
      sessionId,
      status: sequence === 1 ? 'creating' : 'idle',
      lastSequence: sequence,
      atRest: sequence > 1,
      agentloop: 'echo',
    },
  };
}

async function write(journal: Journal, count: number, sessionId = SESSION): Promise<void> {
  const all = [];
  for (let sequence = 1; sequence <= count; sequence += 1) {
    all.push(journal.append(batch(sequence, sessionId), { barrier: true }));
  }
  await Promise.all(all);
}

describe('SQLite journal', () => {
  it('groups what waits into one sync, and reads back what is durable, in order', async () => {
    const journal = await openJournal();
    await write(journal, 50);
    expect(journal.commits).toBeLessThanOrEqual(3);
    expect(journal.readRecords(SESSION, 0, 1000, 1e9).map((record) => record.sequence)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
    expect(journal.readSession(SESSION)).toMatchObject({ status: 'idle', lastSequence: 50, atRest: true });
    expect(journal.readRecords(SESSION, 10, 5, 1e9).map((record) => record.sequence)).toEqual([11, 12, 13, 14, 15]);
    expect(journal.readRecords(SESSION, 0, 1000, 1)).toHaveLength(1);
  });

  it('tells of commits in order and before their promises resolve', async () => {
    const journal = await openJournal();
    const seen: number[] = [];
    journal.onCommit((batches) => {
      for (const { records = [] } of batches) for (const record of records) seen.push(record.sequence);
    });
    await write(journal, 3);
    expect(seen).toEqual([1, 2, 3]);
  });

  it('lets a write that nobody waits for ride on the next barrier', async () => {
    const journal = await openJournal();
    await write(journal, 2);
    const before = journal.commits;
    const riding = journal.append(batch(3), { barrier: false });
    await Promise.all([riding, journal.append(batch(4), { barrier: true })]);
    expect(journal.commits).toBe(before + 1);
    await journal.append(batch(5), { barrier: false });
    expect(journal.readSession(SESSION)?.lastSequence).toBe(5);
  });

  it('replays claims, answers, hosts and sealed values after a restart, and forgets a deleted session', async () => {
    const journal = await openJournal();
    const sealer = createSealer(new Uint8Array(32));
    const claim = { scope: 'create', key: 'k', bodyHash: 'h', createdAtMs: 5 };
    const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' };
    await journal.append(
      {
        ...batch(1),
        claims: [claim],
        sealed: [{ sessionId: SESSION, name: 'model', value: sealer.seal(SESSION, 'model', 'secret-key-1') }],
        hosts: [{ hostId: 'host_1', tokenHash: 't', createdAtMs: 1 }],
      },
      { barrier: true },
    );
    expect(journal.readRequest('create', 'k')?.answer).toBeNull();
    await journal.append({ ...batch(2), answers: [{ scope: 'create', key: 'k', answer }] }, { barrier: true });
    await open.pop()?.close();

    const again = await openJournal();
    expect(again.readRequest('create', 'k')?.answer).toEqual(answer);
    expect(again.listHosts()).toHaveLength(1);
    const [sealed] = again.readSealed(SESSION);
    expect(sealer.unseal(SESSION, 'model', sealed!.value)).toBe('secret-key-1');
    expect(sealer.unseal(SESSION, 'other', sealed!.value)).toBeUndefined();
    await again.append({ deleteSession: SESSION }, { barrier: true });
    expect(again.readSession(SESSION)).toBeUndefined();
    expect(again.readSealed(SESSION)).toEqual([]);
  });

  it('refuses a gap as the broken invariant that it is, and then every append', async () => {
    const journal = await openJournal();
    await write(journal, 1);
    await expect(journal.append(batch(3), { barrier: true })).rejects.toMatchObject({ condition: 'failed' });
    expect(journal.condition).toBe('failed');
    await expect(journal.append(batch(2), { barrier: true })).rejects.toMatchObject({ condition: 'failed' });
    expect(journal.readSession(SESSION)?.lastSequence).toBe(1);
  });

  it('keeps a group that a full disk refused and writes it once there is space', async () => {
    const journal = await openJournal({ maxPages: 40 });
    const conditions: string[] = [];
    journal.onCondition((condition) => conditions.push(condition));
    const large = (sequence: number): Batch => {
      const one = batch(sequence);
      for (const record of one.records ?? []) record.payload = JSON.stringify('x'.repeat(60_000));
      return one;
    };
    await write(journal, 2);
    await journal.append(large(3), { barrier: true });
    const stuck = [large(4), large(5), large(6)].map((one) => journal.append(one, { barrier: true }));
    const outcome = Promise.race([Promise.all(stuck).then(() => 'written'), conditionOf(journal)]);
    expect(await outcome).toBe('full');
    expect(journal.readSession(SESSION)?.lastSequence).toBe(3);
    expect(conditions).toEqual(['full']);
  });
});

function conditionOf(journal: Journal): Promise<string> {
  return new Promise((resolve) => journal.onCondition((condition) => resolve(condition)));
}

describe('data folder', () => {
  it('is refused to a second server while the first one lives', () => {
    const first = lockDataDir(paths);
    expect(() => lockDataDir(paths)).toThrow(/in use by another server/);
    first.release();
    lockDataDir(paths).release();
  });

  it('is refused when it holds something else, or another version', () => {
    const other = mkdtempSync(join(tmpdir(), 'brain-other-'));
    writeFileSync(join(other, 'file'), '');
    expect(() => openDataDir(other)).toThrow(/no data folder/);
    writeFileSync(join(other, 'format'), 'brain-data/1\n');
    expect(() => openDataDir(other)).toThrow(/brain-data\/1/);
    rmSync(other, { recursive: true });
  });

  it('is refused when acknowledged commits are gone', async () => {
    const journal = await openJournal();
    await write(journal, 2);
    await open.pop()?.close();
    const database = new DatabaseSync(paths.journal);
    database.exec("UPDATE meta SET value = value - 1 WHERE key = 'commits'");
    database.close();
    await expect(openSqliteJournal(paths)).rejects.toMatchObject({ code: 'records_lost' });
    expect(verifyDataDir(paths, undefined).findings[0]?.code).toBe('records_lost');
  });
});

describe('verify', () => {
  async function damage(sql: string) {
    const journal = await openJournal();
    await write(journal, 5);
    await write(journal, 3, 'ses_00000000000000000002');
    expect(verifyDataDir(paths, undefined)).toMatchObject({ ok: true, sessions: 2, records: 8 });
    await open.pop()?.close();
    const database = new DatabaseSync(paths.journal);
    database.exec(sql);
    database.close();
    return verifyDataDir(dataPaths(folder), undefined);
  }

  it('names the session and its first bad record', async () => {
    const report = await damage(
      `UPDATE records SET payload = replace(payload, 'x', 'y') WHERE no = 1 AND sequence = 4`,
    );
    expect(report.ok).toBe(false);
    expect(report.findings).toEqual([
      expect.objectContaining({ code: 'changed_record', session_id: SESSION, sequence: 4 }),
    ]);
  });

  it('names a missing record', async () => {
    const report = await damage('DELETE FROM records WHERE no = 2 AND sequence = 2');
    expect(report.findings[0]).toMatchObject({
      code: 'missing_record',
      session_id: 'ses_00000000000000000002',
      sequence: 2,
    });
  });

  it('sees a tail that was cut together with its row, by the heads file', async () => {
    const report = await damage(`
      DELETE FROM records WHERE no = 1 AND sequence = 5;
      UPDATE sessions SET last_sequence = 4,
        chain = (SELECT chain FROM records WHERE no = 1 AND sequence = 4) WHERE no = 1`);
    expect(report.ok).toBe(false);
  });
});
