// Commits groups of batches to journal.db and sealed.db, one sync a group. Runs on the writer thread; knows no thread.

import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { dwell, isArmed, reach } from '../fault.ts';
import type { DataPaths } from './data-dir.ts';
import { type HeadsWriter, openHeads, readHeads } from './heads.ts';
import type { Batch } from './journal.ts';
import { chainNext, chainStart } from './record.ts';
import { JOURNAL_PRAGMAS, JOURNAL_TABLES, SEALED_TABLES, WRITE } from './schema.sql.ts';

/** Pages of the log after which it is folded into the database, and how many commits pass between looks. */
const CHECKPOINT_PAGES = 4000;
const CHECKPOINT_EVERY = 64;

/** Acknowledged records are gone: the database is older than the heads file beside it. */
export class RecordsLostError extends Error {
  readonly code = 'records_lost';
}

/** The writing end of a journal. */
export interface Committer {
  /** Makes all batches durable, or none. Throws what SQLite throws; then the transaction is rolled back. */
  commit(batches: readonly Batch[]): void;
  /** What can wait until the last commit was acknowledged: the heads file, and folding a log that has grown. */
  tidy(): void;
  close(): void;
}

/** Bounds for tests: a database that is full after so many pages. */
export interface CommitterOptions {
  maxPages?: number;
}

/** Opens the databases, making them when they are new. Throws a RecordsLostError when the heads file is ahead. */
export function openCommitter(paths: DataPaths, options: CommitterOptions = {}): Committer {
  const journal = openDatabase(paths.journal, JOURNAL_PRAGMAS, JOURNAL_TABLES);
  const sealed = openDatabase(
    join(paths.sealed, 'sealed.db'),
    [...JOURNAL_PRAGMAS, 'PRAGMA secure_delete = ON'],
    SEALED_TABLES,
  );
  if (options.maxPages) journal.exec(`PRAGMA max_page_count = ${options.maxPages}`);
  const { value: counter } = journal.prepare('SELECT value FROM meta WHERE key = ?').get('commits') as {
    value: number;
  };
  dropOrphans(journal, sealed);
  const known = readHeads(paths.heads).counter ?? 0;
  if (known > counter) {
    throw new RecordsLostError(
      `The journal has ${counter} commits and its heads file knows ${known}: acknowledged records are gone.`,
    );
  }
  return new SqliteCommitter(journal, sealed, openHeads(paths.heads), counter);
}

function openDatabase(path: string, pragmas: readonly string[], tables: string): DatabaseSync {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const database = new DatabaseSync(path, { timeout: 5000 });
  for (const pragma of pragmas) database.exec(pragma);
  database.exec(tables);
  if (tables === JOURNAL_TABLES) database.exec("INSERT OR IGNORE INTO meta (key, value) VALUES ('commits', 0)");
  return database;
}

/** Secrets whose session was never recorded, or is gone: a crash between two commits leaves them. */
function dropOrphans(journal: DatabaseSync, sealed: DatabaseSync): void {
  const find = journal.prepare('SELECT 1 FROM sessions WHERE session_id = ?');
  const remove = sealed.prepare('DELETE FROM sealed WHERE session_id = ?');
  for (const { session_id } of sealed.prepare('SELECT DISTINCT session_id FROM sealed').all()) {
    if (!find.get(session_id as string)) remove.run(session_id as string);
  }
}

type Statements = { [K in keyof typeof WRITE]: StatementSync };

interface WalSize {
  log: number;
  checkpointed: number;
}

interface Tip {
  no: number;
  sequence: number;
  chain: Uint8Array;
}

class SqliteCommitter implements Committer {
  readonly #journal: DatabaseSync;
  readonly #sealed: DatabaseSync;
  readonly #heads: HeadsWriter;
  readonly #write: Statements;
  #counter: number;
  /** Kinds of the last commit, while a fault at the checkpoint is armed. */
  #lastKinds: string[] = [];
  /** Heads that this commit moved; `null` for a session that it removed. */
  #moved = new Map<number, Tip | null>();
  /** Tips of sessions that were written lately, so that most commits look nothing up. */
  #tips = new Map<string, Tip>();

  constructor(journal: DatabaseSync, sealed: DatabaseSync, heads: HeadsWriter, counter: number) {
    this.#journal = journal;
    this.#sealed = sealed;
    this.#heads = heads;
    this.#counter = counter;
    const statements = Object.entries(WRITE).map(([name, sql]) => [name, journal.prepare(sql)]);
    this.#write = Object.fromEntries(statements) as Statements;
  }

