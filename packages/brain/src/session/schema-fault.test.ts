// A JSON Schema is refused where it is given: every kind of fault is found, and no schema that works is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkSchema } from './check-schema.ts';
import { findSchemaFault } from './schema-fault.ts';

describe('a schema that cannot be used', () => {
  it.each<[string, unknown, string]>([
    ['a type that there is not', { type: 'strnig' }, '#/type'],
    ['a type inside', { properties: { a: { items: { type: 'int' } } } }, '#/properties/a/items/type'],
    ['a property that is no schema', { properties: { a: 'string' } }, '#/properties/a'],
    ['required that is no list', { required: 'a' }, '#/required'],
    ['a negative length', { minLength: -1 }, '#/minLength'],
    ['a step of nothing', { multipleOf: 0 }, '#/multipleOf'],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }, '#/properties/a/pattern'],
    ['a pattern of properties that is none', { patternProperties: { '[': {} } }, '#/patternProperties'],
    ['a reference that leads nowhere', { anyOf: [{ $ref: '#/$defs/none' }] }, '#/anyOf/0/$ref'],
    ['a reference to somewhere else', { $ref: 'https://example.org/schema' }, 'https://example.org/schema'],
    ['a reference that leads back to itself', { $ref: '#' }, '#: '],
    ['two that lead to each other', { items: { allOf: [{ $ref: '#/not' }] }, not: { $ref: '#/items' } }, 'leads back'],
    ['no alternatives', { oneOf: [] }, '#/oneOf'],
    ['an unusable dependency', { dependencies: { a: { pattern: '(' } } }, '#/dependencies/a/pattern'],
    ['a list', [], 'array'],
    ['a word', 'object', 'string'],
  ])('%s', (_, schema, words) => {
    expect(findSchemaFault(schema)).toContain(words);
  });
});

describe('a schema that can be used', () => {
  it.each<[string, unknown]>([
    ['the empty one', {}],
    ['what zod writes', z.toJSONSchema(z.object({ a: z.email(), b: z.array(z.int()).optional() }))],
    ['draft 4', { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true }],
    ['a tuple of draft 7', { items: [{ type: 'string' }, { $ref: '#/definitions/n' }], definitions: { n: {} } }],
    ['a tree', { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }],
    [
      'anchors and ids',
      { $id: 'https://a.example/s', $defs: { x: { $anchor: 'x' } }, properties: { y: { $ref: '#x' } } },
    ],
    ['annotations of others', { nullable: true, example: { pattern: '(', type: 7 }, 'x-order': ['b', 'a'] }],
    ['a property named as a keyword is', { properties: { pattern: { type: 'string' }, type: {}, $ref: {} } }],
  ])('%s', (_, schema) => {
    expect(findSchemaFault(schema)).toBeUndefined();
  });
});

it('is either refused when it is given, or never at fault for a value', () => {
  const keyword = fc.constantFrom(
    'type',
    'pattern',
    '$ref',
    'items',
    'properties',
    'not',
    'anyOf',
    'minimum',
    'required',
  );
  const held = fc.oneof(
    fc.constantFrom('string', 'object', '(', '#', '#/properties/a', '#/items', '', '^a'),
    fc.integer({ min: -1, max: 3 }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const schemas = fc.letrec((tie) => ({
    schema: fc.dictionary(keyword, fc.oneof(held, tie('schema'), fc.array(tie('schema'), { maxLength: 2 })), {
      maxKeys: 3,
    }),
  })).schema;
  fc.assert(
    fc.property(schemas, fc.jsonValue(), (schema, value) => {
      if (findSchemaFault(schema) !== undefined) return;
      expect(checkSchema(schema, value) ?? '').not.toContain('The schema cannot be used');
    }),
    { numRuns: 500 },
  );
});
