// A vector as numbers of nine bits: a bit of sign, which the first pass reads, and a byte. The vector is turned first,
// so that no dimension weighs more than another and one step of rounding is small for all of them. Pure; what it gains
// stands in docs/search/vectors.md.

/** A vector of length 1, turned and rounded: `scale` times the odd number of its sign and its low byte. */
export interface VectorCode {
  readonly scale: number;
  /** A bit a dimension, the lowest bit of a byte first: 1 where the number is positive. */
  readonly signs: Uint8Array;
  /** A byte a dimension: the low byte of the whole number below half of the odd one, in two's complement. */
  readonly lows: Uint8Array;
}

/** Steps on each side of zero. */
const STEPS = 256;
/** Each turn mixes one power of two of the dimensions; three of them reach every dimension from every other. */
const TURNS = 3;

/** Bytes of the signs of a vector. */
export const signBytes = (dimensions: number): number => Math.ceil(dimensions / 8);

/** Whether a code has this many dimensions and a scale. */
export const isCode = ({ scale, signs, lows }: VectorCode, dimensions: number): boolean =>
  lows.length === dimensions && signs.length === signBytes(dimensions) && Number.isFinite(scale) && scale > 0;

/** A sign for a dimension of a turn. Stored vectors depend on these for ever. */
function signOf(turn: number, dimension: number): 1 | -1 {
  let value = (Math.imul(turn + 1, 0x9e3779b1) ^ Math.imul(dimension + 1, 0x85ebca6b)) >>> 0;
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d) >>> 0;
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b) >>> 0;
  return (value ^ (value >>> 16)) & 1 ? 1 : -1;
}

const signTables = new Map<number, Float64Array>();

/** The signs of all turns, one after the other. */
function signTable(dimensions: number): Float64Array {
  const known = signTables.get(dimensions);
  if (known) return known;
  const signs = Float64Array.from({ length: TURNS * dimensions }, (_, i) =>
    signOf(Math.floor(i / dimensions), i % dimensions),
  );
  signTables.set(dimensions, signs);
  return signs;
}

/** Multiplies by a Hadamard matrix, in place; the length is a power of two. */
function hadamard(values: Float64Array): void {
  const { length } = values;
  for (let half = 1; half < length; half *= 2) {
    for (let from = 0; from < length; from += 2 * half) {
      for (let i = from; i < from + half; i++) {
        const [a, b] = [values[i]!, values[i + half]!];
        values[i] = a + b;
        values[i + half] = a - b;
      }
    }
  }
  const factor = 1 / Math.sqrt(length);
  for (let i = 0; i < length; i++) values[i]! *= factor;
}

/** The dimensions that a turn mixes, and the sign of each. */
function turnOf(values: Float64Array, step: number): { mixed: Float64Array; signs: Float64Array } {
  const { length } = values;
  const size = 2 ** Math.floor(Math.log2(length));
  const from = step % 2 === 0 ? 0 : length - size;
  return {
    mixed: values.subarray(from, from + size),
    signs: signTable(length).subarray(step * length, (step + 1) * length),
  };
}

/** The vector turned: lengths and angles stay, and the weight of few dimensions is spread over all. */
export function turn(vector: Float32Array): Float64Array {
  const turned = Float64Array.from(vector);
  for (let step = 0; step < TURNS; step++) {
    const { mixed, signs } = turnOf(turned, step);
    for (let i = 0; i < turned.length; i++) turned[i]! *= signs[i]!;
    hadamard(mixed);
  }
  return turned;
}

/** The vector that a code stands for, turned back. */
export function decodeVector({ scale, signs, lows }: VectorCode): Float32Array {
  const values = Float64Array.from(lows, (low, i) => {
    const isPositive = ((signs[i >> 3]! >> (i & 7)) & 1) === 1;
    return (2 * (isPositive ? low : low - STEPS) + 1) * scale;
  });
  for (let step = TURNS - 1; step >= 0; step--) {
    const { mixed, signs: of } = turnOf(values, step);
    hadamard(mixed);
    for (let i = 0; i < values.length; i++) values[i]! *= of[i]!;
  }
  return Float32Array.from(values);
}

/** The code of a vector that is finite and not zero. */
export function encodeVector(vector: Float32Array): VectorCode {
  const turned = turn(vector);
  const most = turned.reduce((top, one) => Math.max(top, Math.abs(one)), 0);
  const signs = new Uint8Array(signBytes(vector.length));
  const lows = new Uint8Array(vector.length);
  let squares = 0;
  for (let i = 0; i < turned.length; i++) {
    const step = Math.max(-STEPS, Math.min(STEPS - 1, Math.floor((turned[i]! / most) * STEPS)));
    if (step >= 0) signs[i >> 3]! |= 1 << (i & 7);
    lows[i] = step & 255;
    squares += (2 * step + 1) ** 2;
  }
  // The scale makes what is stored a vector of length 1 again, whatever rounding did to it.
  return { scale: Math.fround(1 / Math.sqrt(squares)), signs, lows };
}
