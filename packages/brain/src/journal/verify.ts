// Checks a data folder without changing it, also beside a live server: chains, heads, folds, sealed values, SQLite.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isSettled } from '../session/command.ts';
import { applyRecord } from '../session/fold.ts';
import { emptyState } from '../session/state.ts';
import { DATA_FORMAT, type DataPaths, readFormat } from './data-dir.ts';
import { type HeadsView, readHeads } from './heads.ts';
import { chainNext, chainStart, fromStored, type StoredRecord } from './record.ts';

/** One thing that is wrong. `sequence` is the first bad record of the session. */
export interface VerifyFinding {
  code: string;
  session_id?: string;
  sequence?: number;
  message: string;
}

/** What was looked at and what was found. `ok` is true when nothing was. */
export interface VerifyReport {
  ok: boolean;
  data_dir: string;
  sessions: number;
  records: number;
  sealed_values: number;
  findings: VerifyFinding[];
}

/** Opens a sealed value; undefined means that it cannot be opened with the key at hand. */
export type Unseal = (sessionId: string, name: string, value: Uint8Array) => string | undefined;

interface SessionTip {
  no: number;
  session_id: string;
  status: string;
  last_sequence: number;
  at_rest: number;
  chain: Uint8Array;
}

/** Reads everything once. `unseal` is absent when the master key is not at hand. */
export function verifyDataDir(paths: DataPaths, unseal: Unseal | undefined): VerifyReport {
  const findings: VerifyFinding[] = [];
  const report = { data_dir: paths.folder, sessions: 0, records: 0, sealed_values: 0 };
  const format = readFormat(paths);
  if (format !== DATA_FORMAT || !existsSync(paths.journal)) {
    const message = format === undefined ? 'This is no data folder of Brain.' : `Its format is ${format}.`;
    return { ok: false, ...report, findings: [{ code: 'data_dir_format', message }] };
  }
  // Read before the snapshot: heads are written after their commit, so a live server cannot make them look ahead.
  const heads = readHeads(paths.heads);
  const journal = new DatabaseSync(paths.journal, { readOnly: true, timeout: 5000 });
  try {
    checkIntegrity(journal, 'journal.db', findings);
    // One snapshot: a live server may go on, its later commits are not seen.
    journal.exec('BEGIN');
    checkCounter(journal, heads, findings);
    const sessions = journal.prepare('SELECT * FROM sessions ORDER BY no').all() as unknown as SessionTip[];
    for (const tip of sessions) {
      report.records += checkSession(journal, tip, findings);
      checkHead(journal, heads, tip, findings);
    }
    report.sessions = sessions.length;
    checkStray(journal, findings);
    report.sealed_values = checkSealed(paths, unseal, findings);
  } catch (error) {
    findings.push({ code: 'unreadable', message: (error as Error).message });
  } finally {
    journal.close();
  }
  return { ok: findings.length === 0, ...report, findings };
}

function checkIntegrity(database: DatabaseSync, name: string, findings: VerifyFinding[]): void {
  for (const row of database.prepare('PRAGMA integrity_check(20)').all()) {
    const message = String(row.integrity_check);
    if (message !== 'ok') findings.push({ code: 'integrity', message: `${name}: ${message}` });
  }
}

