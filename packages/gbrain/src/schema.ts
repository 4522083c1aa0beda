// Schemas of an operation: the zod object that checks a call, and the plain JSON Schema that goes on the wire.
// One builder for MCP, help and docs: object root, one type a property, arrays with items, no refs, no unions.
import { z } from 'zod';
import type { Operation } from './operation.ts';

/** One property of a wire schema. */
export interface WireProperty {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  description?: string;
  enum?: readonly string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  items?: WireProperty;
  properties?: Record<string, WireProperty>;
  required?: readonly string[];
  additionalProperties?: false;
}

/** The input schema of a tool as it goes on the wire. */
export interface WireSchema {
  type: 'object';
  properties: Record<string, WireProperty>;
  required?: readonly string[];
  additionalProperties?: false;
}

/** Facts of a field that zod has no word for. */
export interface FieldMeta {
  /** Listed only on the full surface; honoured on every surface. */
  fullOnly?: boolean;
  /** An empty string is a value here and not an absent argument. */
  keepEmpty?: boolean;
  /** Spellings that are accepted beside the advertised enum: `{ updated_desc: 'updated' }`. */
  aliases?: Readonly<Record<string, string>>;
  /** A number beyond the bounds is clamped with a notice; without this it is refused. */
  clamp?: boolean;
  /** Value that a correction proposes when there is no default. */
  example?: unknown;
}

/** Attaches facts of a field: `field(z.number(), { clamp: true })`. */
export function field<T extends z.ZodType>(schema: T, meta: FieldMeta): T {
  return schema.meta({ ...schema.meta(), ...meta }) as T;
}

const KEYS = [
  'type',
  'description',
  'enum',
  'default',
  'minimum',
  'maximum',
  'items',
  'properties',
  'required',
] as const;

function plain(node: Record<string, unknown>, path: string): WireProperty {
  if (typeof node.type !== 'string') throw new Error(`${path} has no single type: ${JSON.stringify(node)}`);
  const out: Record<string, unknown> = {};
  for (const key of KEYS) if (node[key] !== undefined) out[key] = node[key];
  for (const bound of ['minimum', 'maximum'])
    if (Math.abs(Number(out[bound])) >= Number.MAX_SAFE_INTEGER) delete out[bound];
  if (node.type === 'array') out.items = plain(node.items as Record<string, unknown>, `${path}[]`);
  if (node.type === 'object') {
    const properties = (node.properties ?? {}) as Record<string, Record<string, unknown>>;
    out.properties = Object.fromEntries(Object.entries(properties).map(([k, v]) => [k, plain(v, `${path}.${k}`)]));
    if (node.properties) out.additionalProperties = false;
  }
  return out as unknown as WireProperty;
}

interface Built {
  zod: z.ZodObject;
  wire: WireSchema;
  meta: ReadonlyMap<string, FieldMeta>;
}

const built = new WeakMap<Operation, Built>();

const sourceField = () => z.string().describe('Source to act on').optional();

function build(operation: Operation): Built {
  const declared = operation.input(z);
  const shape = operation.routesSource ? { ...declared, source_id: sourceField() } : declared;
  const zod = z.strictObject(shape);
  const json = z.toJSONSchema(zod, { io: 'input', reused: 'inline' }) as Record<string, unknown>;
  const properties = (json.properties ?? {}) as Record<string, Record<string, unknown>>;
  const required = json.required as string[] | undefined;
  const wire: WireSchema = {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, node]) => [key, plain(node, `${operation.name}.${key}`)]),
    ),
    ...(required && required.length > 0 && { required }),
  };
  const meta = new Map(Object.entries(shape).map(([key, schema]) => [key, fieldMeta(schema as z.ZodType)]));
  return { zod, wire, meta };
}

/** Facts of a field, also when they were given before `.optional()` or `.default()`. */
function fieldMeta(schema: z.ZodType): FieldMeta {
  const own = schema.meta() ?? {};
  const inner = (schema.def as { innerType?: z.ZodType }).innerType;
  return inner ? { ...fieldMeta(inner), ...own } : (own as FieldMeta);
}

function of(operation: Operation): Built {
  const found = built.get(operation) ?? build(operation);
  built.set(operation, found);
  return found;
}

/** The zod object that checks a call's arguments; strict, with `source_id` where the operation resolves a source. */
export const inputSchema = (operation: Operation): z.ZodObject => of(operation).zod;

/** The wire schema; `closed` adds `additionalProperties: false` and the two keys that are allowed everywhere. */
export function wireSchema(
  operation: Operation,
  options: { closed?: boolean; listFullOnly?: boolean } = {},
): WireSchema {
  const { wire, meta } = of(operation);
  const shown = Object.entries(wire.properties).filter(([key]) => options.listFullOnly || !meta.get(key)?.fullOnly);
  const passthrough: Record<string, WireProperty> = options.closed
    ? { _meta: { type: 'object' }, dry_run: { type: 'boolean' } }
    : {};
  return {
    ...wire,
    properties: { ...Object.fromEntries(shown), ...passthrough },
    ...(options.closed && { additionalProperties: false as const }),
  };
}

/** Facts of an operation's field. */
export const metaOf = (operation: Operation, key: string): FieldMeta => of(operation).meta.get(key) ?? {};

/** The JSON Schema of an operation's output, as `protocol --json` and the catalogue publish it. */
export const outputSchema = (operation: Operation): Record<string, unknown> =>
  z.toJSONSchema(operation.output(z), { io: 'output', reused: 'inline' }) as Record<string, unknown>;

/** Checks an output against its schema; used by tests and by nothing on the hot path. */
export const outputParser = (operation: Operation): z.ZodType => operation.output(z);
