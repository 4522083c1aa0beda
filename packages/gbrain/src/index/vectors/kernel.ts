// The two inner loops of the vector arm as WebAssembly with 128-bit vectors, assembled here so that nothing is
// downloaded or built: differing bits of a query and rows, and inner products of a query with chosen rows. What it
// gains over the same loops on typed arrays stands in docs/search/vectors.md. Knows memory, never pages.

/** Memory that grows in place; growing detaches views of the buffer before. */
export interface KernelMemory {
  readonly buffer: ArrayBuffer;
  /** Adds pages of 64 KiB. */
  grow(pages: number): number;
}

/** The loops of one memory. All addresses are byte addresses in `memory`. */
export interface Kernel {
  readonly memory: KernelMemory;
  /**
   * Writes, for each of `rows` rows of `bytes` bytes from `at`, the number of bits in which it differs from the query
   * as a 16-bit integer to `out`. `bytes` is a multiple of 16, `rows` at least 1.
   */
  differences(at: number, query: number, out: number, rows: number, bytes: number): void;
  /**
   * Writes the inner products of the 16-bit query with `count` rows of `bytes` 9-bit integers as 32-bit integers to
   * `out`. From `at` stand the addresses of each row: of its low bytes, then of its signs, where a bit that is not set
   * says that the integer is negative. `bytes` is a multiple of 16, `count` at least 1.
   */
  products(at: number, query: number, out: number, count: number, bytes: number): void;
}

const I32 = 0x7f;
const V128 = 0x7b;
const VOID_BLOCK = 0x40;
const LOOP = 0x03;
const BR_IF = 0x0d;
const END = 0x0b;
const GET = 0x20;
const SET = 0x21;
const I32_LOAD = [0x28, 2, 0];
const I32_LOAD_NEXT = [0x28, 2, 4];
const byteAt = (offset: number): number[] => [0x2d, 0, offset];
const I32_STORE = [0x36, 2, 0];
const I32_STORE16 = [0x3b, 1, 0];
const I32_CONST = 0x41;
const I32_LT_U = 0x49;
const I32_ADD = 0x6a;
const I32_SHL = 0x74;

const vector = (code: number): number[] => [0xfd, ...unsigned(code)];
const V_LOAD = [...vector(0x00), 4, 0];
const V_ZERO = [...vector(0x0c), ...new Array<number>(16).fill(0)];
const V_XOR = vector(0x51);
const POPCOUNT_8 = vector(0x62);
const PAIRS_8_TO_16 = vector(0x7d);
const PAIRS_16_TO_32 = vector(0x7f);
const LOW_8_TO_16 = vector(0x89);
const HIGH_8_TO_16 = vector(0x8a);
const SPLAT_16 = vector(0x10);
const EQUAL_16 = vector(0x2d);
const V_AND = vector(0x4e);
const V_AND_NOT = vector(0x4f);
const V_OR = vector(0x50);
/** Eight lanes of 16 bits. */
const lanes16 = (values: readonly number[]): number[] => [
  ...vector(0x0c),
  ...values.flatMap((value) => [value & 255, value >> 8]),
];
const BIT_OF_LANE = lanes16([1, 2, 4, 8, 16, 32, 64, 128]);
const HIGH_BYTES = lanes16(new Array<number>(8).fill(0xff00));
const ADD_16 = vector(0x8e);
const ADD_32 = vector(0xae);
const DOT_16 = vector(0xba);
const lane = (place: number): number[] => [...vector(0x1b), place];

/** LEB128 of an unsigned integer. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return [...bytes, rest];
}

const section = (id: number, items: readonly number[][]): number[] => {
  const body = [...unsigned(items.length), ...items.flat()];
  return [id, ...unsigned(body.length), ...body];
};

const text = (value: string): number[] => [value.length, ...Buffer.from(value, 'latin1')];
const get = (local: number): number[] => [GET, local];
const set = (local: number): number[] => [SET, local];
/** Adds a constant below 64 to a local. */
const bump = (local: number, by: number): number[] => [...get(local), I32_CONST, by, I32_ADD, ...set(local)];
/** Repeats the body while `local` is below `bound`. */
const whileBelow = (local: number, bound: number, body: readonly number[]): number[] => [
  LOOP,
  VOID_BLOCK,
  ...body,
  ...get(local),
  ...get(bound),
  I32_LT_U,
  BR_IF,
  0,
  END,
];
/** The sum of the four lanes of a local. */
const lanes = (local: number): number[] => [
  ...[0, 1, 2, 3].flatMap((place) => [...get(local), ...lane(place)]),
  I32_ADD,
  I32_ADD,
  I32_ADD,
];

