// Each foreign error has one fault, and no foreign word reaches our messages.
import { describe, expect, test } from 'vitest';
import { faultOfLog, faultOfServer, fromServer, fromSystem, storeError } from './faults.ts';
import type { StoreFault } from './store.ts';

describe('errors of a server', () => {
  test.each<[code: string, message: string, fault: StoreFault]>([
    ['23505', 'duplicate key', 'unique_violation'],
    ['40P01', 'deadlock detected', 'serialization'],
    ['42501', 'could not open file "base/5/1": Permission denied', 'read_only'],
    ['42501', 'permission denied for table pages', 'auth_failed'],
    ['42P01', 'relation "pages" does not exist', 'schema_missing'],
    ['53100', 'could not extend file', 'disk_full'],
    ['53300', 'too many clients', 'unreachable'],
    ['57P03', 'the database system is starting up', 'unreachable'],
    ['08006', 'connection failure', 'unreachable'],
    ['28000', 'no pg_hba.conf entry', 'auth_failed'],
    ['XX001', 'invalid page in block 3', 'damaged'],
    ['58030', 'could not write: No space left on device', 'disk_full'],
    ['XX000', 'cache lookup failed', 'other'],
  ])('%s %s', (code, message, fault) => {
    expect(faultOfServer({ severity: 'ERROR', code, message })).toBe(fault);
  });

  test('keep their text in the cause only', () => {
    const raw = { severity: 'ERROR', code: '23505', message: 'Key (slug)=(people/secret)', constraint: 'pages_key' };
    const error = fromServer(raw);
    expect(error).toMatchObject({ fault: 'unique_violation', at: 'pages_key', cause: raw });
    expect(error.message).not.toContain('secret');
  });

  test('a cancel gives the reason of whoever cancelled, and a timeout otherwise', () => {
    const cancelled = { severity: 'ERROR', code: '57014', message: 'canceling statement' };
    const reason = storeError('aborted');
    expect(fromServer(cancelled, AbortSignal.abort(reason))).toBe(reason);
    expect(fromServer(cancelled, new AbortController().signal).fault).toBe('timeout');
  });
});

test.each<[line: string, fault: StoreFault | undefined]>([
  ['PANIC:  could not locate a valid checkpoint record at 0/4000028', 'damaged'],
  ['FATAL:  could not open file "global/pg_filenode.map": No such file or directory', 'damaged'],
  ['PANIC:  could not write to file "pg_wal/xlogtemp.42": No space left on device', 'disk_full'],
  ['FATAL:  could not open file "postmaster.pid": Read-only file system', 'read_only'],
  ['FATAL:  database files are incompatible with server', 'damaged'],
  ['LOG:  database system was shut down at 2026-11-30', undefined],
])('the log line %s', (line, fault) => {
  expect(faultOfLog(line)).toBe(fault);
});

test.each<[code: string | undefined, fault: StoreFault | undefined]>([
  ['ENOSPC', 'disk_full'],
  ['EROFS', 'read_only'],
  ['ECONNREFUSED', 'unreachable'],
  ['EISDIR', undefined],
  [undefined, undefined],
])('the system error %s', (code, fault) => {
  expect(fromSystem(Object.assign(new Error('raw'), { code }))?.fault).toBe(fault);
});
