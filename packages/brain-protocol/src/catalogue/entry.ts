// One shape of the protocol with what it is and an example; the lists in this folder are made of these.
import type { z } from 'zod';

/** A shape, its sentence, and one example that must parse. `name` is its file name in the generated schemas. */
export interface ShapeEntry {
  name: string;
  about: string;
  schema: z.ZodType;
  example: unknown;
}

/** Session of every example. */
export const SESSION = 'ses_12345678901234567890';
/** Host of every example. */
export const HOST = 'host_12345678901234567890';
/** Time of every example. */
export const TIME_MS = 1_767_225_600_000;

/** Makes an entry. */
export function shape(name: string, about: string, schema: z.ZodType, example: unknown): ShapeEntry {
  return { name, about, schema, example };
}