// Parameters 0 to 4; locals: 5 end of the row, 6 place in the query, 7 sum, 8 place in the row, 9 place in its signs.
const [AT, QUERY, OUT, COUNT, BYTES, ROW_END, PLACE, SUM, ROW, SIGNS] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const PARAMETERS = [I32, I32, I32, I32, I32];
const LOCALS = [3, [2, I32], [1, V128], [2, I32]].flat();

/** Turns the count into the end of the output, so that one comparison ends the loop. */
const countToEnd = (shift: number): number[] => [
  ...[...get(OUT), ...get(COUNT), I32_CONST, shift, I32_SHL, I32_ADD, ...set(COUNT)],
];

const DIFFERENCES: readonly number[] = [
  ...countToEnd(1),
  ...whileBelow(OUT, COUNT, [
    ...[...get(AT), ...get(BYTES), I32_ADD, ...set(ROW_END)],
    ...[...get(QUERY), ...set(PLACE), ...V_ZERO, ...set(SUM)],
    ...whileBelow(AT, ROW_END, [
      ...[...get(SUM), ...get(AT), ...V_LOAD, ...get(PLACE), ...V_LOAD, ...V_XOR],
      ...[...POPCOUNT_8, ...PAIRS_8_TO_16, ...ADD_16, ...set(SUM)],
      ...bump(AT, 16),
      ...bump(PLACE, 16),
    ]),
    ...[...get(SUM), ...PAIRS_16_TO_32, ...set(SUM)],
    ...[...get(OUT), ...lanes(SUM), ...I32_STORE16],
    ...bump(OUT, 2),
  ]),
];

/** Adds the products of eight integers of the row with those of the query; `half` says which of sixteen. */
const addProducts = (half: 0 | 1): number[] => [
  ...[...get(SUM), ...get(ROW), ...V_LOAD, ...(half === 0 ? LOW_8_TO_16 : HIGH_8_TO_16)],
  // The high byte is all ones where the bit of sign is not set.
  ...[...HIGH_BYTES, ...get(SIGNS), ...byteAt(half), ...SPLAT_16, ...BIT_OF_LANE, ...V_AND, ...BIT_OF_LANE],
  ...[...EQUAL_16, ...V_AND_NOT, ...V_OR],
  ...[...get(PLACE), ...vector(0x00), 4, half * 16, ...DOT_16, ...ADD_32, ...set(SUM)],
];

const PRODUCTS: readonly number[] = [
  ...countToEnd(2),
  ...whileBelow(OUT, COUNT, [
    ...[...get(AT), ...I32_LOAD, ...set(ROW), ...get(ROW), ...get(BYTES), I32_ADD, ...set(ROW_END)],
    ...[...get(AT), ...I32_LOAD_NEXT, ...set(SIGNS)],
    ...[...get(QUERY), ...set(PLACE), ...V_ZERO, ...set(SUM)],
    ...whileBelow(ROW, ROW_END, [
      ...addProducts(0),
      ...addProducts(1),
      ...bump(ROW, 16),
      ...bump(SIGNS, 2),
      ...bump(PLACE, 32),
    ]),
    ...[...get(OUT), ...lanes(SUM), ...I32_STORE],
    ...bump(OUT, 4),
    ...bump(AT, 8),
  ]),
];

const FUNCTION = 0;
const MEMORY = 2;
const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

const body = (code: readonly number[]): number[] => {
  const bytes = [...LOCALS, ...code, END];
  return [...unsigned(bytes.length), ...bytes];
};

const MODULE = Uint8Array.from([
  ...HEADER,
  ...section(1, [[0x60, PARAMETERS.length, ...PARAMETERS, 0]]),
  ...section(3, [[0], [0]]),
  ...section(5, [[0, 1]]),
  ...section(7, [
    [...text('memory'), MEMORY, 0],
    [...text('differences'), FUNCTION, 0],
    [...text('products'), FUNCTION, 1],
  ]),
  ...section(10, [body(DIFFERENCES), body(PRODUCTS)]),
]);

/** What is used of the global of this name; the types of Node leave it out. */
interface Engine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

let compiled: object | undefined;

/** The loops over a new memory of one page of 64 KiB, which its user grows. */
export function openKernel(): Kernel {
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;
  compiled ??= new Module(MODULE);
  return new Instance(compiled).exports as Kernel;
}
