// Codes that both servers raise, the frozen pairs, and how a client reads a code.
import { describe, expect, test } from 'vitest';
import { errorValue, FROZEN_PAIRS, readCode, SHARED_CODES, type SharedCode, sharedFailure } from './codes.ts';

const CODES = Object.keys(SHARED_CODES) as SharedCode[];

test.each(CODES)('%s has a coherent row', (code) => {
  const row = SHARED_CODES[code];
  expect(code).toMatch(/^[a-z][a-z0-9_]*$/);
  expect(row.retryable).toBe(row.class === 'retryable');
  expect(row.httpStatus >= 400 && row.httpStatus < 600).toBe(true);
  if (row.class === 'caller' || row.class === 'host_only') expect(row.httpStatus).toBeLessThan(500);
  if (row.class === 'server' || row.class === 'unavailable') expect(row.httpStatus).toBeGreaterThanOrEqual(500);
  expect(row.message.endsWith('.') && row.suggestion.endsWith('.')).toBe(true);
});

test('exit codes are those of the table', () => {
  const special = CODES.filter((code) => SHARED_CODES[code].exit !== 1).map((code) => [code, SHARED_CODES[code].exit]);
  expect(Object.fromEntries(special)).toEqual({ invalid_params: 2, parse_error: 2, timeout: 124, interrupted: 130 });
});

test('a failure of a shared code is a whole failure', () => {
  expect(sharedFailure('payload_too_large', { message: 'The body is over 32 MiB.' })).toEqual({
    code: 'payload_too_large',
    class: 'caller',
    retryable: false,
    exit: 1,
    httpStatus: 413,
    message: 'The body is over 32 MiB.',
    suggestion: SHARED_CODES.payload_too_large.suggestion,
    notices: [],
  });
});

describe('the frozen pairs', () => {
  test('are four, and stay what they are', () => {
    expect(FROZEN_PAIRS.map(({ errors, code }) => [errors, code])).toEqual([
      [['unknown_operation'], 'unknown_tool'],
      [['invalid_params'], 'not_found'],
      [['page_identity_changed'], 'page_not_found'],
      [['permission_denied', 'missing_scope'], 'insufficient_scope'],
    ]);
  });

  test('decide the value of error', () => {
    expect(errorValue({ code: 'x' }, 'http')).toBe('x');
    expect(errorValue({ code: 'insufficient_scope', legacyError: 'missing_scope' }, 'stdio')).toBe('missing_scope');
    expect(errorValue({ code: 'unknown_tool', legacyError: 'unknown_operation' }, 'stdio')).toBe('unknown_tool');
    expect(errorValue({ code: 'unknown_tool', legacyError: 'unknown_operation' }, 'http')).toBe('unknown_operation');
  });
});

test.each<[unknown, string | undefined]>([
  [{ error: 'invalid_params', code: 'not_found' }, 'not_found'],
  [{ error: 'invalid_params' }, 'invalid_params'],
  [{ error: { class: 'UsageError', code: 'c', message: '' } }, 'c'],
  [{ error: { class: 'UsageError', code: 'c' }, code: 'd' }, 'd'],
  [{ error: {} }, undefined],
  [{ ok: true }, undefined],
  ['text', undefined],
  [null, undefined],
])('the code of %j is %s', (document, code) => {
  expect(readCode(document)).toBe(code);
});