/** Walks one session's chain and fold; gives the number of records. Only the first bad record is named. */
function checkSession(journal: DatabaseSync, tip: SessionTip, findings: VerifyFinding[]): number {
  const { session_id, no } = tip;
  const bad = (sequence: number, code: string, message: string) => {
    findings.push({ code, session_id, sequence, message });
  };
  const state = emptyState(session_id);
  let chain = chainStart(session_id);
  let count = 0;
  const rows = journal.prepare('SELECT * FROM records WHERE no = ? ORDER BY sequence').iterate(no);
  for (const row of rows as IterableIterator<Record<string, unknown>>) {
    const stored: StoredRecord = {
      sequence: row.sequence as number,
      recordedAtMs: row.recorded_at_ms as number,
      kind: row.kind as string,
      payload: row.payload as string,
      origin: row.origin as string | null,
    };
    count += 1;
    if (stored.sequence !== count) {
      bad(count, 'missing_record', `Record ${count} is missing; ${stored.sequence} comes next.`);
      return count;
    }
    chain = chainNext(chain, stored);
    if (!same(chain, row.chain as Uint8Array)) {
      bad(count, 'changed_record', `Record ${count} is not what was written.`);
      return count;
    }
    const fault = foldFault(state, stored);
    if (fault) {
      bad(count, 'impossible_record', fault);
      return count;
    }
  }
  if (count !== tip.last_sequence) bad(count + 1, 'missing_record', `Records after ${count} are missing.`);
  else if (!same(chain, tip.chain)) bad(count, 'wrong_head', 'The stored head is not that of the last record.');
  else if (state.status !== tip.status || isSettled(state) !== (tip.at_rest === 1)) {
    bad(count, 'wrong_row', `The session's row says ${tip.status}, its records ${state.status}.`);
  }
  return count;
}

function foldFault(state: ReturnType<typeof emptyState>, stored: StoredRecord): string | undefined {
  try {
    applyRecord(state, fromStored(stored));
    return undefined;
  } catch (error) {
    return `Record ${stored.sequence} does not fit what stands before it: ${(error as Error).message}`;
  }
}

function checkCounter(journal: DatabaseSync, heads: HeadsView, findings: VerifyFinding[]): void {
  const known = heads.counter ?? 0;
  const { value } = journal.prepare("SELECT value FROM meta WHERE key = 'commits'").get() as { value: number };
  if (known <= value) return;
  const message = `The journal has ${value} commits, its heads file knows ${known}: acknowledged records are gone.`;
  findings.push({ code: 'records_lost', message });
}

function checkHead(journal: DatabaseSync, heads: HeadsView, tip: SessionTip, findings: VerifyFinding[]): void {
  const { session_id } = tip;
  const head = heads.findHead(tip.no);
  if (!head) return;
  const { sequence } = head;
  if (sequence > tip.last_sequence) {
    const message = `The heads file knows ${sequence} records, the journal has ${tip.last_sequence}.`;
    findings.push({ code: 'records_lost', session_id, sequence: tip.last_sequence + 1, message });
    return;
  }
  const row = journal.prepare('SELECT chain FROM records WHERE no = ? AND sequence = ?').get(tip.no, sequence);
  if (row && same((row as { chain: Uint8Array }).chain, head.chain)) return;
  findings.push({
    code: 'wrong_head',
    session_id,
    sequence,
    message: 'The record is not the one the heads file knows.',
  });
}

function checkStray(journal: DatabaseSync, findings: VerifyFinding[]): void {
  const sql = 'SELECT COUNT(*) AS count FROM records WHERE no NOT IN (SELECT no FROM sessions)';
  const { count } = journal.prepare(sql).get() as { count: number };
  if (count > 0) findings.push({ code: 'stray_records', message: `${count} records belong to no session.` });
}

function checkSealed(paths: DataPaths, unseal: Unseal | undefined, findings: VerifyFinding[]): number {
  const path = `${paths.sealed}/sealed.db`;
  if (!existsSync(path)) return 0;
  const sealed = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    checkIntegrity(sealed, 'sealed.db', findings);
    const rows = sealed.prepare('SELECT session_id, name, value FROM sealed ORDER BY session_id, name').all();
    for (const row of rows as { session_id: string; name: string; value: Uint8Array }[]) {
      if (!unseal || unseal(row.session_id, row.name, row.value) !== undefined) continue;
      const message = `The sealed value ${row.name} cannot be opened with this master key.`;
      findings.push({ code: 'sealed_value', session_id: row.session_id, message });
    }
    return rows.length;
  } finally {
    sealed.close();
  }
}

function same(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
