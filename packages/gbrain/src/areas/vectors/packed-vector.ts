// A vector as bytes of a row: four bytes of scale (float32, little-endian), a bit of sign a dimension, then a byte a
// dimension. Pure.
import { encodeVector, signBytes, type VectorCode } from '../../index/vectors/code.ts';

/** Why a vector that a provider gave is none. */
export type BadVector = 'wrong_size' | 'not_finite' | 'zero';

const SCALE_BYTES = 4;

/** A vector of length 1, or why there is none. */
export function toUnit(raw: unknown, dimensions: number): Float32Array | BadVector {
  if (!Array.isArray(raw) || raw.length !== dimensions) return 'wrong_size';
  const vector = new Float32Array(dimensions);
  let square = 0;
  for (let i = 0; i < dimensions; i++) {
    const value: unknown = raw[i];
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'not_finite';
    square += value * value;
    vector[i] = value;
  }
  if (!(square > 0)) return 'zero';
  const length = Math.sqrt(square);
  if (!Number.isFinite(length)) return 'not_finite';
  for (let i = 0; i < dimensions; i++) vector[i] = (raw[i] as number) / length;
  return vector;
}

/** Bytes of a vector of length 1. */
export function packVector(unit: Float32Array): Uint8Array {
  const { scale, signs, lows } = encodeVector(unit);
  const bytes = new Uint8Array(SCALE_BYTES + signs.length + lows.length);
  new DataView(bytes.buffer).setFloat32(0, scale, true);
  bytes.set(signs, SCALE_BYTES);
  bytes.set(lows, SCALE_BYTES + signs.length);
  return bytes;
}

/** The vector of stored bytes; a view on them, not a copy. */
export function unpackVector(bytes: Uint8Array, dimensions: number): VectorCode {
  if (bytes.length === SCALE_BYTES + dimensions) return encodeVector(readPlain(bytes));
  const signs = SCALE_BYTES + signBytes(dimensions);
  return { scale: readScale(bytes), signs: bytes.subarray(SCALE_BYTES, signs), lows: bytes.subarray(signs) };
}

const readScale = (bytes: Uint8Array): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getFloat32(0, true);

/** A vector of a row from before there were signs: the scale, then a signed byte a component. */
function readPlain(bytes: Uint8Array): Float32Array {
  const scale = readScale(bytes);
  return Float32Array.from(
    new Int8Array(bytes.buffer, bytes.byteOffset + SCALE_BYTES, bytes.length - SCALE_BYTES),
    (value) => value * scale,
  );
}
