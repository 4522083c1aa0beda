// Postgres' wire protocol as far as a store needs it: a burst of statements to bytes, a reply to rows.
// Pure; it must not know which engine the bytes go to. Source: PostgreSQL manual, "Message Formats" (protocol 3.0).
import type { Sql } from './store.ts';
import { decoderOf, type EncodedValue, encodeValue } from './value.ts';

/** A result row by column name; of two columns of one name the later wins. */
export type Row = Record<string, unknown>;

/** Fields of an error message of the server, as it sent them. */
export interface ServerError {
  severity: string;
  /** SQLSTATE, five characters. */
  code: string;
  message: string;
  detail?: string;
  constraint?: string;
  table?: string;
  column?: string;
}

/** What came back for one burst: per finished statement its rows and command tag, and the first error. */
export interface Reply {
  results: Row[][];
  tags: string[];
  /** Statements that the server has parsed, in the order of the burst. */
  parsedCount: number;
  error?: ServerError;
  /** I idle, T in a transaction, E in a failed transaction; absent when the reply broke off. */
  status?: 'I' | 'T' | 'E';
}

/** Bytes that grow; lengths are patched when a message ends. */
class Writer {
  /** Of its own, not a piece of the shared pool, so that it can be handed to another thread. */
  #bytes = Buffer.allocUnsafeSlow(4096);
  #end = 0;
  #start = 0;

