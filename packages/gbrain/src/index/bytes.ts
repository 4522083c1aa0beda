// Growing byte and word buffers and variable-length integers for postings and token streams. Knows nothing of what it
// carries.

/** A byte buffer that grows; integers are written seven bits a byte, low bits first. */
export class ByteWriter {
  bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 1024) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Appends an unsigned 32-bit integer in 1 to 5 bytes. */
  varint(value: number): void {
    if (this.length + 5 > this.bytes.length) this.grow(this.length + 5);
    let rest = value >>> 0;
    while (rest > 127) {
      this.bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  /** Appends `count` bytes of `source` from `from`. */
  copy(source: Uint8Array, from: number, count: number): void {
    if (this.length + count > this.bytes.length) this.grow(this.length + count);
    this.bytes.set(source.subarray(from, from + count), this.length);
    this.length += count;
  }

  /** The written bytes in a buffer of exactly their size. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.length);
  }

  /** The written bytes where they are: nothing is copied, and the writer is of no further use. */
  view(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }

  private grow(needed: number): void {
    const next = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    next.set(this.bytes.subarray(0, this.length));
    this.bytes = next;
  }
}

/** A buffer of unsigned 32-bit words that grows. */
export class WordWriter {
  words: Uint32Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 256) {
    this.words = new Uint32Array(capacity);
  }

  /** Appends one word. */
  push(value: number): void {
    if (this.length === this.words.length) {
      const next = new Uint32Array(this.words.length * 2);
      next.set(this.words);
      this.words = next;
    }
    this.words[this.length++] = value;
  }

  /** The written words in a buffer of exactly their size. */
  finish(): Uint32Array<ArrayBuffer> {
    return this.words.slice(0, this.length);
  }
}

/** A buffer of UTF-16 code units that grows. */
export class UnitWriter {
  private units: Uint16Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 1024) {
    this.units = new Uint16Array(capacity);
  }

  /** Appends a string. */
  push(text: string): void {
    this.reserve(text.length);
    for (let i = 0; i < text.length; i++) this.units[this.length++] = text.charCodeAt(i);
  }

  /** Appends one string of a table without decoding it. */
  copy(table: { readonly units: Uint16Array; readonly offsets: Uint32Array }, index: number): void {
    const piece = table.units.subarray(table.offsets[index], table.offsets[index + 1]);
    this.reserve(piece.length);
    this.units.set(piece, this.length);
    this.length += piece.length;
  }

  /** The written units in a buffer of exactly their size: the writer's own where it was made of that size. */
  finish(): Uint16Array<ArrayBuffer> {
    return this.length === this.units.length ? this.units : this.units.slice(0, this.length);
  }

  private reserve(count: number): void {
    if (this.length + count <= this.units.length) return;
    const next = new Uint16Array(Math.max(this.length + count, this.units.length * 2));
    next.set(this.units.subarray(0, this.length));
    this.units = next;
  }
}
