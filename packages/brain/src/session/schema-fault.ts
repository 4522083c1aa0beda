// Says what is wrong with a JSON Schema before anything is checked against it, so that it is refused where it is given.
// Pure. What the interpreter of schemas would only meet at a call is looked for here.
import { dereference, type Schema, schemaArrayKeyword, schemaKeyword, schemaMapKeyword } from '@cfworker/json-schema';
import type { JsonObject } from '@gbrain/brain-protocol/json';
import { checkSchema } from './check-schema.ts';

const COUNT = { type: 'integer', minimum: 0 };
const NAMES = { type: 'array', items: { type: 'string' } };
const SCHEMA = { $ref: '#' };
const SCHEMAS = { type: 'array', items: SCHEMA, minItems: 1 };
const SCHEMA_MAP = { type: 'object', additionalProperties: SCHEMA };
const TYPE = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };
/** For a value of that type the one, for any other the other: what does not fit is then named, unlike with `anyOf`. */
function either(type: string, then: JsonObject, otherwise: JsonObject): JsonObject {
  return { if: { type }, then, else: otherwise };
}

/** Draft 4 has a boolean beside `minimum`; the later ones have the bound itself. */
const EXCLUSIVE = { type: ['number', 'boolean'] };

/** What the keywords of the drafts that are taken may hold. Unknown keywords are annotations, whatever they hold. */
const KEYWORDS: JsonObject = {
  type: ['object', 'boolean'],
  properties: {
    $id: { type: 'string' },
    $schema: { type: 'string' },
    $ref: { type: 'string' },
    $anchor: { type: 'string' },
    $defs: SCHEMA_MAP,
    definitions: SCHEMA_MAP,
    type: either('array', { items: TYPE, minItems: 1 }, TYPE),
    enum: { type: 'array' },
    allOf: SCHEMAS,
    anyOf: SCHEMAS,
    oneOf: SCHEMAS,
    not: SCHEMA,
    if: SCHEMA,
    // biome-ignore lint/suspicious/noThenProperty: `then` is the name of a keyword, and nobody awaits this table
    then: SCHEMA,
    else: SCHEMA,
    properties: SCHEMA_MAP,
    patternProperties: SCHEMA_MAP,
    additionalProperties: SCHEMA,
    unevaluatedProperties: SCHEMA,
    propertyNames: SCHEMA,
    dependentSchemas: SCHEMA_MAP,
    dependentRequired: { type: 'object', additionalProperties: NAMES },
    dependencies: { type: 'object', additionalProperties: either('array', NAMES, SCHEMA) },
    required: NAMES,
    minProperties: COUNT,
    maxProperties: COUNT,
    prefixItems: SCHEMAS,
    items: either('array', { items: SCHEMA }, SCHEMA),
    additionalItems: SCHEMA,
    unevaluatedItems: SCHEMA,
    contains: SCHEMA,
    minContains: COUNT,
    maxContains: COUNT,
    minItems: COUNT,
    maxItems: COUNT,
    uniqueItems: { type: 'boolean' },
    minimum: { type: 'number' },
    maximum: { type: 'number' },
    exclusiveMinimum: EXCLUSIVE,
    exclusiveMaximum: EXCLUSIVE,
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    minLength: COUNT,
    maxLength: COUNT,
    pattern: { type: 'string' },
    format: { type: 'string' },
  },
};

/** Keywords whose schemas are about the same value as the schema that holds them. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'];

/** Why a JSON Schema cannot be used; undefined when it can. */
export type FindSchemaFault = (schema: unknown) => string | undefined;

/** Why a JSON Schema cannot be used, in one sentence; undefined when it can. */
export function findSchemaFault(schema: unknown): string | undefined {
  const shape = checkSchema(KEYWORDS, schema);
  if (shape !== undefined) return shape;
  try {
    const lookup = dereference(schema as Schema);
    const parts = [...listParts(schema, '#')];
    const fault = parts.map(({ part, place }) => findPartFault(part, place, lookup)).find((one) => one !== undefined);
    return fault ?? findLoop(parts, lookup);
  } catch (error) {
    // Too deep for the interpreter, or an `$id` that is no URL.
    return (error as Error).message;
  }
}

interface Part {
  part: Schema;
  place: string;
}

/** A schema and every schema inside it. Values of unknown keywords are not schemas, whatever they look like. */
function* listParts(schema: unknown, place: string): Generator<Part> {
  if (typeof schema !== 'object' || schema === null) return;
  yield { part: schema, place };
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${place}/${keyword}`;
    if (Array.isArray(value)) {
      if (!Object.hasOwn(schemaArrayKeyword, keyword)) continue;
      for (const [index, one] of value.entries()) yield* listParts(one, `${at}/${index}`);
    } else if (Object.hasOwn(schemaMapKeyword, keyword) || keyword === 'dependencies') {
      for (const [name, one] of Object.entries(value ?? {})) yield* listParts(one, `${at}/${name}`);
    } else if (Object.hasOwn(schemaKeyword, keyword)) yield* listParts(value, at);
  }
}

/** References that lead nowhere, and patterns that are no regular expressions. */
function findPartFault(part: Schema, place: string, lookup: Record<string, unknown>): string | undefined {
  const { $ref, pattern, patternProperties, __absolute_ref__ } = part;
  if ($ref !== undefined && lookup[__absolute_ref__ ?? $ref] === undefined) {
    return `${place}/$ref: "${$ref}" leads nowhere; only references inside the schema are followed.`;
  }
  if (pattern !== undefined && !isPattern(pattern)) {
    return `${place}/pattern: "${pattern}" is no regular expression.`;
  }
  const bad = Object.keys(patternProperties ?? {}).find((one) => !isPattern(one));
  return bad === undefined ? undefined : `${place}/patternProperties: "${bad}" is no regular expression.`;
}

/** A way from a schema back to itself that looks at no other value on it: checking would never end. */
function findLoop(parts: readonly Part[], lookup: Record<string, unknown>): string | undefined {
  const left = new Set<unknown>();
  const onWay = new Set<unknown>();
  const leadsBack = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null || left.has(part)) return false;
    if (onWay.has(part)) return true;
    onWay.add(part);
    const found = listSameValue(part, lookup).some(leadsBack);
    onWay.delete(part);
    left.add(part);
    return found;
  };
  const loop = parts.find(({ part }) => leadsBack(part));
  return loop && `${loop.place}: a reference leads back to itself.`;
}

function listSameValue(part: Schema, lookup: Record<string, unknown>): unknown[] {
  const { $ref, __absolute_ref__ } = part;
  const held = SAME_VALUE.flatMap((keyword) => {
    const value: unknown = part[keyword];
    if (typeof value !== 'object' || value === null) return [];
    return keyword.startsWith('depend') || Array.isArray(value) ? Object.values(value) : [value];
  });
  return $ref === undefined ? held : [...held, lookup[__absolute_ref__ ?? $ref]];
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
