// Any JSON value and any JSON object as schemas; knows nothing of Brain.
import { z } from 'zod';

/** A value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/**
 * Any JSON value, null included; only an absent key is refused. It does not walk the value: what came through
 * `JSON.parse` is JSON already.
 */
export const Json = z
  .unknown()
  .refine((value) => value !== undefined, { error: 'is required' }) as unknown as z.ZodType<JsonValue>;

/** Any JSON object; arrays and null are refused. */
export const JsonRecord = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>;
