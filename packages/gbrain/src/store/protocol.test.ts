// Bytes of the wire protocol, in the corners that the engines' own suites do not reach.
import { expect, test } from 'vitest';
import { encodeBurst, encodeScript, parseReply, ReplyBuilder } from './protocol.ts';

/** One message of a server: its kind, its length, its content. */
function message(kind: string, ...parts: (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

test('a script and a burst are what the manual says', () => {
  expect(Buffer.from(encodeScript('select 1')).toString('latin1')).toBe('Q\0\0\0\x0dselect 1\0');
  const burst = Buffer.from(encodeBurst([{ text: 'x', params: ['é', null, new Uint8Array([7])] }]));
  const parse = message('P', '\0x\0\0\0');
  const formats = '\0\x03\0\0\0\0\0\x01';
  const values = ['\0\x03', '\0\0\0\x02\xc3\xa9', '\xff\xff\xff\xff', '\0\0\0\x01\x07'];
  const bind = message('B', '\0\0', formats, ...values, '\0\0');
  expect(burst).toEqual(Buffer.concat([parse, bind, message('D', 'P\0'), message('E', '\0\0\0\0\0'), message('S')]));
});

test('long text and many bytes grow the buffer rightly', () => {
  const text = 'ä'.repeat(100_000);
  const bytes = encodeBurst([{ text: 'x', params: [text, new Uint8Array(50_000)] }]);
  expect(Buffer.from(bytes).includes(Buffer.from(text))).toBe(true);
  expect(bytes.length).toBeGreaterThan(250_000);
  expect(bytes.length).toBeLessThan(250_100);
});

test('more values than the protocol can count are refused', () => {
  const params = new Array(65_536).fill(1);
  expect(() => encodeBurst([{ text: 'x', params }])).toThrow(TypeError);
});

test('the first error stands, later messages of a failed burst are read over', () => {
  const error = (code: string) => message('E', `SERROR\0VERROR\0C${code}\0Mno\0nkey\0\0`);
  const bytes = Buffer.concat([message('1'), error('23505'), message('N', 'x\0'), error('25P02'), message('Z', 'E')]);
  expect(parseReply(bytes)).toEqual({
    results: [],
    tags: [],
    parsedCount: 1,
    error: { severity: 'ERROR', code: '23505', message: 'no', constraint: 'key' },
    status: 'E',
  });
});

test('a reply that broke off has no status', () => {
  expect(parseReply(Buffer.concat([message('C', 'BEGIN\0'), message('Z', 'T').subarray(0, 3)]))).toEqual({
    results: [[]],
    tags: ['BEGIN'],
    parsedCount: 0,
  });
});

test('a kept statement is parsed under its name once, in place of what had the name, and then only bound', () => {
  const text = (known: boolean) =>
    Buffer.from(encodeBurst([{ text: 'x', params: [] }], [{ name: 'k1', isKnown: known }])).toString('latin1');
  const bind = '\0k1\0';
  expect(text(false)).toContain('Sk1\0');
  expect(text(false)).toContain('k1\0x\0');
  expect(text(true).startsWith('B')).toBe(true);
  expect(text(true)).toContain(bind);
  expect(text(true)).not.toContain('x\0');
});

test('an empty statement has an empty result', () => {
  expect(parseReply(Buffer.concat([message('I'), message('Z', 'I')]))).toMatchObject({ results: [[]], status: 'I' });
});

test('a value that JavaScript cannot hold is an error of its statement, and what follows is still read', () => {
  const builder = new ReplyBuilder();
  builder.columns([{ name: 'n', oid: 20 }]);
  builder.row(['9007199254740993']);
  builder.complete('SELECT 1');
  builder.ready('I');
  expect(builder.reply).toMatchObject({ results: [[]], status: 'I', error: { code: '22003' } });
});
