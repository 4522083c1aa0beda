// Events survive encoding, any cutting of the bytes and every line end; the parser follows the standard's examples.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSseDecoder, type DecodedSse, encodeSseComment, encodeSseEvent } from './sse.ts';

function decode(chunks: readonly Uint8Array[], maxEventUnits = 100_000): DecodedSse & { lastEventId: string } {
  const decoder = createSseDecoder({ maxEventUnits });
  const results = chunks.map((chunk) => decoder.push(chunk));
  const fault = results.at(-1)?.fault;
  return {
    events: results.flatMap(({ events }) => events),
    comments: results.flatMap(({ comments }) => comments),
    lastEventId: decoder.lastEventId,
    ...(fault && { fault }),
  };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function check(text: string, expected: [string, string, string][]): void {
  const whole = bytes(text);
  for (const size of [1, 3, whole.length]) {
    const chunks = [];
    for (let at = 0; at < whole.length; at += size) chunks.push(whole.slice(at, at + size));
    const read = decode(chunks).events.map(({ event, data, lastEventId }) => [event, data, lastEventId]);
    expect(read).toEqual(expected);
  }
}

test.each<[string, string, [string, string, string][]]>([
  ['the stock ticker', 'data: YHOO\ndata: +2\ndata: 10\n\n', [['message', 'YHOO\n+2\n10', '']]],
  [
    'an id that is reset',
    'data: a\nid: 1\n\ndata:b\nid\n\n',
    [
      ['message', 'a', '1'],
      ['message', 'b', ''],
    ],
  ],
  ['an incomplete last block', 'data: a\n\ndata: b\n', [['message', 'a', '']]],
  [
    'empty data',
    'data\n\ndata\ndata\n\ndata:',
    [
      ['message', '', ''],
      ['message', '\n', ''],
    ],
  ],
  [
    'one space goes',
    'data:test\n\ndata:  test\n\n',
    [
      ['message', 'test', ''],
      ['message', ' test', ''],
    ],
  ],
  [
    'CR alone',
    'event: x\rdata: 1\r\rdata: 2\r\r',
    [
      ['x', '1', ''],
      ['message', '2', ''],
    ],
  ],
  [
    'CR LF',
    'event: x\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n',
    [
      ['x', '1', ''],
      ['message', '2', ''],
    ],
  ],
  ['a byte order mark', '\uFEFFdata: 1\n\n', [['message', '1', '']]],
  ['an unknown field', 'foo: 1\ndata: 2\n\n', [['message', '2', '']]],
  ['an id with NUL', 'id: 1\n\nid: a\0b\ndata: 2\n\n', [['message', '2', '1']]],
  ['an event without data', 'event: x\nid: 7\n\ndata: 2\n\n', [['message', '2', '7']]],
])('%s', (_name, text, expected) => check(text, expected));

test('any events survive encoding and any cutting', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 10 }).filter((text) => !/[\r\n\0]/.test(text));
  const event = fc.record(
    { id: word, event: word.filter((name) => name !== ''), data: fc.string({ unit: 'grapheme', maxLength: 40 }) },
    { requiredKeys: ['data'] },
  );
  fc.assert(
    fc.property(fc.array(event), fc.array(fc.nat(2_000), { maxLength: 20 }), (events, cuts) => {
      const whole = bytes(events.map((one) => encodeSseEvent(one) + encodeSseComment('tick\ntock')).join(''));
      const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
      const read = decode(places.slice(1).map((place, index) => whole.slice(places[index], place)));
      let last = '';
      const expected = events.map(({ id, event: name, data }) => {
        last = id ?? last;
        const hasId = id !== undefined;
        return { event: name ?? 'message', data: data.replace(/\r\n|\r/g, '\n'), lastEventId: last, hasId };
      });
      expect(read.events).toEqual(expected);
      expect(read.comments).toEqual(events.flatMap(() => ['tick', 'tock']));
      expect(read.lastEventId).toBe(last);
    }),
  );
});

test('retry is kept when it is a number', () => {
  const decoder = createSseDecoder({ maxEventUnits: 100 });
  decoder.push(bytes(encodeSseEvent({ data: 'a', retryMs: 1500.9 })));
  decoder.push(bytes('retry: soon\n\n'));
  expect(decoder.retryMs).toBe(1500);
});

test.each([
  ['a long line', 'data: 0123456789012345\n\n'],
  ['a long line without an end', 'data: 0123456789012345'],
  ['many lines', 'data: 01234\ndata: 01234\ndata: 01234\n\n'],
])('%s beyond the cap is a fault after the good events', (_name, text) => {
  for (const size of [1, 1_000]) {
    const whole = bytes(`data: ok\n\n${text}data: no\n\n`);
    const chunks = [];
    for (let at = 0; at < whole.length; at += size) chunks.push(whole.slice(at, at + size));
    const read = decode(chunks, 12);
    expect(read.events.map(({ data }) => data)).toEqual(['ok']);
    expect(read.fault).toBe('event_too_large');
  }
});

test('an id or a name that would break a line is the caller’s bug', () => {
  expect(() => encodeSseEvent({ id: 'a\nb', data: '' })).toThrow(TypeError);
  expect(() => encodeSseEvent({ event: 'a\rb', data: '' })).toThrow(TypeError);
});
