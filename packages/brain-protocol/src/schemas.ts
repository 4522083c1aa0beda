// JSON Schemas of every shape, with shared parts named once; the text of the generated schema file.
import { z } from 'zod';
import { ALL_SHAPES } from './catalogue/all.ts';
import { EnvironmentMethod, EnvironmentTemplate } from './environment.ts';
import { Origin } from './event.ts';
import { Cursor, EnvironmentRef, HostId, Identifier, RegistrationName, Sequence, SessionId, TimeMs } from './ids.ts';
import { Json, JsonRecord } from './json.ts';
import { Block, MediaBlock, ModelTool } from './message.ts';
import { ModelInfo, UserInput } from './session.ts';
import { EnvironmentGrant } from './tool.ts';

type Schema = z.core.JSONSchema.JSONSchema;

const PARTS: Record<string, z.ZodType> = {
  Json,
  JsonObject: JsonRecord,
  SessionId,
  HostId,
  Identifier,
  RegistrationName,
  Sequence,
  Cursor,
  TimeMs,
  Block,
  MediaBlock,
  ModelTool,
  Origin,
  EnvironmentRef,
  EnvironmentGrant,
  EnvironmentMethod,
  EnvironmentTemplate,
  ModelInfo,
  UserInput,
};

/** `session_summary` becomes `SessionSummary`: the name of a shape in notation and schemas. */
export function toTypeName(name: string): string {
  return name.replace(/(^|_)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
}

/** Every shape and shared part as JSON Schema (draft 2020-12); references are `#/$defs/<Name>`. */
export function toSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string }>();
  const aliases: [string, z.ZodType][] = [];
  for (const [id, schema] of Object.entries(PARTS)) registry.add(schema, { id });
  for (const { name, schema } of ALL_SHAPES) {
    if (registry.has(schema)) aliases.push([toTypeName(name), schema]);
    else registry.add(schema, { id: toTypeName(name) });
  }
  const made = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/$defs/${id}` }).schemas as Record<
    string,
    Schema
  >;
  for (const [alias, schema] of aliases) made[alias] = { $ref: `#/$defs/${registry.get(schema)?.id}` };
  for (const schema of Object.values(made)) {
    delete schema.$schema;
    delete schema.$id;
  }
  return made;
}

/** Text of `docs/generated/brain-protocol.schema.json`: one document, every shape under `$defs`, with its example. */
export function generateBrainProtocolSchema(): string {
  const schemas = toSchemas();
  const about = new Map(ALL_SHAPES.map((entry) => [toTypeName(entry.name), entry]));
  const $defs: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const entry = about.get(name);
    $defs[name] = entry ? { description: entry.about, examples: [entry.example], ...schema } : schema;
  }
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Brain: session API, journal records and brain/harness/v1',
    $defs,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
