// The map of registrations: parsed, validated and resolved to absolute commands before the server is ready.
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { JsonObject } from '@gbrain/brain-protocol/json';
import { REGISTRATION_DEFAULTS, RegistrationMap } from '@gbrain/brain-protocol/registration';
import { SettingError } from '../settings.ts';

/** A registration that can be started. */
export interface ResolvedRegistration {
  name: string;
  /** Absolute path. */
  command: string;
  args: string[];
  configuration: JsonObject;
  workers: number;
  maxConcurrency: number;
}

/** Where commands are looked for. */
export interface CommandSearch {
  /** The server's folder: relative commands start there. */
  folder: string;
  path: string;
}

/** Parses `--agentloops`: JSON when it begins with `{`, else the path of a file. Throws a SettingError. */
export function parseRegistrations(value: string, search: CommandSearch): ResolvedRegistration[] {
  const text = value.trimStart().startsWith('{') ? value : readMap(value);
  const parsed = RegistrationMap.safeParse(parseJson(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.length ? ` at ${issue.path.join('.')}` : '';
    throw new SettingError(`The registrations are not valid${where}: ${issue?.message ?? 'unknown reason'}.`);
  }
  for (const [name, { command, args = [] }] of Object.entries(parsed.data)) {
    if (![command, ...args].some((word) => word.includes('\0'))) continue;
    throw new SettingError(`The command of registration ${name} holds a NUL character.`);
  }
  return Object.entries(parsed.data).map(([name, registration]) => ({
    name,
    command: resolveCommand(name, registration.command, search),
    args: registration.args ?? [],
    configuration: registration.configuration ?? {},
    workers: registration.workers ?? REGISTRATION_DEFAULTS.workers,
    maxConcurrency: registration.max_concurrency ?? REGISTRATION_DEFAULTS.maxConcurrency,
  }));
}

function readMap(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SettingError(`The registrations cannot be read from ${path}: ${(error as Error).message}.`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SettingError(`The registrations are not JSON: ${(error as Error).message}.`);
  }
}

/** A bare name is searched on PATH; anything with a slash starts at the folder that the server runs in. */
function resolveCommand(name: string, command: string, { folder, path }: CommandSearch): string {
  const bare = !command.includes('/') && !command.includes('\\');
  const candidates = bare
    ? path
        .split(delimiter)
        .filter(Boolean)
        .map((part) => join(part, command))
    : [isAbsolute(command) ? command : resolve(folder, command)];
  const found = candidates.find(isExecutable);
  if (found) return found;
  const present = candidates.find((candidate) => existsSync(candidate));
  throw new SettingError(
    present
      ? `The command of registration ${name} is not executable: ${present}.`
      : `The command of registration ${name} was not found: ${command}.`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Absent or without the permission: both mean "not this one".
    return false;
  }
}
