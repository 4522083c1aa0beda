// Frames survive any cut of the stream; what is no frame is told apart from what is.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ClientFrame,
  createFrameDecoder,
  encodeFrame,
  FrameTooLarge,
  isSameSecret,
  MalformedFrame,
  type OwnerFrame,
  parseClientFrame,
  parseOwnerFrame,
  readFrames,
} from './frames.ts';

const id = fc.integer({ min: 1, max: 2 ** 31 });
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const clientFrame: fc.Arbitrary<ClientFrame> = fc.oneof(
  fc.record({
    type: fc.constant('hello' as const),
    protocol: fc.nat(),
    version: fc.string(),
    secret: fc.string(),
    caller: json,
  }),
  fc.record({ type: fc.constant('call' as const), id, call: json, stdin: fc.boolean() }),
  fc.record({ type: fc.constant('stdin' as const), id, chunk: fc.base64String() }),
  fc.record({ type: fc.constant('stdin' as const), id, end: fc.constant(true as const) }),
  fc.record({ type: fc.constant('stdin' as const), id, error: fc.string() }),
  fc.record({ type: fc.constant('cancel' as const), id }),
);
const ownerFrame: fc.Arbitrary<OwnerFrame> = fc.oneof(
  fc.record({ type: fc.constant('progress' as const), id, value: json }),
  fc.record({ type: fc.constant('outcome' as const), id, outcome: json }),
  fc.record({ type: fc.constant('want_stdin' as const), id }),
  fc.record({ type: fc.constant('declined' as const), id, reason: fc.constantFrom('busy' as const, 'draining') }),
  fc.constant({ type: 'draining' as const }),
);

function readAll(bytes: Buffer, cuts: readonly number[], bytesMax?: number): unknown[] {
  const decoder = createFrameDecoder(bytesMax);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const pieces = [...ends, bytes.length].map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
  return pieces.flatMap((piece) => [...readFrames(decoder, piece)]);
}

describe('readFrames', () => {
  test('gives every frame once and in order, wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(clientFrame), fc.array(fc.nat()), (frames, cuts) => {
        const bytes = Buffer.concat(frames.map(encodeFrame));
        expect(readAll(bytes, cuts).map(parseClientFrame)).toEqual(frames);
      }),
    );
    fc.assert(
      fc.property(fc.array(ownerFrame), fc.array(fc.nat()), (frames, cuts) => {
        const bytes = Buffer.concat(frames.map(encodeFrame));
        expect(readAll(bytes, cuts).map(parseOwnerFrame)).toEqual(frames);
      }),
    );
  });

  test('refuses a line that is too long before it is complete', () => {
    const line = Buffer.from('"12345678"\n');
    expect(readAll(line, [3], line.length - 1)).toEqual(['12345678']);
    expect(() => readAll(line, [3], line.length - 2)).toThrow(MalformedFrame);
    expect(() => readAll(Buffer.alloc(100, 'x'), [], 50)).toThrow(MalformedFrame);
  });

  test('gives what was good before what is not', () => {
    const seen: unknown[] = [];
    const read = () => {
      for (const value of readFrames(createFrameDecoder(), Buffer.from('1\n2\nx\n3\n'))) seen.push(value);
    };
    expect(read).toThrow(MalformedFrame);
    expect(seen).toEqual([1, 2]);
  });

  test.each([
    ['no JSON', Buffer.from('{"type":\n')],
    ['broken UTF-8', Buffer.from([0x22, 0xff, 0x22, 10])],
  ])('refuses %s', (_, bytes) => {
    expect(() => readAll(bytes, [])).toThrow(MalformedFrame);
  });
});

test('frames of unknown shape are malformed', () => {
  const bad: unknown[] = [
    null,
    [],
    'hello',
    {},
    { type: 'toString' },
    { type: '__proto__' },
    { type: 'hello', protocol: '1', version: 'x', secret: 's' },
    { type: 'call', id: 0, call: {}, stdin: false },
    { type: 'call', id: 1.5, call: {}, stdin: false },
    { type: 'call', id: 1, stdin: false },
    { type: 'stdin', id: 1 },
    { type: 'stdin', id: 1, chunk: '', end: true },
    { type: 'stdin', id: 1, end: false },
    { type: 'outcome', id: 1, outcome: 1 },
  ];
  for (const value of bad) expect(() => parseClientFrame(value)).toThrow(MalformedFrame);
  expect(() => parseOwnerFrame({ type: 'outcome', id: 1 })).toThrow(MalformedFrame);
});

test('a frame past the limit is not encoded', () => {
  const outcome = 'x'.repeat(64 * 1024 * 1024);
  expect(() => encodeFrame({ type: 'outcome', id: 1, outcome })).toThrow(FrameTooLarge);
});

test('secrets compare by content', () => {
  expect(isSameSecret('abc', 'abc')).toBe(true);
  for (const other of ['', 'ab', 'abd', 'abcd', 'ABC']) expect(isSameSecret(other, 'abc')).toBe(false);
});
