// Bytes to text and back, line ends, and the places of what is refused.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  adoptStyle,
  dominantEol,
  fromView,
  MAX_PAGE_BYTES,
  parseText,
  spliceView,
  toBytes,
  toEdge,
  toView,
} from './text-edge.ts';

/** Text of lines with every kind of line end, with or without a byte order mark. */
const fileText = fc
  .tuple(
    fc.constantFrom('', '\ufeff'),
    fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('\n', '\r\n', '\r', ''))),
  )
  .map(([bom, lines]) => bom + lines.flat().join('').replaceAll('\0', ''));

describe('parseText', () => {
  test.each([
    ['a\nb\n', 'a\nb\n', false, '\n'],
    ['a\r\nb\r\n', 'a\nb\n', false, '\r\n'],
    ['a\rb\r', 'a\nb\n', false, '\r'],
    ['\ufeffa\r\nb\nc\r\n', 'a\nb\nc\n', true, '\r\n'],
    ['a\r\nb\n', 'a\nb\n', false, '\n'],
    ['a\r\r\nb', 'a\n\nb', false, '\r\n'],
    ['', '', false, '\n'],
    ['\ufeff\ufeffa', '\ufeffa', true, '\n'],
  ])('%j has the view %j', (text, view, bom, eol) => {
    const expected = { ok: true, edge: { text, view, bom, eol } };
    expect(parseText(text)).toEqual(expected);
    expect(parseText(toBytes(text))).toEqual(expected);
  });

  test.each([
    ['a\0b', 'nul', 1, 1, 2],
    ['ab\r\nc\ud800', 'lone_surrogate', 5, 2, 2],
    ['\udc00\0', 'lone_surrogate', 0, 1, 1],
    ['😀\0\ud800', 'nul', 2, 1, 2],
  ])('the string %j is refused: %s', (text, reason, at, line, column) => {
    expect(parseText(text)).toEqual({ ok: false, reason, at, line, column });
  });

  test.each([
    [[0x61, 0xff], 'invalid_utf8', 1, 1, 2],
    [[0xc0, 0xaf], 'invalid_utf8', 0, 1, 1],
    [[0x61, 0x0a, 0xed, 0xa0, 0x80], 'invalid_utf8', 2, 2, 1],
    [[0xf4, 0x90, 0x80, 0x80], 'invalid_utf8', 0, 1, 1],
    [[0xe2, 0x82], 'invalid_utf8', 0, 1, 1],
    [[0xc3, 0xa9, 0x00], 'nul', 2, 1, 2],
  ])('the bytes %j are refused: %s', (bytes, reason, at, line, column) => {
    expect(parseText(Uint8Array.from(bytes))).toEqual({ ok: false, reason, at, line, column });
  });

  test('the bound counts bytes', () => {
    expect(parseText('a'.repeat(MAX_PAGE_BYTES)).ok).toBe(true);
    expect(parseText('é'.repeat(MAX_PAGE_BYTES / 2 + 1))).toMatchObject({ ok: false, reason: 'too_large' });
  });

  test('law: bytes come back as they were, and agree with the platform on what is UTF-8', () => {
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 8 }), fileText.map(toBytes));
    fc.assert(
      fc.property(bytes, (input) => {
        const result = parseText(input);
        if (result.ok) expect(toBytes(result.edge.text)).toEqual(Uint8Array.from(input));
        let valid = true;
        try {
          new TextDecoder('utf-8', { fatal: true }).decode(input);
        } catch {
          valid = false;
        }
        expect(!result.ok && result.reason === 'invalid_utf8').toBe(!valid);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('views', () => {
  test('law: a file of one style is its view written in that style', () => {
    const uniform = fc.tuple(fileText, fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const), fc.boolean());
    fc.assert(
      fc.property(uniform, ([text, eol, bom]) => {
        const view = toView(text);
        fc.pre(!view.startsWith('\ufeff'));
        const file = fromView(view, { bom, eol });
        expect(toView(file)).toBe(view);
        if (view.includes('\n')) expect(toEdge(file)).toEqual({ text: file, view, bom, eol });
      }),
    );
  });

  test('law: a splice changes its ranges and nothing else', () => {
    const cases = fc.tuple(fileText, fc.array(fc.nat(200), { maxLength: 8 }), fc.constantFrom('', 'x', 'x\ny\n'));
    fc.assert(
      fc.property(cases, ([text, offsets, insert]) => {
        const view = toView(text);
        const borders = offsets.map((at) => at % (view.length + 1)).sort((a, b) => a - b);
        const ranges = borders.flatMap((start, index) =>
          index % 2 === 0 ? [{ start, end: borders[index + 1] ?? start, text: insert }] : [],
        );
        let expected = '';
        let from = 0;
        for (const range of ranges) {
          expected += view.slice(from, range.start) + insert;
          from = range.end;
        }
        const spliced = spliceView(text, ranges);
        expect(toView(spliced)).toBe(expected + view.slice(from));
        const same = ranges.map((range) => ({ ...range, text: view.slice(range.start, range.end) }));
        if (dominantEol(text) === '\n' && !text.includes('\r')) expect(spliceView(text, same)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  test('mixed line ends outside the range stay', () => {
    const text = '\ufeffa\r\nb\nc\r\nd\r\n';
    expect(spliceView(text, [{ start: 2, end: 3, text: 'x\ny' }])).toBe('\ufeffa\r\nx\r\ny\nc\r\nd\r\n');
    expect(spliceView(text, [{ start: 1, end: 2, text: '' }])).toBe('\ufeffab\nc\r\nd\r\n');
  });
});

test.each([
  ['a\nb', '\ufeffx\r\ny', '\ufeffa\r\nb'],
  ['a\nb', 'x\ny', 'a\nb'],
  ['a\r\nb', 'x\ny', 'a\r\nb'],
  ['\ufeffa\nb', 'x\r\ny', '\ufeffa\nb'],
  ['a\nb', '', 'a\nb'],
])('%j over %j is %j', (incoming, stored, text) => {
  expect(adoptStyle(incoming, stored)).toBe(text);
});
