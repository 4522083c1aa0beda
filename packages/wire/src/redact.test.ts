// What gives a host away goes; URLs, slugs, fractions and the caller's own arguments stay.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactText, redactValue } from './redact.ts';

describe('goes', () => {
  test.each([
    ['/home/alice-example/.gbrain/brain.pglite is locked', '<path> is locked'],
    ['open "/srv/my brain/data base/x.db" failed', 'open "<path>" failed'],
    ['at /home/alice-example/.gbrain.', 'at <path>.'],
    ['(see /etc/hosts)', '(see <path>)'],
    ['--dir=/var/lib/gbrain', '--dir=<path>'],
    ['in /tmp', 'in <path>'],
    ['in ~/.gbrain/config.json', 'in <path>'],
    ['file:///home/x/y.md', '<path>'],
    ['C:\\Users\\alice\\brain', '<path>'],
    ['D:/brains/a', '<path>'],
    ['\\\\server\\share\\a', '<path>'],
    ["'/data/brain','/data/other'", "'<path>','<path>'"],
    ['error:/home/alice/x.db', 'error:<path>'],
    ['位于/home/alice/笔记/a.md', '位于<path>'],
    ['scp host:/srv/a/b', 'scp host:<path>'],
    ['//srv/a/b', '<path>'],
    ['held by PID 48213', 'held by PID <redacted>'],
    ['pid=7, pid: 8', 'pid=<redacted>, pid: <redacted>'],
    ['set OPENAI_API_KEY or MY_TOKEN', 'set <provider key> or <provider key>'],
    ['postgres://user:secret@db.example:5432/brain', 'postgres://<redacted>@db.example:5432/brain'],
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });
});

describe('stays', () => {
  test.each([
    'https://docs.example/blob/v1/docs/guides/error-codes.md#a',
    'http://[::1]:3000/mcp/x',
    'people/alice-example and notes/2026/a',
    'updated/created',
    'люди/алиса/заметка и 人物/小明/笔记',
    'gbrain://capabilities/x/y',
    'http://[::1]/a/b',
    'POST /mcp or GET /health',
    'GET /v1/sessions/{id} and /.well-known/oauth-protected-resource',
    'about 1/2 of 3/4',
    '10/12/2026',
    'a PID file',
    'search.mode, gbrain://capabilities',
    'ctrl+c / ctrl+d',
  ])('%s', (text) => {
    expect(redactText(text)).toBe(text);
  });
});

test('keys that describe the host are dropped at every depth', () => {
  const value = { pid: 1, a: [{ lock_owner: {}, path: '/x', kept: 'in /home/a/b' }], data_dir: '', asset: '', n: null };
  expect(redactValue({ ...value, database_path: 'x' })).toEqual({ a: [{ kept: 'in <path>' }], n: null });
});

test('redacting twice changes nothing more, and no root survives', () => {
  const piece = fc.constantFrom(
    '/home/',
    'alice',
    '/',
    ' ',
    '"',
    '~/',
    'C:\\',
    'PID 7',
    '.md',
    'A_TOKEN',
    ':',
    '\\',
    '=',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const once = redactText(pieces.join(''));
      expect(redactText(once)).toBe(once);
    }),
    { numRuns: 2_000 },
  );
});

test('a long hostile text is redacted in linear time', () => {
  const sizes = ['/', '/a', '/a b', '~/', ' a/', '\\', '/a b c d '].map(
    (unit) => redactText(unit.repeat(20_000)).length,
  );
  expect(sizes.every((size) => size >= 0)).toBe(true);
});
