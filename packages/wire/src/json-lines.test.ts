// Lines survive any cutting of their bytes; caps, broken UTF-8 and broken JSON end the stream with a named fault.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createJsonLineDecoder,
  createLineDecoder,
  type Decoded,
  encodeJsonLine,
  type LineFault,
} from './json-lines.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function decodeAll<T>(
  decoder: { push(chunk: Uint8Array): Decoded<T>; end(): Decoded<T> },
  chunks: readonly Uint8Array[],
): { items: T[]; fault: LineFault | undefined } {
  const results = [...chunks.map((chunk) => decoder.push(chunk)), decoder.end()];
  return { items: results.flatMap(({ items }) => items), fault: results.at(-1)?.fault };
}

/** `whole` cut at the given places, in any order and with repeats. */
function cutAt(whole: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return places.slice(1).map((place, index) => whole.slice(places[index], place));
}

const anyLine = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((line) => !/[\r\n\uFEFF]/.test(line));

test('any cutting of the bytes gives the same lines', () => {
  const lineEnd = fc.constantFrom('\n', '\r\n');
  const cuts = fc.array(fc.nat(1_000), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(fc.tuple(anyLine, lineEnd)), anyLine, cuts, (lines, last, places) => {
      const text = lines.map(([line, end]) => line + end).join('') + last;
      const expected = [...lines.map(([line]) => line), ...(last === '' ? [] : [last])];
      const read = decodeAll(createLineDecoder({ maxLineBytes: 1_000 }), cutAt(bytes(text), places));
      expect(read).toEqual({ items: expected, fault: undefined });
    }),
  );
});

test('every JSON value survives the encoder, the cutting and the decoder', () => {
  const cuts = fc.array(fc.nat(5_000), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ stringUnit: 'binary' }), { maxLength: 6 }), cuts, (values, places) => {
      const lines = values.map(encodeJsonLine);
      for (const line of lines) expect(line.indexOf(10)).toBe(line.length - 1);
      const whole = bytes(lines.map((line) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(line)).join(''));
      const read = decodeAll(createJsonLineDecoder({ maxLineBytes: 100_000 }), cutAt(whole, places));
      expect(read.fault).toBeUndefined();
      expect(JSON.stringify(read.items)).toBe(JSON.stringify(values));
    }),
  );
});

describe('the cap', () => {
  test.each([
    ['exactly the cap', 'abcd\n', ['abcd'], undefined],
    ['the cap and CR LF', 'abcd\r\n', ['abcd'], undefined],
    ['the cap without an end', 'abcd', ['abcd'], undefined],
    ['one more', 'abcde\n', [], 'line_too_long'],
    ['one more after a good line', 'ab\nabcde\n', ['ab'], 'line_too_long'],
    ['one more without an end', 'abcde', [], 'line_too_long'],
    ['multibyte by bytes', 'жжж\n', [], 'line_too_long'],
  ])('%s', (_name, text, items, kind) => {
    for (const size of [1, 2, 100]) {
      const whole = bytes(text);
      const places = Array.from({ length: Math.floor(whole.length / size) }, (_, index) => index * size);
      const read = decodeAll(createLineDecoder({ maxLineBytes: 4 }), cutAt(whole, places));
      expect({ items: read.items, kind: read.fault?.kind }).toEqual({ items, kind });
    }
  });

  test('bounds what is held, so that an endless line takes no endless memory', () => {
    const decoder = createLineDecoder({ maxLineBytes: 100 });
    const results = Array.from({ length: 50 }, () => decoder.push(bytes('x'.repeat(30))));
    expect(results.at(-1)?.fault).toMatchObject({ kind: 'line_too_long', line: 1 });
    expect(decoder.pendingBytes).toBe(0);
  });
});

test('a chunk may be reused by its owner', () => {
  const decoder = createLineDecoder({ maxLineBytes: 100 });
  const chunk = bytes('half');
  decoder.push(chunk);
  chunk.fill(0x21);
  expect(decoder.push(bytes(' done\n')).items).toEqual(['half done']);
});

test('a byte order mark goes at the start and stays elsewhere', () => {
  const read = decodeAll(createLineDecoder({ maxLineBytes: 100 }), [bytes('\uFEFFa\n\uFEFFb\n')]);
  expect(read.items).toEqual(['a', '\uFEFFb']);
});

test('broken UTF-8 is a fault with its line, and nothing comes after it', () => {
  const decoder = createJsonLineDecoder({ maxLineBytes: 100 });
  expect(decoder.push(bytes('1\n'))).toEqual({ items: [1] });
  const broken = decoder.push(Uint8Array.from([0x22, 0xff, 0x22, 10, 0x33, 10]));
  expect(broken).toMatchObject({ items: [], fault: { kind: 'invalid_utf8', line: 2 } });
  expect(decoder.push(bytes('3\n'))).toEqual(broken);
  expect(decoder.end()).toEqual(broken);
});

test('broken JSON is a fault after the good values, and its text is not quoted', () => {
  const decoder = createJsonLineDecoder({ maxLineBytes: 100 });
  const read = decoder.push(bytes('{"a":1}\n\n  \r\n{"secret\n4\n'));
  expect(read.items).toEqual([{ a: 1 }]);
  expect(read.fault).toEqual({ kind: 'invalid_json', line: 4, message: 'Line 4 is not JSON.' });
  expect(decoder.push(bytes('5\n')).items).toEqual([]);
});

test('a value without a JSON form is the caller’s bug', () => {
  expect(() => encodeJsonLine(undefined)).toThrow(TypeError);
  expect(() => encodeJsonLine(1n)).toThrow(TypeError);
});
