// Writes JSON Schemas as short type notation for people; knows only the schema keywords that our shapes produce.
import type { z } from 'zod';

type Schema = z.core.JSONSchema.JSONSchema;

const PRIMITIVES: Record<string, string> = { string: 'string', boolean: 'boolean', null: 'null' };

/** One schema as notation: `{ name: string, tools?: Tool[] }`. References are printed as their last path part. */
export function toNotation(schema: Schema, indent = ''): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? schema.$ref;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return toUnion(union as Schema[], indent);
  if (schema.type === 'array') return toArray(schema, indent);
  if (schema.type === 'object') return toObject(schema, indent);
  if (schema.type === 'integer' || schema.type === 'number') return toNumber(schema);
  return PRIMITIVES[String(schema.type)] ?? 'any';
}

function toUnion(parts: Schema[], indent: string): string {
  const texts = parts.map((part) => toNotation(part, indent));
  const line = texts.join(' | ');
  return line.length + indent.length <= 100 && !line.includes('\n') ? line : texts.join(`\n${indent}| `);
}

function toNumber(schema: Schema): string {
  const word = schema.type === 'integer' ? 'int' : 'number';
  return schema.minimum === undefined || schema.minimum < 0 ? word : `${word} >= ${schema.minimum}`;
}

function toArray(schema: Schema, indent: string): string {
  const items = (schema.items ?? {}) as Schema;
  const item = toNotation(items, indent);
  const bounds = [
    schema.minItems === undefined ? '' : `at least ${schema.minItems}`,
    schema.maxItems === undefined ? '' : `at most ${schema.maxItems}`,
  ].filter(Boolean);
  const isOne = /^\w+$/.test(item) || items.type === 'object';
  const list = isOne ? `${item}[]` : `(${item})[]`;
  return bounds.length > 0 ? `${list} /* ${bounds.join(', ')} */` : list;
}

function toObject(schema: Schema, indent: string): string {
  const keys = Object.entries(schema.properties ?? {});
  if (keys.length === 0) return schema.additionalProperties === false ? '{}' : '{ [key]: any }';
  const required = new Set(schema.required ?? []);
  const deeper = `${indent}  `;
  const parts = keys.map(([key, value]) => {
    return `${key}${required.has(key) ? '' : '?'}: ${toNotation(value as Schema, deeper)}`;
  });
  const line = `{ ${parts.join(', ')} }`;
  if (line.length + indent.length <= 100 && !line.includes('\n')) return line;
  return `{\n${parts.map((part) => `${deeper}${part}`).join(',\n')}\n${indent}}`;
}
