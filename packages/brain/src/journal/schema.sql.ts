// The tables of journal.db and sealed.db, and the statements of the writer. Nothing is opened here.

/** Settings of the journal: a commit returns only after its sync. */
export const JOURNAL_PRAGMAS = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA wal_autocheckpoint = 0',
  'PRAGMA temp_store = MEMORY',
  'PRAGMA cache_size = -32000',
  'PRAGMA foreign_keys = OFF',
];

/** Tables of journal.db. `no` names a session inside the file and is never used again. */
export const JOURNAL_TABLES = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL UNIQUE,
  agentloop TEXT NOT NULL,
  status TEXT NOT NULL,
  last_sequence INTEGER NOT NULL,
  at_rest INTEGER NOT NULL,
  chain BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS sessions_unrest ON sessions (session_id) WHERE at_rest = 0;
CREATE TABLE IF NOT EXISTS records (
  position INTEGER PRIMARY KEY,
  no INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  recorded_at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  origin TEXT,
  chain BLOB NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS records_order ON records (no, sequence);
CREATE TABLE IF NOT EXISTS requests (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  status INTEGER,
  headers TEXT,
  body TEXT,
  PRIMARY KEY (scope, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS requests_age ON requests (created_at_ms);
CREATE TABLE IF NOT EXISTS hosts (
  host_id TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
`;

/** Tables of sealed.db. A removed value is overwritten. */
export const SEALED_TABLES = `
CREATE TABLE IF NOT EXISTS sealed (
  session_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (session_id, name)
) WITHOUT ROWID;
`;

/** Statements of the writer. */
export const WRITE = {
  counter: 'UPDATE meta SET value = ? WHERE key = ?',
  findSession: 'SELECT no, last_sequence, chain FROM sessions WHERE session_id = ?',
  addSession:
    'INSERT INTO sessions (session_id, agentloop, status, last_sequence, at_rest, chain) VALUES (?, ?, ?, ?, ?, ?)',
  setSession: 'UPDATE sessions SET status = ?, last_sequence = ?, at_rest = ?, chain = ? WHERE no = ?',
  addRecord:
    'INSERT INTO records (no, sequence, recorded_at_ms, kind, payload, origin, chain) VALUES (?, ?, ?, ?, ?, ?, ?)',
  dropRecords: 'DELETE FROM records WHERE no = ?',
  dropSession: 'DELETE FROM sessions WHERE no = ?',
  claim: 'INSERT INTO requests (scope, key, body_hash, created_at_ms) VALUES (?, ?, ?, ?)',
  answer: 'UPDATE requests SET status = ?, headers = ?, body = ? WHERE scope = ? AND key = ?',
  dropClaim: 'DELETE FROM requests WHERE scope = ? AND key = ?',
  expire: 'DELETE FROM requests WHERE created_at_ms < ?',
  addHost: 'INSERT INTO hosts (host_id, token_hash, created_at_ms) VALUES (?, ?, ?)',
  dropHost: 'DELETE FROM hosts WHERE host_id = ?',
} as const;

/** Statements of the reader. */
export const READ = {
  records: `SELECT sequence, recorded_at_ms, kind, payload, origin FROM records
     WHERE no = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
  session: 'SELECT no, session_id, agentloop, status, last_sequence, at_rest FROM sessions WHERE session_id = ?',
  sessions: `SELECT session_id, agentloop, status, last_sequence, at_rest FROM sessions
     WHERE session_id > ? ORDER BY session_id LIMIT ?`,
  unrest: 'SELECT session_id FROM sessions WHERE at_rest = 0 ORDER BY session_id',
  request:
    'SELECT scope, key, body_hash, created_at_ms, status, headers, body FROM requests WHERE scope = ? AND key = ?',
  hosts: 'SELECT host_id, token_hash, created_at_ms FROM hosts ORDER BY host_id',
  sealed: 'SELECT name, value FROM sealed WHERE session_id = ? ORDER BY name',
} as const;
