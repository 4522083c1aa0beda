// What a POSIX shell reads back from a quoted argv.
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellQuote, shellQuoteWord } from './shell-quote.ts';

test.each([
  ['gbrain', 'gbrain'],
  ['--max-usd=0.60', '--max-usd=0.60'],
  ['', "''"],
  ['<usd>', "'<usd>'"],
  ["it's", "'it'\\''s'"],
  ['a b', "'a b'"],
  ['$HOME', "'$HOME'"],
  ['ж', "'ж'"],
])('%s is written %s', (word, expected) => {
  expect(shellQuoteWord(word)).toBe(expected);
});

test('a first word with = is no assignment', () => {
  expect(shellQuote(['A=b', 'c=d'])).toBe("'A=b' c=d");
});

test('a shell reads back exactly the words that were quoted', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const script = `printf '%s\\0' ${shellQuote(['x', ...words]).slice(2)}`;
      const read = execFileSync('/bin/sh', ['-c', script]).toString('utf8').split('\0').slice(0, -1);
      expect(read).toEqual(words);
    }),
    { numRuns: 60 },
  );
});
