// One text for equal JSON values, whatever the order of their keys; it hashes nothing and compares nothing.

import { JSON_DEPTH_MAX } from './parse-json.ts';

/** Deeper values are refused, so that hostile input cannot exhaust the stack. */
export const CANONICAL_DEPTH_MAX = JSON_DEPTH_MAX;

/**
 * A JSON value as RFC 8785 writes it: members sorted by UTF-16 code units, no white space, numbers as ECMAScript
 * prints them. Members that are undefined are left out, array items that are become null, `toJSON` is honoured, as
 * JSON.stringify has it. A lone surrogate stays an escape. Throws a TypeError for a value without a JSON form (a
 * bigint, a number that is not finite, undefined at the root) and a RangeError beyond the depth bound.
 */
export function canonicalJson(value: unknown): string {
  const text = write(value, 0);
  if (text === undefined) throw new TypeError(`A ${typeof value} has no JSON form.`);
  return text;
}

function write(value: unknown, depth: number): string | undefined {
  if (depth > CANONICAL_DEPTH_MAX) throw new RangeError(`JSON is nested deeper than ${CANONICAL_DEPTH_MAX} levels.`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('A number that is not finite has no JSON form.');
      return JSON.stringify(value);
    case 'bigint':
      throw new TypeError('A bigint has no JSON form.');
    case 'object':
      return value === null ? 'null' : writeObject(value, depth);
    default:
      return undefined;
  }
}

function writeObject(value: object, depth: number): string | undefined {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1) ?? 'null').join(',')}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON(), depth + 1);
  const members: string[] = [];
  // The default order of strings is that of their UTF-16 code units.
  for (const key of Object.keys(value).sort()) {
    const text = write((value as Record<string, unknown>)[key], depth + 1);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(',')}}`;
}