  commit(batches: readonly Batch[]): void {
    const kinds = () => batches.flatMap(({ records = [] }) => records.map(({ kind }) => kind));
    reach('before_append', kinds);
    this.#commitSealed(batches);
    this.#moved.clear();
    this.#journal.exec('BEGIN IMMEDIATE');
    try {
      for (const batch of batches) this.#apply(batch);
      this.#write.counter.run(this.#counter + 1, 'commits');
      reach('after_append_before_sync', kinds);
      this.#journal.exec('COMMIT');
    } catch (error) {
      this.#tips.clear();
      if (this.#journal.isTransaction) this.#journal.exec('ROLLBACK');
      throw error;
    }
    this.#counter += 1;
    this.#dropSealed(batches);
    if (isArmed('during_checkpoint')) this.#lastKinds = kinds();
  }

  tidy(): void {
    this.#writeHeads();
    if (this.#counter % CHECKPOINT_EVERY === 0 && this.#hasLogGrown()) this.#checkpoint();
    dwell(
      'during_checkpoint',
      () => this.#lastKinds,
      () => {
        // Every page goes to the log once more, so that there is something to fold.
        this.#journal.exec('VACUUM');
        this.#checkpoint();
      },
    );
  }

  close(): void {
    this.#journal.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#journal.close();
    this.#sealed.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#sealed.close();
    this.#heads.close();
  }

  #hasLogGrown(): boolean {
    const { log, checkpointed } = this.#journal.prepare('PRAGMA wal_checkpoint(NOOP)').get() as unknown as WalSize;
    return log - checkpointed >= CHECKPOINT_PAGES;
  }

  #checkpoint(): void {
    this.#journal.exec('PRAGMA wal_checkpoint(RESTART)');
  }

  #apply(batch: Batch): void {
    const write = this.#write;
    if (batch.records?.length) this.#appendRecords(batch);
    if (batch.deleteSession) this.#deleteSession(batch.deleteSession);
    for (const claim of batch.claims ?? []) {
      write.claim.run(claim.scope, claim.key, claim.bodyHash, claim.createdAtMs);
    }
    for (const { scope, key, answer } of batch.answers ?? []) {
      write.answer.run(answer.status, JSON.stringify(answer.headers), answer.body, scope, key);
    }
    for (const { scope, key } of batch.dropClaims ?? []) write.dropClaim.run(scope, key);
    for (const host of batch.hosts ?? []) write.addHost.run(host.hostId, host.tokenHash, host.createdAtMs);
    for (const hostId of batch.dropHosts ?? []) write.dropHost.run(hostId);
    if (batch.expireRequestsBeforeMs !== undefined) write.expire.run(batch.expireRequestsBeforeMs);
  }

  #appendRecords({ row, records = [] }: Batch): void {
    if (!row) throw new Error('records without the row of their session');
    const tip = this.#findTip(row.sessionId);
    let { chain } = tip ?? { chain: chainStart(row.sessionId) };
    let sequence = tip?.sequence ?? 0;
    let no = tip?.no;
    if (no === undefined) {
      const { sessionId, agentloop, status } = row;
      no = Number(this.#write.addSession.run(sessionId, agentloop, status, 0, 0, chain).lastInsertRowid);
    }
    for (const record of records) {
      if (record.sequence !== sequence + 1) {
        throw new Error(`${row.sessionId}: record ${record.sequence} follows ${sequence} in the journal`);
      }
      sequence = record.sequence;
      chain = chainNext(chain, record);
      const { recordedAtMs, kind, payload, origin } = record;
      this.#write.addRecord.run(no, sequence, recordedAtMs, kind, payload, origin, chain);
    }
    this.#write.setSession.run(row.status, sequence, row.atRest ? 1 : 0, chain, no);
    const moved = { no, sequence, chain };
    this.#tips.set(row.sessionId, moved);
    if (this.#tips.size > 20_000) this.#tips.clear();
    this.#moved.set(no, moved);
  }

  #findTip(sessionId: string): Tip | undefined {
    const cached = this.#tips.get(sessionId);
    if (cached) return cached;
    const row = this.#write.findSession.get(sessionId) as
      | { no: number; last_sequence: number; chain: Uint8Array }
      | undefined;
    return row && { no: row.no, sequence: row.last_sequence, chain: row.chain };
  }

  #deleteSession(sessionId: string): void {
    const tip = this.#findTip(sessionId);
    if (!tip) return;
    this.#write.dropRecords.run(tip.no);
    this.#write.dropSession.run(tip.no);
    this.#tips.delete(sessionId);
    this.#moved.set(tip.no, null);
  }

  /** Secrets are durable before the first record of their session is. */
  #commitSealed(batches: readonly Batch[]): void {
    const values = batches.flatMap((batch) => batch.sealed ?? []);
    if (values.length === 0) return;
    const insert = this.#sealed.prepare('INSERT OR REPLACE INTO sealed (session_id, name, value) VALUES (?, ?, ?)');
    this.#sealed.exec('BEGIN IMMEDIATE');
    try {
      for (const { sessionId, name, value } of values) insert.run(sessionId, name, value);
      this.#sealed.exec('COMMIT');
    } catch (error) {
      if (this.#sealed.isTransaction) this.#sealed.exec('ROLLBACK');
      throw error;
    }
  }

  #dropSealed(batches: readonly Batch[]): void {
    const gone = batches.flatMap((batch) => batch.deleteSession ?? []);
    if (gone.length === 0) return;
    const remove = this.#sealed.prepare('DELETE FROM sealed WHERE session_id = ?');
    for (const sessionId of gone) remove.run(sessionId);
    // Overwritten pages leave the log too, or the old bytes would outlive the session there.
    this.#sealed.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  #writeHeads(): void {
    for (const [no, tip] of this.#moved) {
      if (tip) this.#heads.writeHead(no, tip);
      else this.#heads.clearHead(no);
    }
    this.#heads.writeCounter(this.#counter);
  }
}
