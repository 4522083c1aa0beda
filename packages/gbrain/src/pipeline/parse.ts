// Step 3: raw arguments to typed input: repair, unknown keys, bounds, schema; and what a refusal proposes instead.
import { closest } from '@gbrain/wire/did-you-mean';
import { raise } from '../failure.ts';
import type { Operation } from '../operation.ts';
import { inputSchema, metaOf, type WireProperty, wireSchema } from '../schema.ts';
import { type Clamped, clampValue, repairValue } from './repair.ts';

/** An undeclared argument that was left out, with the declared one that was probably meant. */
export interface UnknownParam {
  param: string;
  suggestion?: string;
}

/** Typed arguments, with what was left out or clamped on the way. */
export interface Parsed {
  input: Record<string, unknown>;
  unknown: UnknownParam[];
  clamped: Clamped[];
}

/** Keys that every operation lets pass. Source: facts/contract G.4. */
const PASSTHROUGH = new Set(['_meta', 'dry_run']);

/** One argument that the schema refused. */
export interface BadParam {
  param: string;
  problem: 'missing' | 'type' | 'choice' | 'range' | 'unknown' | 'shape';
  expected: string;
  choices?: readonly string[];
  suggestion?: string;
  given?: string;
}

const TYPE_WORD: Record<WireProperty['type'], string> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function isOfType(value: unknown, type: WireProperty['type']): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function badParam(param: string, value: unknown, property: WireProperty | undefined, message: string): BadParam {
  if (!property) return { param, problem: 'shape', expected: message };
  if (value === undefined) return { param, problem: 'missing', expected: TYPE_WORD[property.type] };
  if (!isOfType(value, property.type)) return { param, problem: 'type', expected: TYPE_WORD[property.type] };
  if (property.enum) {
    const suggestion = closest(String(value), property.enum);
    return {
      param,
      problem: 'choice',
      expected: `one of ${property.enum.join(', ')}`,
      choices: property.enum,
      given: String(value).slice(0, 60),
      ...(suggestion && { suggestion }),
    };
  }
  const { minimum, maximum } = property;
  if (typeof value === 'number' && (minimum !== undefined || maximum !== undefined)) {
    return { param, problem: 'range', expected: `from ${minimum ?? 'any'} to ${maximum ?? 'any'}` };
  }
  return { param, problem: 'shape', expected: message };
}

/** A value for a refused argument that surely passes; undefined leaves the argument out. */
function correction(operation: Operation, bad: BadParam, property: WireProperty | undefined): unknown {
  if (operation.mutating || bad.problem === 'unknown') return undefined;
  const meta = metaOf(operation, bad.param);
  return bad.suggestion ?? meta.example ?? property?.default ?? property?.enum?.[0];
}

/** The same call with every refused argument corrected or left out; undefined when a required one cannot be. */
export function correctedInput(
  operation: Operation,
  input: Record<string, unknown>,
  bad: readonly BadParam[],
): Record<string, unknown> | undefined {
  const { properties, required = [] } = wireSchema(operation, { listFullOnly: true });
  const corrected = { ...input };
  for (const one of bad) {
    const value = correction(operation, one, properties[one.param]);
    if (value !== undefined) corrected[one.param] = value;
    else if (required.includes(one.param)) return undefined;
    else delete corrected[one.param];
  }
  return inputSchema(operation).safeParse(corrected).success ? corrected : undefined;
}

function refuse(
  operation: Operation,
  input: Record<string, unknown>,
  bad: readonly BadParam[],
  isTerminal = false,
): never {
  const first = bad[0]!;
  const corrected = correctedInput(operation, input, bad);
  // A verb's correction is the tool call that every agent can make.
  const only = operation.protocolVersion && corrected && !isTerminal ? { only: 'mcp' } : {};
  raise('invalid_params', { tool: operation.name, ...first, bad, ...(corrected && { corrected }), ...only });
}

function splitUnknown(operation: Operation, args: Record<string, unknown>) {
  const { properties } = wireSchema(operation, { listFullOnly: true });
  const known: Record<string, unknown> = {};
  const unknown: UnknownParam[] = [];
  for (const [param, value] of Object.entries(args)) {
    if (Object.hasOwn(properties, param)) known[param] = value;
    else if (!PASSTHROUGH.has(param)) {
      const suggestion = closest(param, Object.keys(properties));
      unknown.push({ param: param.slice(0, 60), ...(suggestion && { suggestion }) });
    }
  }
  return { known, unknown };
}

/** Raises `invalid_params` for the unknown arguments of a call. */
export function refuseUnknown(operation: Operation, parsed: Pick<Parsed, 'input' | 'unknown'>): never {
  const bad = parsed.unknown.map((one): BadParam => ({ ...one, problem: 'unknown', expected: 'a declared argument' }));
  return refuse(operation, parsed.input, bad);
}

/** Place of the first NUL or half character of a text, in characters from 1; undefined when there is none. */
function unkeptAt(text: string): number | undefined {
  if (!text.includes('\0') && text.isWellFormed()) return undefined;
  return [...text].findIndex((character) => character === '\0' || !character.isWellFormed()) + 1;
}

/**
 * A character that no database keeps is refused before anything is read or written, with its place. The payload has a
 * code of its own for it.
 */
function refuseUnkept(operation: Operation, input: Record<string, unknown>, isTerminal: boolean): void {
  const bad = Object.entries(input).flatMap(([param, value]): BadParam[] => {
    if (typeof value !== 'string' || param === operation.cli.stdin) return [];
    const at = unkeptAt(value);
    if (at === undefined) return [];
    return [
      { param, problem: 'shape', expected: `text without NUL and without half characters (one is character ${at})` },
    ];
  });
  if (bad.length > 0) refuse(operation, input, bad, isTerminal);
}

/**
 * Typed input of a call. Raises `invalid_params` for arguments that do not fit, and for unknown ones when `strict`
 * or when the operation is destructive.
 */
export function parseInput(operation: Operation, args: Record<string, unknown>, strict: boolean): Parsed {
  const { properties, required = [] } = wireSchema(operation, { listFullOnly: true });
  const { known, unknown } = splitUnknown(operation, args);
  const input: Record<string, unknown> = {};
  const clamped: Clamped[] = [];
  for (const [param, value] of Object.entries(known)) {
    const property = properties[param]!;
    const meta = metaOf(operation, param);
    const repaired = repairValue(value, property, meta, required.includes(param));
    if (!repaired) continue;
    const bounded = clampValue(param, repaired.value, property, meta);
    input[param] = bounded.value;
    if (bounded.clamped) clamped.push(bounded.clamped);
  }
  const checked = inputSchema(operation).safeParse(input);
  if (!checked.success) {
    const seen = new Map(
      checked.error.issues.map((issue) => {
        const param = String(issue.path[0] ?? '');
        return [param, badParam(param, input[param], properties[param], issue.message)] as const;
      }),
    );
    refuse(operation, input, [...seen.values()], strict);
  }
  refuseUnkept(operation, checked.data, strict);
  if (unknown.length > 0 && (strict || operation.destructive)) refuseUnknown(operation, { input, unknown });
  return { input: checked.data, unknown, clamped };
}
