// The one mapping between an operation's input and its command line, both ways of naming a flag included.
import type { Operation } from './operation.ts';
import { wireSchema } from './schema.ts';

/** `--source` names the source that a command acts on, so a field that says where a statement is from has another. */
const OTHER_FLAGS: Readonly<Record<string, string>> = { source_id: '--source', source: '--cite' };

/** Flag of an input field: `include_deleted` -> `--include-deleted`; `source_id` -> `--source`. */
export function flagOf(field: string): string {
  return (Object.hasOwn(OTHER_FLAGS, field) && OTHER_FLAGS[field]) || `--${field.replaceAll('_', '-')}`;
}

const asText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function flagWords(field: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (value === true) return [flagOf(field)];
  if (value === false) return [flagOf(field).replace(/^--/, '--no-')];
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    return value.flatMap((item) => withValue(field, item));
  }
  return withValue(field, value);
}

/** A flag with its value: one word where the value would be read as a flag. */
function withValue(field: string, value: unknown): string[] {
  const text = asText(value);
  return text.startsWith('-') ? [`${flagOf(field)}=${text}`] : [flagOf(field), text];
}

/**
 * Command line of a call: flags first, then the positionals behind a bare `--` (words of a vocabulary stand
 * without it, before the flags). No brain or source is pinned here; rendering does that.
 */
export function callArgv(operation: Operation, input: Record<string, unknown>): string[] {
  const { command, positionals = [], plainPositionals = false } = operation.cli;
  const given = positionals.filter((field) => input[field] !== undefined).map((field) => asText(input[field]));
  const flags = Object.entries(input)
    .filter(([field]) => !positionals.includes(field))
    .flatMap(([field, value]) => flagWords(field, value));
  const words = ['gbrain', ...command.split(' ')];
  if (plainPositionals) return [...words, ...given, ...flags];
  return given.length > 0 ? [...words, ...flags, '--', ...given] : [...words, ...flags];
}

/** How a flag is read: with a value or without, once or often. */
export type FlagConfig = { type: 'string' | 'boolean'; multiple?: boolean; short?: string };

const GLOBAL_FLAGS: Record<string, FlagConfig> = {
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  pager: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  brain: { type: 'string' },
  source: { type: 'string' },
  timeout: { type: 'string' },
};

const CONSENT_FLAGS: Record<string, FlagConfig> = {
  yes: { type: 'boolean' },
  expect: { type: 'string' },
  'max-usd': { type: 'string' },
  'max-cost': { type: 'string' },
};

/** Flags of a command without their dashes: its own fields, the global ones and, where it asks, its approvals. */
export function flagsOf(operation: Operation): Record<string, FlagConfig> {
  const { properties } = wireSchema(operation, { listFullOnly: true });
  const flags: Record<string, FlagConfig> = { ...GLOBAL_FLAGS };
  if (!operation.routesSource) delete flags.source;
  if (operation.where !== 'brain' && !operation.cli.opensBrain) delete flags.brain;
  if (operation.consent) Object.assign(flags, CONSENT_FLAGS);
  if (operation.cli.stdin) flags.file = { type: 'string' };
  if ('wait_ms' in properties) {
    flags['accept-pending'] = { type: 'boolean' };
    flags.wait = { type: 'string' };
  }
  for (const [field, property] of Object.entries(properties)) {
    const short = operation.cli.short?.[field];
    flags[flagOf(field).slice(2)] = {
      type: property.type === 'boolean' ? 'boolean' : 'string',
      ...(property.type === 'array' && { multiple: true }),
      ...(short && { short }),
    };
  }
  return flags;
}
