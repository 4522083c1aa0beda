// Equal values have one text, different values have two, and what has no JSON form is refused.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CANONICAL_DEPTH_MAX, canonicalJson } from './canonical-json.ts';

/** The same value with the members of every object in another order. */
function shuffle(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffle);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffle(item)]),
  );
}

test('the order of members is no part of the text, and nothing is lost', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(shuffle(value))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});

test('different values have different texts', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      let same = true;
      try {
        expect(plain(a)).toEqual(plain(b));
      } catch {
        same = false;
      }
      expect(canonicalJson(a) === canonicalJson(b)).toBe(same);
    }),
  );
});

test.each<[unknown, string]>([
  [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
  // From RFC 8785: order is by UTF-16 code units, not by code points.
  [
    { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 },
    '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
  ],
  [[333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0], '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]'],
  [{ a: undefined, b: [undefined], c: () => 1 }, '{"b":[null]}'],
  [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ['\ud800', '"\\ud800"'],
  [JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
])('%j', (value, expected) => {
  expect(canonicalJson(value)).toBe(expected);
});

describe('refusals', () => {
  test.each([[undefined], [Number.NaN], [Number.POSITIVE_INFINITY], [1n], [[1n]], [() => 1]])('%s', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  test('of what is nested too deep, without exhausting the stack', () => {
    const nest = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    expect(canonicalJson(nest(CANONICAL_DEPTH_MAX))).toHaveLength(CANONICAL_DEPTH_MAX * 2);
    expect(() => canonicalJson(nest(100_000))).toThrow(RangeError);
  });
});
