// Lossless repair of arguments that clients turn into text, before they are checked. Nothing is ever guessed.
import type { FieldMeta, WireProperty } from '../schema.ts';

/** A value after repair; `undefined` means the argument counts as absent. */
export type Repaired = { value: unknown } | undefined;

/** A number beyond a documented bound that was brought back to it. */
export interface Clamped {
  param: string;
  from: number;
  to: number;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function parseJson(text: string, isWanted: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWanted(value) ? value : text;
  } catch {
    return text;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fromText(text: string, property: WireProperty): unknown {
  const trimmed = text.trim();
  switch (property.type) {
    case 'number':
    case 'integer':
      return NUMBER.test(trimmed) ? Number(trimmed) : text;
    case 'boolean':
      return trimmed === 'true' ? true : trimmed === 'false' ? false : text;
    case 'array':
      return parseJson(trimmed, Array.isArray);
    case 'object':
      return parseJson(trimmed, isObject);
    default:
      return text;
  }
}

/** Repairs one argument against its wire property. */
export function repairValue(value: unknown, property: WireProperty, meta: FieldMeta, required: boolean): Repaired {
  if (value === undefined || (value === null && !required)) return undefined;
  if (value === '' && property.type === 'string' && !meta.keepEmpty) return undefined;
  if (typeof value === 'string') {
    const repaired = fromText(value, property);
    const alias = typeof repaired === 'string' ? meta.aliases?.[repaired] : undefined;
    return { value: alias ?? repaired };
  }
  if (property.type === 'string' && typeof value === 'number' && Number.isSafeInteger(value))
    return { value: String(value) };
  return { value };
}

/** Brings a number back to its documented bounds where the field allows it. */
export function clampValue(
  param: string,
  value: unknown,
  property: WireProperty,
  meta: FieldMeta,
): { value: unknown; clamped?: Clamped } {
  if (!meta.clamp || typeof value !== 'number' || !Number.isFinite(value)) return { value };
  const to = Math.min(Math.max(value, property.minimum ?? value), property.maximum ?? value);
  return to === value ? { value } : { value: to, clamped: { param, from: value, to } };
}
