// A vector as it is stored: of length 1, one signed byte a component and a scale. Pure.

/** Why a vector that a provider gave is none. */
export type BadVector = 'wrong_size' | 'not_finite' | 'zero';

/** A stored vector. `values[i] * scale` is the i-th component. */
export interface PackedVector {
  readonly values: Int8Array;
  readonly scale: number;
}

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

/** Bytes of a vector of length 1: the largest component takes the whole range of a byte. */
export function packVector(unit: Float32Array): Uint8Array {
  let most = 0;
  for (const value of unit) most = Math.max(most, Math.abs(value));
  const bytes = new Uint8Array(SCALE_BYTES + unit.length);
  const values = new Int8Array(bytes.buffer, SCALE_BYTES);
  let square = 0;
  for (let i = 0; i < unit.length; i++) {
    const value = Math.round((unit[i]! / most) * 127);
    values[i] = value;
    square += value * value;
  }
  // The scale makes what is stored a vector of length 1 again, whatever rounding did to it.
  new DataView(bytes.buffer).setFloat32(0, 1 / Math.sqrt(square), true);
  return bytes;
}

/** The vector of stored bytes; a view on them, not a copy. */
export function unpackVector(bytes: Uint8Array): PackedVector {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const scale = view.getFloat32(0, true);
  return { scale, values: new Int8Array(bytes.buffer, bytes.byteOffset + SCALE_BYTES, bytes.byteLength - SCALE_BYTES) };
}
