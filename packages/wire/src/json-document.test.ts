// A `--json` command always leaves one document, and a read that was cut short never looks like an empty one.
import { describe, expect, test } from 'vitest';
import {
  cutReadDocument,
  cutReadLine,
  decideFallback,
  readCompleteness,
  readingLine,
  STILL_READING_MS,
  stillReadingLine,
} from './json-document.ts';

describe('the fallback', () => {
  const end = { command: 'sources status', exit: 1, wroteDocument: false };

  test('is owed when a failed command wrote nothing', () => {
    const document = decideFallback(end);
    expect(Object.keys(document ?? {})).toEqual([
      ...['error', 'code', 'message', 'suggestion', 'exit_code', 'contract_version'],
    ]);
    expect(document).toMatchObject({
      error: 'command_failed',
      code: 'command_failed',
      exit_code: 1,
      contract_version: 1,
    });
  });

  test('carries the last code that was shown', () => {
    expect(decideFallback({ ...end, lastCode: 'no_brain' })).toMatchObject({
      error: 'command_failed',
      code: 'no_brain',
    });
  });

  test.each([129, 130, 143])('of exit %d says interrupted, whatever was shown before', (exit) => {
    const document = decideFallback({ ...end, exit, lastCode: 'no_brain' });
    expect(document).toMatchObject({ error: 'interrupted', code: 'interrupted', exit_code: exit });
  });

  test('is not owed by a command that wrote its document or succeeded', () => {
    expect(decideFallback({ ...end, wroteDocument: true })).toBeUndefined();
    expect(decideFallback({ ...end, exit: 0 })).toBeUndefined();
    expect(decideFallback({ ...end, exit: 130, wroteDocument: true })).toBeUndefined();
  });
});

describe('a slow read', () => {
  test('that read everything has no incomplete key', () => {
    expect(readCompleteness(12.6, [])).toEqual({ elapsed_ms: 13, complete: true });
  });

  test('that did not names each field once', () => {
    const read = readCompleteness(-1, [
      { field: 'lag', reason: 'not_read' },
      { field: 'pages', reason: 'bounded' },
      { field: 'lag', reason: 'budget' },
    ]);
    expect(read).toEqual({
      elapsed_ms: 0,
      complete: false,
      incomplete: [
        { field: 'lag', reason: 'budget' },
        { field: 'pages', reason: 'bounded' },
      ],
    });
  });

  test('says on stderr what it reads and that it goes on', () => {
    expect(readingLine('orphans')).toBe('[gbrain] reading orphans; large brains can take minutes');
    expect(stillReadingLine('orphans', 2 * STILL_READING_MS)).toBe('[gbrain] still reading orphans (20 s)');
  });

  test('that a signal cuts says so at once', () => {
    const cut = { signal: 'SIGTERM' as const, read: 'orphans', elapsedMs: 12_400.4 };
    expect(cutReadLine(cut)).toBe('[gbrain] Interrupted by SIGTERM after 12 s while reading orphans');
    expect(cutReadDocument(cut)).toEqual({
      error: 'interrupted',
      code: 'interrupted',
      signal: 'SIGTERM',
      read: 'orphans',
      elapsed_ms: 12_400,
      complete: false,
      contract_version: 1,
    });
  });
});
