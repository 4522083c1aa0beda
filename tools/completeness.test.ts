// Every registered thing is complete: summary, examples that parse, a requirement, declared codes, fixes that name
// registered calls, wire schemas in the plain dialect, and fresh generated pages.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildFailure } from '../packages/gbrain/src/failure.ts';
import { toAction } from '../packages/gbrain/src/fix.ts';
import { checks } from '../packages/gbrain/src/generated/checks.ts';
import { errors } from '../packages/gbrain/src/generated/errors.ts';
import { exports } from '../packages/gbrain/src/generated/exports.ts';
import { jobs } from '../packages/gbrain/src/generated/jobs.ts';
import { notices } from '../packages/gbrain/src/generated/notices.ts';
import { operations } from '../packages/gbrain/src/generated/operations.ts';
import { parts } from '../packages/gbrain/src/generated/parts.ts';
import { providers } from '../packages/gbrain/src/generated/providers.ts';
import { settings } from '../packages/gbrain/src/generated/settings.ts';
import { buildNotice } from '../packages/gbrain/src/notices.ts';
import { buildRegistry } from '../packages/gbrain/src/registry.ts';
import { inputSchema, outputSchema, type WireProperty, wireSchema } from '../packages/gbrain/src/schema.ts';
import { filesBelow, indexFiles } from './generate.ts';
import { docFiles } from './generate-docs.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const registry = buildRegistry({ operations, errors, notices, settings });
const PIPELINE = ['invalid_params', 'internal_error', 'timeout', 'cancelled', 'database_error'];

function faultsOf(path: string, property: WireProperty): string[] {
  const faults: string[] = [];
  const allowed = ['type', 'description', 'enum', 'default', 'minimum', 'maximum', 'items', 'properties', 'required'];
  const keys = Object.keys(property).filter((key) => ![...allowed, 'additionalProperties'].includes(key));
  if (keys.length > 0) faults.push(`${path} has ${keys.join(', ')}`);
  if (typeof property.type !== 'string') faults.push(`${path} has no single type`);
  if (property.type === 'array') {
    if (!property.items) faults.push(`${path} has no items`);
    else faults.push(...faultsOf(`${path}[]`, property.items));
  }
  for (const [key, inner] of Object.entries(property.properties ?? {}))
    faults.push(...faultsOf(`${path}.${key}`, inner));
  return faults;
}

describe.each(registry.operations.map((operation) => [operation.name, operation] as const))(
  'operation %s',
  (name, op) => {
    it('is described', () => {
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,47}$/);
      expect(op.title).toMatch(/^.{3,40}$/);
      expect(op.summary).toMatch(/^[A-Z].{10,200}\.$/);
      expect(op.requirement).not.toBe('');
      expect(op.examples.length).toBeGreaterThan(0);
    });

    it('has examples that its schema takes', () => {
      for (const { input } of op.examples) expect(inputSchema(op).safeParse(input).error).toBeUndefined();
    });

    it('describes every field, in the plain dialect', () => {
      const { properties } = wireSchema(op, { listFullOnly: true });
      const bare = Object.entries(properties).filter(([, property]) => !property.description);
      expect(bare.map(([key]) => key)).toEqual([]);
      expect(Object.entries(properties).flatMap(([key, property]) => faultsOf(`${name}.${key}`, property))).toEqual([]);
      expect(wireSchema(op, { closed: true }).additionalProperties).toBe(false);
    });

    it('has an output schema', () => {
      expect(outputSchema(op)).toBeTypeOf('object');
    });

    it('declares registered codes and notices only', () => {
      expect([...op.errors, ...PIPELINE].filter((code) => !registry.errors.has(code))).toEqual([]);
      expect((op.notices ?? []).filter((code) => !registry.notices.has(code))).toEqual([]);
    });

    it('takes positionals that are fields', () => {
      const { properties } = wireSchema(op, { listFullOnly: true });
      expect((op.cli.positionals ?? []).filter((field) => !(field in properties))).toEqual([]);
      if (op.cli.stdin) expect(properties).toHaveProperty(op.cli.stdin);
    });
  },
);

describe('error rows', () => {
  it.each([...registry.errors])('%s renders its example with a fix that exists', (code, row) => {
    const point = { operation: 'list_pages', input: {}, mutating: false, idempotent: true };
    const seen: string[] = [];
    const failure = buildFailure(code, row, row.example, {
      point,
      toAction: (fix) => {
        if (fix.call) seen.push(fix.call.op);
        if (fix.verify) seen.push(fix.verify.op);
        return toAction(registry, fix);
      },
    });
    expect(code).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(row.summary).toMatch(/^[A-Z].*\.$/);
    expect(failure.message).not.toMatch(/undefined|\[object|null/);
    expect(failure.suggestion).not.toBe('');
    expect(seen.filter((op) => !registry.operation(op))).toEqual([]);
    const reason = row.example.reason;
    if (typeof reason === 'string' && row.reasons) expect(row.reasons).toContain(reason);
  });

  it('are all raised somewhere', () => {
    // These two are written by the fallback documents of a command that ended without one.
    const documents = ['command_failed', 'interrupted'];
    const declared = new Set([...PIPELINE, ...documents, ...registry.operations.flatMap((op) => op.errors)]);
    const sources = [...registry.errors.keys()].filter((code) => !declared.has(code));
    const text = sourceText();
    expect(sources.filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  });
});

describe('notice rows', () => {
  it.each([...registry.notices])('%s renders its example', (code, row) => {
    const notice = buildNotice(code, row, row.example, (fix) => toAction(registry, fix));
    expect(notice.why).not.toMatch(/undefined|\[object/);
    for (const { options, default: choice } of notice.decisions ?? []) {
      expect(options.map(({ id }) => id)).toContain(choice);
      const ours = options.flatMap(({ argv }) => (argv?.[0] === 'gbrain' ? [argv] : []));
      expect(ours.filter((argv) => !registry.command(argv.slice(1)))).toEqual([]);
    }
  });
});

describe('other kinds', () => {
  it('are described', () => {
    for (const { value } of [...jobs, ...checks, ...providers, ...parts, ...exports]) {
      expect(value.summary).toMatch(/\.$/);
      expect(value.requirement).not.toBe('');
    }
    for (const [key, row] of registry.settings) {
      expect(`${key}: ${row.summary}`).toMatch(/\.$/);
      expect(row.requirement).not.toBe('');
    }
  });
});

describe('generated files', () => {
  it('are fresh: run npm run generate', async () => {
    const wanted = new Map([...indexFiles(), ...(await docFiles())]);
    const stale = [...wanted].filter(([path, content]) => {
      const full = join(root, path);
      return !existsSync(full) || readFileSync(full, 'utf8') !== content;
    });
    expect(stale.map(([path]) => path)).toEqual([]);
  });
});

function sourceText(): string {
  const folder = join(root, 'packages/gbrain/src');
  return [...new Set(registryFiles(folder))].map((path) => readFileSync(path, 'utf8')).join('\n');
}

function registryFiles(folder: string): string[] {
  return filesBelow(folder)
    .filter((path) => /\.ts$/.test(path) && !/\.(test|errors)\.ts$/.test(path) && !path.startsWith('generated/'))
    .map((path) => join(folder, path));
}
