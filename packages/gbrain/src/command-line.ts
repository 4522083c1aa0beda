// The one mapping between an operation's input and its command line, both ways of naming a flag included.
import type { Operation } from './operation.ts';

/** Flag of an input field: `include_deleted` -> `--include-deleted`; `source_id` -> `--source`. */
export function flagOf(field: string): string {
  return field === 'source_id' ? '--source' : `--${field.replaceAll('_', '-')}`;
}

const asText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function flagWords(field: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (value === true) return [flagOf(field)];
  if (value === false) return [flagOf(field).replace(/^--/, '--no-')];
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    return value.flatMap((item) => [flagOf(field), asText(item)]);
  }
  return [flagOf(field), asText(value)];
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