  begin(kind: string): void {
    this.#room(5);
    this.#bytes[this.#end] = kind.charCodeAt(0);
    this.#start = this.#end + 1;
    this.#end += 5;
  }
  finish(): void {
    this.#bytes.writeInt32BE(this.#end - this.#start, this.#start);
  }
  int16(value: number): void {
    this.#room(2);
    this.#end = this.#bytes.writeUInt16BE(value, this.#end);
  }
  int32(value: number): void {
    this.#room(4);
    this.#end = this.#bytes.writeInt32BE(value, this.#end);
  }
  text(value: string): void {
    this.#room(value.length * 3 + 1);
    this.#end += this.#bytes.write(value, this.#end, 'utf8');
    this.#bytes[this.#end] = 0;
    this.#end += 1;
  }
  value(value: EncodedValue): void {
    if (value === null) {
      this.int32(-1);
    } else if (typeof value === 'string') {
      this.#room(value.length * 3 + 4);
      const size = this.#bytes.write(value, this.#end + 4, 'utf8');
      this.#bytes.writeInt32BE(size, this.#end);
      this.#end += 4 + size;
    } else {
      this.int32(value.byteLength);
      this.#room(value.byteLength);
      this.#bytes.set(value, this.#end);
      this.#end += value.byteLength;
    }
  }
  take(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, this.#end);
  }
  #room(size: number): void {
    if (this.#end + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#end + size));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

/** How a statement is told to the server: under which name, and whether the server has its text already. */
export interface StatementName {
  /** Empty for a statement that is not kept. */
  readonly name: string;
  readonly isKnown: boolean;
}

const unnamed: StatementName = { name: '', isKnown: false };

/**
 * Statements in the extended protocol with one Sync at the end, so the first error skips the rest. `names` tells for
 * each statement whether the connection keeps it; none is kept unless said.
 * Throws TypeError for a value that cannot be bound, or more than 65,535 of them in one statement.
 */
export function encodeBurst(statements: readonly Sql[], names: readonly StatementName[] = []): Uint8Array<ArrayBuffer> {
  const out = new Writer();
  for (const [i, statement] of statements.entries()) {
    const { name, isKnown } = names[i] ?? unnamed;
    const values = statement.params.map(encodeValue);
    if (values.length > 65_535) throw new TypeError('a statement binds more than 65,535 values');
    if (!isKnown) {
      if (name !== '') {
        // Whatever had the name goes; closing a name that nothing has is no error.
        out.begin('C');
        out.text(`S${name}`);
        out.finish();
      }
      out.begin('P');
      out.text(name);
      out.text(statement.text);
      out.int16(0);
      out.finish();
    }
    out.begin('B');
    out.text('');
    out.text(name);
    out.int16(values.length);
    for (const value of values) out.int16(value instanceof Uint8Array ? 1 : 0);
    out.int16(values.length);
    for (const value of values) out.value(value);
    out.int16(0);
    out.finish();
    out.begin('D');
    out.text('P');
    out.finish();
    out.begin('E');
    out.text('');
    out.int32(0);
    out.finish();
  }
  out.begin('S');
  out.finish();
  return out.take();
}

/** Several commands as one simple query, which the server runs in one implicit transaction. */
export function encodeScript(text: string): Uint8Array<ArrayBuffer> {
  const out = new Writer();
  out.begin('Q');
  out.text(text);
  out.finish();
  return out.take();
}

/** Gathers the messages of a reply; both the byte parser below and a driver's events feed it. */
export class ReplyBuilder {
  readonly reply: Reply = { results: [], tags: [], parsedCount: 0 };
  #names: string[] = [];
  #decoders: ((text: string) => unknown)[] = [];
  #rows: Row[] = [];

  columns(fields: readonly { name: string; oid: number }[]): void {
    this.#names = fields.map((field) => field.name);
    this.#decoders = fields.map((field) => decoderOf(field.oid));
  }
  row(values: readonly (string | null)[]): void {
    const row: Row = {};
    try {
      for (let i = 0; i < values.length; i += 1) {
        const value = values[i] as string | null;
        row[this.#names[i] as string] = value === null ? null : (this.#decoders[i] as (text: string) => unknown)(value);
      }
      this.#rows.push(row);
    } catch (error) {
      // A value that JavaScript cannot hold is an error of the statement: the reply after it is still read.
      this.error({ severity: 'ERROR', code: '22003', message: String(error) });
    }
  }
  parsed(): void {
    this.reply.parsedCount += 1;
  }
  complete(tag: string): void {
    this.reply.results.push(this.#rows);
    this.reply.tags.push(tag);
    this.#rows = [];
  }
  error(error: ServerError): void {
    this.reply.error ??= error;
  }
  ready(status: string): void {
    this.reply.status = status as 'I' | 'T' | 'E';
  }
}

type MessageReader = (builder: ReplyBuilder, buffer: Buffer, start: number, end: number) => void;

/** Messages that a store needs; bind, no data, notices and parameter states say nothing to it. */
const readers: Record<string, MessageReader> = {
  '1': (builder) => builder.parsed(),
  D: (builder, buffer, start) => builder.row(readRow(buffer, start)),
  T: (builder, buffer, start) => builder.columns(readColumns(buffer, start)),
  C: (builder, buffer, start, end) => builder.complete(buffer.toString('utf8', start, end - 1)),
  I: (builder) => builder.complete(''),
  E: (builder, buffer, start) => builder.error(readError(buffer, start)),
  Z: (builder, buffer, start) => builder.ready(String.fromCharCode(buffer[start] as number)),
};

/** Parses the bytes of a whole reply. */
export function parseReply(bytes: Uint8Array): Reply {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const builder = new ReplyBuilder();
  let at = 0;
  while (at + 5 <= buffer.length) {
    const end = at + 1 + buffer.readInt32BE(at + 1);
    readers[String.fromCharCode(buffer[at] as number)]?.(builder, buffer, at + 5, end);
    at = end;
  }
  return builder.reply;
}

function readRow(buffer: Buffer, start: number): (string | null)[] {
  const count = buffer.readUInt16BE(start);
  const values = new Array<string | null>(count);
  let at = start + 2;
  for (let i = 0; i < count; i += 1) {
    const size = buffer.readInt32BE(at);
    at += 4;
    values[i] = size < 0 ? null : buffer.toString('utf8', at, at + size);
    if (size > 0) at += size;
  }
  return values;
}

function readColumns(buffer: Buffer, start: number): { name: string; oid: number }[] {
  const columns: { name: string; oid: number }[] = [];
  let at = start + 2;
  for (let left = buffer.readUInt16BE(start); left > 0; left -= 1) {
    const nameEnd = buffer.indexOf(0, at);
    columns.push({ name: buffer.toString('utf8', at, nameEnd), oid: buffer.readUInt32BE(nameEnd + 7) });
    at = nameEnd + 19;
  }
  return columns;
}

const errorFields: Record<string, keyof ServerError> = {
  V: 'severity',
  C: 'code',
  M: 'message',
  D: 'detail',
  n: 'constraint',
  t: 'table',
  c: 'column',
};

function readError(buffer: Buffer, start: number): ServerError {
  const error: ServerError = { severity: 'ERROR', code: 'XX000', message: '' };
  let at = start;
  while (buffer[at] !== 0) {
    const name = errorFields[String.fromCharCode(buffer[at] as number)];
    const end = buffer.indexOf(0, at + 1);
    if (name) error[name] = buffer.toString('utf8', at + 1, end);
    at = end + 1;
  }
  return error;
}
