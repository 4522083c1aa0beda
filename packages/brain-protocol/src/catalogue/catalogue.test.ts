// Every shape's example parses, its unknown keys are refused, and its JSON Schema agrees with both.
import { describe, expect, it } from 'vitest';
import { CALL_METHODS } from '../harness.ts';
import { generateHarnessProtocolDoc } from '../harness-doc.ts';
import { generateBrainProtocolSchema, toSchemas } from '../schemas.ts';
import { ALL_SHAPES } from './all.ts';

/** Shapes whose objects are open on purpose: maps of names, and free JSON. */
const OPEN = new Set(['registration_map', 'record_output_emitted', 'call_telemetry_input']);

describe('shapes', () => {
  it('has each name once', () => {
    const names = ALL_SHAPES.map((entry) => entry.name);
    expect(new Set(names).size).toBe(names.length);
  });

  for (const { name, schema, example } of ALL_SHAPES) {
    it(`${name}: the example parses and comes back unchanged`, () => {
      expect(schema.parse(JSON.parse(JSON.stringify(example)))).toEqual(example);
    });
    const isObject = typeof example === 'object' && example !== null && !Array.isArray(example);
    if (isObject && !OPEN.has(name)) {
      it(`${name}: an unknown key is refused`, () => {
        expect(schema.safeParse({ ...example, unknown_key: 1 }).success).toBe(false);
      });
    }
    if (isObject && !OPEN.has(name) && Object.keys(example).length > 0) {
      it(`${name}: a wrong type is refused`, () => {
        expect(schema.safeParse('text').success).toBe(false);
      });
    }
  }
});

describe('generated texts', () => {
  it('describes every shape in the schema file', () => {
    const document = JSON.parse(generateBrainProtocolSchema()) as { $defs: Record<string, unknown> };
    expect(Object.keys(document.$defs).length).toBeGreaterThan(ALL_SHAPES.length);
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/"#\/\$defs\/([A-Za-z0-9]+)"/g)) expect(document.$defs).toHaveProperty(name!);
    expect(toSchemas().RunParams).toMatchObject({ additionalProperties: false });
  });

  it('names every method of brain/call in the page, and is stable', () => {
    const page = generateHarnessProtocolDoc();
    for (const method of Object.keys(CALL_METHODS)) expect(page).toContain(`### \`${method}\``);
    expect(generateHarnessProtocolDoc()).toBe(page);
    expect(page.split('\n').filter((line) => line.includes('undefined'))).toEqual([]);
  });
});
