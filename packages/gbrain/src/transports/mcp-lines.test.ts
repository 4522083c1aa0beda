// A pipe's lines come out whole however they are cut, and one beyond the bound costs its sender an answer, nobody else.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundedLines, edgeId } from './mcp-lines.ts';

function read(text: string, sizes: readonly number[], maxBytes: number) {
  const lines: string[] = [];
  const long: unknown[] = [];
  const reader = {
    onLine: (line: Buffer) => void lines.push(line.toString()),
    onTooLong: (id: unknown) => void long.push(id),
  };
  const bounded = new BoundedLines(reader, maxBytes);
  const bytes = Buffer.from(text);
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    bounded.push(bytes.subarray(at, at + size));
    at += size;
  }
  return { lines, long };
}

test('law: short lines come whole, long ones as their ids, in any cutting', () => {
  const line = fc.record({
    id: fc.integer({ min: 0, max: 1e9 }),
    size: fc.integer({ min: 0, max: 4_000 }),
    isIdLast: fc.boolean(),
  });
  const cuts = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), cuts, (all, sizes) => {
      const texts = all.map(({ id, size, isIdLast }) => {
        const params = { text: 'ä"\\'.repeat(size / 3) };
        const message = isIdLast ? { method: 'm', params, jsonrpc: '2.0', id } : { jsonrpc: '2.0', id, params };
        return `${JSON.stringify(message)}\n`;
      });
      const max = 3_000;
      const { lines, long } = read(texts.join(''), sizes, max);
      const isLong = (text: string) => Buffer.byteLength(text) > max;
      expect(lines).toEqual(texts.filter((text) => !isLong(text)));
      expect(long).toEqual(all.filter((_, i) => isLong(texts[i]!)).map(({ id }) => id));
    }),
  );
});

test('an id is a number or a text at either end, and nothing inside is taken for one', () => {
  expect(edgeId('{"id":"a\\"b","method":"x"', '')).toBe('a"b');
  expect(edgeId('{"jsonrpc":"2.0","id":7,"x"', '"id":8}\n')).toBe(7);
  expect(edgeId('{"method":"x","params":{"id":3', '"}},"jsonrpc":"2.0","id":9}\n')).toBe(9);
  expect(edgeId('{"params":{"id":3,"y":"', 'z"}}\n')).toBeUndefined();
});
