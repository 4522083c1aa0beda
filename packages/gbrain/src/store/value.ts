// The one value codec of both engines: JavaScript values to parameters, column text to JavaScript values.
// It must not know connections, statements or tables.

/** A bound value on the wire: text, raw bytes (sent in binary format, for bytea), or null. */
export type EncodedValue = string | Uint8Array | null;

/** Latest and earliest instant a Date can hold; stand for Postgres' infinity and -infinity. */
const dateLimitMs = 8.64e15;

/**
 * Gives the wire form of a bound value.
 * Takes text, numbers, bigints, booleans, null, Date, Uint8Array and arrays of these (nested arrays are
 * multi-dimensional). JSON is bound as text by the caller (`${JSON.stringify(x)}::jsonb`), because an array could
 * mean either. Throws TypeError for anything else: that is a fault of the calling code, never of its data.
 */
export function encodeValue(value: unknown): EncodedValue {
  if (value === null) return null;
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return encodeArray(value);
  return encodeScalar(value);
}

function encodeScalar(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
  }
  if (value instanceof Date) return encodeDate(value);
  throw new TypeError(`a ${value === undefined ? 'missing value' : 'plain object'} cannot be bound to a statement`);
}

function encodeDate(date: Date): string {
  if (date.getTime() === dateLimitMs) return 'infinity';
  if (date.getTime() === -dateLimitMs) return '-infinity';
  const iso = date.toISOString();
  const year = date.getUTCFullYear();
  if (year >= 1 && year <= 9999) return iso;
  // ISO 8601 writes six digits with a sign there; Postgres wants the plain year, and BC after the date.
  const rest = iso.slice(iso.indexOf('-', 1));
  return year > 9999 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}

function encodeArray(values: readonly unknown[]): string {
  const parts = values.map((value) => {
    if (value === null) return 'NULL';
    if (Array.isArray(value)) return encodeArray(value);
    if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`;
    const text = encodeScalar(value);
    return typeof value === 'string' ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
  });
  return `{${parts.join(',')}}`;
}

type Decode = (text: string) => unknown;

const decodeInteger: Decode = (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('an integer column is beyond 2^53');
  return value;
};

const decodeBytes: Decode = (text) => {
  const bytes = Buffer.from(text.slice(2), 'hex');
  // A small Buffer is a slice of a shared pool, which a caller could neither transfer nor keep for long.
  return bytes.byteLength === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
};

const timestampPattern =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?([+-]\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/;

const decodeTimestamp: Decode = (text) => {
  if (text[10] === ' ' && text.endsWith('+00')) return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
  if (text === 'infinity') return new Date(dateLimitMs);
  if (text === '-infinity') return new Date(-dateLimitMs);
  const found = timestampPattern.exec(text);
  if (!found) throw new RangeError('a timestamp column is not in ISO style');
  const [, year, month, day, hour, minute, second, fraction = '', zoneHour, zoneMinute = '0', zoneSecond = '0', bc] =
    found;
  const date = new Date(0);
  date.setUTCFullYear(bc ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0').slice(0, 3)));
  const sign = zoneHour?.startsWith('-') ? -1 : 1;
  const zoneMs = (Math.abs(Number(zoneHour)) * 3600 + Number(zoneMinute) * 60 + Number(zoneSecond)) * 1000 * sign;
  return new Date(date.getTime() - zoneMs);
};

/** Element decoders by type oid (Postgres pg_type.dat); a type that is absent stays text. */
const decoders = new Map<number, Decode>([
  [16, (text) => text === 't'],
  [17, decodeBytes],
  [20, decodeInteger],
  [21, decodeInteger],
  [23, decodeInteger],
  [26, decodeInteger],
  [28, decodeInteger],
  [114, JSON.parse as Decode],
  [700, Number],
  [701, Number],
  [1184, decodeTimestamp],
  [3802, JSON.parse as Decode],
  [5069, decodeInteger],
]);

/** Array type oid to its element type oid: those above, and the texts. */
const elementOf = new Map<number, number>([
  [199, 114],
  [1000, 16],
  [1001, 17],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [1182, 1082],
  [1185, 1184],
  [1231, 1700],
  [2951, 2950],
  [3807, 3802],
  [271, 5069],
]);

const asText: Decode = (text) => text;

/**
 * Gives the decoder of a column type: bool, integers and bigint and xid8 (numbers, RangeError beyond 2^53), floats,
 * json and jsonb (parsed), timestamptz (Date, milliseconds), bytea (Uint8Array with memory of its own), and arrays of
 * these. Every other type (text, uuid, numeric, date, time, interval) stays the text Postgres prints.
 */
export function decoderOf(oid: number): Decode {
  const element = elementOf.get(oid);
  if (element === undefined) return decoders.get(oid) ?? asText;
  const decode = decoders.get(element) ?? asText;
  return (text) => decodeArray(text, decode);
}

function decodeArray(text: string, decode: Decode): unknown[] {
  // Bounds other than 1 are printed as "[0:2]={...}".
  let at = text.indexOf('{');
  const readQuoted = (): string => {
    let value = '';
    for (at += 1; text[at] !== '"'; at += 1) {
      if (text[at] === '\\') at += 1;
      value += text[at];
    }
    at += 1;
    return value;
  };
  const readArray = (): unknown[] => {
    const values: unknown[] = [];
    at += 1;
    while (text[at] !== '}') {
      if (text[at] === ',') at += 1;
      if (text[at] === '{') values.push(readArray());
      else if (text[at] === '"') values.push(decode(readQuoted()));
      else {
        const start = at;
        while (text[at] !== ',' && text[at] !== '}') at += 1;
        const item = text.slice(start, at);
        values.push(item === 'NULL' ? null : decode(item));
      }
    }
    at += 1;
    return values;
  };
  return readArray();
}
