// Positions are true, cuts never break a character, and a flattened text has one line.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  byteLength,
  ellipsize,
  findTextFault,
  findTextFaultIn,
  flattenLine,
  truncateBytes,
  truncateUnits,
} from './text.ts';

/** Any string at all: lone surrogates and NUL included. */
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });
const goodText = fc.string({ unit: 'binary', maxLength: 30 });

describe('faults', () => {
  test.each([
    ['plain', undefined],
    ['😀 grin', undefined],
    ['a\0b', { kind: 'nul', index: 1, line: 1, column: 2 }],
    ['\uD83D', { kind: 'lone_surrogate', index: 0, line: 1, column: 1 }],
    ['\uDE00\uD83D', { kind: 'lone_surrogate', index: 0, line: 1, column: 1 }],
    ['é😀\n😀x\uD83Dy', { kind: 'lone_surrogate', index: 7, line: 2, column: 3 }],
    ['a\n\nb\uDE00\0', { kind: 'lone_surrogate', index: 4, line: 3, column: 2 }],
  ])('of %j', (text, expected) => {
    expect(findTextFault(text)).toEqual(expected);
  });

  test('are found exactly where a store or a codec would change or refuse the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const survives = new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text)) === text;
        const fault = findTextFault(text);
        expect(fault === undefined).toBe(survives && !text.includes('\0'));
        if (fault === undefined) return;
        expect(findTextFault(text.slice(0, fault.index))).toBeUndefined();
        expect(text.split('\n')[fault.line - 1]).toBeDefined();
      }),
    );
  });

  test('inside a JSON value come with their path, first in reading order', () => {
    expect(findTextFaultIn({ a: [1, 'ok', { b: 'x\0' }], c: '\0' })).toMatchObject({ path: ['a', 2, 'b'], index: 1 });
    expect(findTextFaultIn({ a: 'ok', 'k\0': 1, z: '\0' })).toMatchObject({ path: ['k\0'], kind: 'nul' });
    expect(findTextFaultIn({ a: '\0', 'k\0': 1 })).toMatchObject({ path: ['a'] });
    expect(findTextFaultIn('\0')).toMatchObject({ path: [] });
    expect(findTextFaultIn([null, 1, true, 'ok', {}])).toBeUndefined();
  });

  test('inside a value nested deeper than the stack are found all the same', () => {
    let value: unknown = 'x\0';
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];
    expect(findTextFaultIn(value)?.path).toHaveLength(100_000);
  });
});

describe('cutting', () => {
  test('keeps a prefix that fits and is well formed, and never cuts more than it must', () => {
    fc.assert(
      fc.property(goodText, fc.nat(40), (text, max) => {
        for (const cut of [truncateUnits(text, max), truncateBytes(text, max)]) {
          expect(text.startsWith(cut)).toBe(true);
          expect(cut.isWellFormed()).toBe(true);
        }
        const units = truncateUnits(text, max);
        expect(units.length).toBeLessThanOrEqual(max);
        expect(units.length).toBeGreaterThanOrEqual(Math.min(text.length, max - 1));
        const bytes = truncateBytes(text, max);
        expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(max);
        expect(Buffer.byteLength(bytes)).toBeGreaterThanOrEqual(Math.min(Buffer.byteLength(text), max - 3));
      }),
    );
  });

  test('with an ellipsis stays inside the bound', () => {
    expect([ellipsize('abcd', 4), ellipsize('abcd', 3), ellipsize('a😀b', 3), ellipsize('abcd', 0)]).toEqual([
      'abcd',
      'ab…',
      'a…',
      '',
    ]);
  });

  test('byte lengths are those of UTF-8', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, goodText), (text) => {
        expect(byteLength(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });
});

test.each([
  ['  a\r\n\tb \u2028 c ', 'a b c'],
  ['\x1b[31mred\x1b[0m text', 'red text'],
  ['\x1b]0;title\x07shown', 'shown'],
  ['a\x00b\x85c', 'a b c'],
  ['\uD83Dx', '\uFFFDx'],
])('%j is flattened to %j', (text, expected) => {
  expect(flattenLine(text)).toBe(expected);
});

test('flattening leaves no control character, and a second time changes nothing', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const flat = flattenLine(text);
      expect(flat).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/);
      expect(flattenLine(flat)).toBe(flat);
    }),
  );
});
