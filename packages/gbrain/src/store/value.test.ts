// One law for both engines: a value that is bound comes back as it was, and both engines decode alike.
import { eachStore } from '@gbrain/testkit/stores';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sql } from './store.ts';
import { decoderOf, encodeValue } from './value.ts';

const bigintMax = Number.MAX_SAFE_INTEGER;
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
// Any text that Postgres can hold: NUL is refused at the byte edge, lone surrogates too.
const anyText = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
const bytes = fc.uint8Array({ maxLength: 300 });
const date = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

/** Type name in SQL, values of it, and how a value is bound when that is not as it stands. */
const types: [type: string, values: fc.Arbitrary<unknown>, bind?: (value: unknown) => unknown][] = [
  ['boolean', fc.boolean()],
  ['smallint', fc.integer({ min: -32768, max: 32767 })],
  ['integer', fc.integer()],
  ['bigint', fc.integer({ min: -bigintMax, max: bigintMax })],
  ['double precision', finite],
  ['text', anyText],
  ['uuid', fc.uuid()],
  ['bytea', bytes],
  ['timestamptz(3)', date],
  ['jsonb', fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', ''))), JSON.stringify],
  ['text[]', fc.array(fc.option(anyText))],
  ['bigint[]', fc.array(fc.option(fc.integer({ min: -bigintMax, max: bigintMax })))],
  ['boolean[]', fc.array(fc.option(fc.boolean()))],
  ['double precision[]', fc.array(finite)],
  ['bytea[]', fc.array(fc.option(bytes))],
  ['timestamptz[]', fc.array(fc.option(date))],
  ['uuid[]', fc.array(fc.uuid())],
  ['text[]', fc.array(fc.tuple(anyText, anyText), { minLength: 1 })],
];

eachStore('value codec', (given) => {
  test.each(types)('%s comes back as it was bound', async (type, values, bind = (value) => value) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(values), { minLength: 1, maxLength: 20 }), async (list) => {
        const columns = list.map((_, i) => `$${i + 1}::${type} as v${i}`).join(', ');
        const params = list.map((value) => (value === null ? null : bind(value)));
        const [row] = await given().store.query({ text: `select ${columns}`, params });
        // toEqual tells 0 from -0, which jsonb and integers do not keep.
        expect(Object.values(row ?? {})).toEqual(list);
      }),
      { numRuns: 25 },
    );
  });

  const printed: [text: string, value: unknown][] = [
    ["'infinity'::timestamptz", new Date(8.64e15)],
    ["'-infinity'::timestamptz", new Date(-8.64e15)],
    ["'0044-03-15 12:00:00+00 BC'::timestamptz", new Date(Date.UTC(-43, 2, 15, 12))],
    ["'12026-01-02 03:04:05.678+00'::timestamptz", new Date(Date.UTC(12026, 0, 2, 3, 4, 5, 678))],
    ["'2026-05-06 07:08:09.123999+05:30'::timestamptz", new Date('2026-05-06T01:38:09.123Z')],
    ["'1850-01-01 00:00:00+01:02:03'::timestamptz", new Date(Date.UTC(1849, 11, 31, 22, 57, 57))],
    ["'2026-05-06'::date", '2026-05-06'],
    ["'12.50'::numeric", '12.50'],
    ["'NaN'::float8", Number.NaN],
    ["'infinity'::float8", Number.POSITIVE_INFINITY],
    ['pg_typeof(pg_current_xact_id())::text', 'xid8'],
    ["'18446744073709'::xid8", 18_446_744_073_709],
    ["'[5:6]={7,8}'::int[]", [7, 8]],
    ["array['NULL', null, '', 'a\"b\\c', '{}', ',']", ['NULL', null, '', 'a"b\\c', '{}', ',']],
    ["array['{\"a\": 1}'::jsonb, 'null'::jsonb]", [{ a: 1 }, null]],
    ['null::text', null],
    ["'null'::jsonb", null],
    ["''::bytea", new Uint8Array()],
    ['array[]::text[]', []],
    ["array['2026-01-01'::date]", ['2026-01-01']],
  ];
  test.each(printed)('%s decodes', async (text, value) => {
    const [row] = await given().store.query<{ v: unknown }>({ text: `select ${text} as v`, params: [] });
    expect(row?.v).toEqual(value);
  });

  test('dates far from ours are bound in words Postgres knows', async () => {
    for (const far of [new Date(Date.UTC(-43, 2, 15)), new Date(Date.UTC(20_000, 0, 1)), new Date(8.64e15)]) {
      const statement: Sql = { text: 'select $1::timestamptz as v', params: [far] };
      expect(await given().store.query(statement)).toEqual([{ v: far }]);
    }
  });
});

describe('encoding', () => {
  test.each([[undefined], [{}], [Symbol('s')], [() => 1], [[undefined]], [[{}]]])('%o is refused', (value) => {
    expect(() => encodeValue(value)).toThrow(TypeError);
  });
  test('an invalid date is refused', () => {
    expect(() => encodeValue(new Date(Number.NaN))).toThrow(RangeError);
  });
});

describe('decoding', () => {
  test('a number beyond 2^53 is an error, not a wrong number', () => {
    expect(() => decoderOf(20)('9007199254740993')).toThrow(RangeError);
  });
  test('bytes have memory of their own', () => {
    const value = decoderOf(17)('\\x0102') as Uint8Array;
    expect(value.buffer.byteLength).toBe(2);
  });
});
