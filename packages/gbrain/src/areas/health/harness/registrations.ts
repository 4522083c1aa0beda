// Which agent apps of this user have gbrain registered, read from their own configuration files. It changes none.
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

/** An agent app. */
export type HarnessId = 'claude-code' | 'codex' | 'opencode' | 'cursor';

/** One registration of gbrain in an agent app. */
export interface Registration {
  harness: HarnessId;
  /** Name of the entry in the app's file. */
  name: string;
  file: string;
  /** Command with its arguments; absent for a server that is reached by address. */
  argv?: string[];
  url?: string;
  env: Record<string, string>;
  isEnabled: boolean;
}

/** A configuration file that exists. */
export interface HarnessFile {
  harness: HarnessId;
  file: string;
  registrations: Registration[];
  /** Why it could not be read as what it is; its registrations are then unknown. */
  problem?: string;
}

type Json = Record<string, unknown>;
type Env = Readonly<Record<string, string | undefined>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectAt = (value: unknown, key: string): Json => {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
};

const words = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

const textMap = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([k, v]) => (typeof v === 'string' ? [[k, v]] : [])),
  );

/** True for an entry that starts gbrain, by its name or by what it runs. */
export function isOurs(name: string, argv: readonly string[]): boolean {
  const runs = argv.some((word) => /^gbrain(\.cmd|\.exe|\.js)?$/.test(basename(word.replaceAll('\\', '/'))));
  return name === 'gbrain' || (runs && argv.includes('serve'));
}

interface Entry {
  argv?: string[];
  url?: string;
  env: Record<string, string>;
  isEnabled?: boolean;
}

function gather(
  at: Pick<Registration, 'harness' | 'file'>,
  servers: Json,
  read: (entry: Json) => Entry,
): Registration[] {
  return Object.entries(servers).flatMap(([name, value]) => {
    if (!isObject(value)) return [];
    const { isEnabled = true, ...entry } = read(value);
    return isOurs(name, entry.argv ?? []) ? [{ ...at, name, ...entry, isEnabled }] : [];
  });
}

const commandAndArgs = (entry: Json): Entry => ({
  ...(typeof entry.command === 'string' && { argv: [entry.command, ...words(entry.args)] }),
  ...(typeof entry.url === 'string' && { url: entry.url }),
  env: textMap(entry.env),
});

/** Registrations of Claude Code's `.claude.json`: those of the user and those of single projects. */
export function parseClaude(text: string, file: string): Registration[] {
  const content: unknown = JSON.parse(text);
  const at = { harness: 'claude-code', file } as const;
  const projects = Object.values(objectAt(content, 'projects'));
  return [content, ...projects].flatMap((one) => gather(at, objectAt(one, 'mcpServers'), commandAndArgs));
}

/** Registrations of Codex' `config.toml`. */
export async function parseCodex(text: string, file: string): Promise<Registration[]> {
  const { parse } = await import('smol-toml');
  return gather({ harness: 'codex', file }, objectAt(parse(text), 'mcp_servers'), (entry) => ({
    ...commandAndArgs(entry),
    isEnabled: entry.enabled !== false,
  }));
}

/** JSON without its comments and trailing commas; text inside strings stays. */
export function plainJson(text: string): string {
  const token = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*(?:\/\/[^\n]*\s*|\/\*[\s\S]*?\*\/\s*)*[}\]])/g;
  return text.replace(token, (found) => (found.startsWith('"') ? found : ''));
}

/** Registrations of OpenCode's `opencode.json`, which may hold comments. */
export function parseOpencode(text: string, file: string): Registration[] {
  const content: unknown = JSON.parse(plainJson(text));
  return gather({ harness: 'opencode', file }, objectAt(content, 'mcp'), (entry) => ({
    ...(words(entry.command).length > 0 && { argv: words(entry.command) }),
    ...(typeof entry.url === 'string' && { url: entry.url }),
    env: textMap(entry.environment),
    isEnabled: entry.enabled !== false,
  }));
}

/** Registrations of Cursor's `mcp.json`. */
export const parseCursor = (text: string, file: string): Registration[] =>
  gather({ harness: 'cursor', file }, objectAt(JSON.parse(text), 'mcpServers'), commandAndArgs);

type Parse = (text: string, file: string) => Registration[] | Promise<Registration[]>;

/** Where each app keeps its configuration. */
export function harnessFiles(env: Env, home = env.HOME || homedir()): [HarnessId, string, Parse][] {
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const claude = env.CLAUDE_CONFIG_DIR ? join(env.CLAUDE_CONFIG_DIR, '.claude.json') : join(home, '.claude.json');
  return [
    ['claude-code', claude, parseClaude],
    ['codex', join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'), parseCodex],
    ['opencode', join(config, 'opencode', 'opencode.json'), parseOpencode],
    ['opencode', join(config, 'opencode', 'opencode.jsonc'), parseOpencode],
    ['cursor', join(home, '.cursor', 'mcp.json'), parseCursor],
  ];
}

/** The configuration files that exist, with the registrations of gbrain in each. */
export async function readHarnessFiles(env: Env): Promise<HarnessFile[]> {
  const found: HarnessFile[] = [];
  for (const [harness, file, parse] of harnessFiles(env)) {
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      found.push({ harness, file, registrations: [], problem: 'it cannot be read' });
      continue;
    }
    try {
      found.push({ harness, file, registrations: await parse(text, file) });
    } catch {
      found.push({ harness, file, registrations: [], problem: 'it is not what its app writes' });
    }
  }
  return found;
}
