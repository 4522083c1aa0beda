// Foreign errors of the engines, the driver and the file system, mapped once to the closed set of store faults.
// Raw text stays in `cause`; the messages here are ours and carry no data.
import type { ServerError } from './protocol.ts';
import { StoreError, type StoreFault } from './store.ts';

const messages: Record<StoreFault, string> = {
  unique_violation: 'A row with this key exists already',
  foreign_key_violation: 'A row that this one refers to does not exist, or is still referred to',
  check_violation: 'A value is outside what its column allows',
  serialization: 'Another transaction changed the same rows at the same time',
  timeout: 'The database did not answer within the time allowed',
  aborted: 'The call was cancelled before its transaction was committed',
  disk_full: 'There is no space left where the database lives',
  read_only: 'The place where the database lives cannot be written',
  unreachable: 'The database cannot be reached',
  auth_failed: 'The database refused this user',
  schema_missing: 'A table or column that this version needs is not in the database',
  schema_newer: 'A newer version of gbrain has changed this database',
  schema_changed: 'A migration in this database is not the one that this version of gbrain ships',
  incompatible: 'This database folder was made by another version',
  damaged: 'The files of the database are damaged',
  closed: 'The store is closed',
  outcome_unknown: 'The connection ended after the write was sent; it may or may not have been committed',
  other: 'The database refused the statement',
};

/** A StoreError in our words; `cause` keeps the foreign error and `at` the constraint, SQLSTATE or path. */
export function storeError(
  fault: StoreFault,
  detail: { cause?: unknown; at?: string; message?: string } = {},
): StoreError {
  const { message = messages[fault], ...rest } = detail;
  return new StoreError(fault, message, rest);
}

const byCode: Record<string, StoreFault> = {
  '23502': 'check_violation',
  '23503': 'foreign_key_violation',
  '23505': 'unique_violation',
  '23514': 'check_violation',
  '23P01': 'unique_violation',
  '25006': 'read_only',
  '25P03': 'timeout',
  '25P04': 'timeout',
  '3D000': 'unreachable',
  '3F000': 'schema_missing',
  '40001': 'serialization',
  '40P01': 'serialization',
  '42703': 'schema_missing',
  '42P01': 'schema_missing',
  '53100': 'disk_full',
  '53300': 'unreachable',
  '53400': 'unreachable',
  '55P03': 'timeout',
  '57014': 'timeout',
  '57P01': 'unreachable',
  '57P02': 'unreachable',
  '57P03': 'unreachable',
  '57P04': 'unreachable',
  '58P01': 'damaged',
  XX001: 'damaged',
  XX002: 'damaged',
};

const byClass: Record<string, StoreFault> = { '08': 'unreachable', '28': 'auth_failed' };

/** The fault of an error that the server itself reported. Source: PostgreSQL manual, "Error Codes". */
export function faultOfServer(error: ServerError): StoreFault {
  // Postgres reports a folder without permission and a table without grant alike; only the first names a file.
  if (error.code === '42501')
    return /\b(file|directory|file system)\b/.test(error.message) ? 'read_only' : 'auth_failed';
  return byCode[error.code] ?? byClass[error.code.slice(0, 2)] ?? faultOfLog(error.message) ?? 'other';
}

/** Converts an error that the server reported; a statement that `signal` had cancelled gives the signal's reason. */
export function fromServer(error: ServerError, signal?: AbortSignal): StoreError {
  if (error.code === '57014' && signal?.aborted) return signal.reason as StoreError;
  return storeError(faultOfServer(error), { cause: error, at: error.constraint ?? error.code });
}

const byErrno: Record<string, StoreFault> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  // A limit on the size of files, where one is set.
  EFBIG: 'disk_full',
  EROFS: 'read_only',
  EACCES: 'read_only',
  EPERM: 'read_only',
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  ETIMEDOUT: 'unreachable',
  EPIPE: 'unreachable',
};

/** Converts an error of the operating system, or gives undefined when its code says nothing of the store. */
export function fromSystem(error: unknown, at?: string): StoreError | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  const fault = typeof code === 'string' ? byErrno[code] : undefined;
  if (!fault) return undefined;
  return storeError(fault, { cause: error, at: at ?? String(code) });
}

const logPatterns: [RegExp, StoreFault][] = [
  [/no space left on device|disk quota exceeded|file too large/i, 'disk_full'],
  [/read-only file system|permission denied/i, 'read_only'],
  [/database files are incompatible|was initialized by|not compatible with this version/i, 'damaged'],
  [/checkpoint record|invalid page|checksum|could not (open|read|access|stat|find)|missing|corrupt/i, 'damaged'],
  [
    /invalid (record|magic|data)|not a valid data directory|unexpected (data|pageaddr)|wrong (ownership|size)/i,
    'damaged',
  ],
];

/** The fault that a line of the engine's own log speaks of, or undefined. The last resort: text is all it gives. */
export function faultOfLog(text: string): StoreFault | undefined {
  return logPatterns.find(([pattern]) => pattern.test(text))?.[1];
}
