// The agent apps that gbrain can be registered with: where each keeps its tool servers and what an entry looks like.
// It reads and writes nothing.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Ids of the apps. */
export const APP_IDS = ['claude-code', 'codex', 'opencode', 'cursor'] as const;

/** One of them. */
export type AppId = (typeof APP_IDS)[number];

type Env = Readonly<Record<string, string | undefined>>;

/** What is registered: the command of a stdio server, and the environment that it needs. */
export interface ServerCommand {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** An entry of an app's file. */
export type Entry = Record<string, unknown>;

/** An app. */
export interface App {
  id: AppId;
  name: string;
  /** Its program, when it is on the PATH. */
  program: string;
  format: 'json' | 'toml';
  /** Keys from the root of the file to its table of servers. */
  path: readonly string[];
  file(env: Env, home: string): string;
  entry(command: ServerCommand): Entry;
  /** How the new registration takes effect. */
  restart: string;
  /** The user's own file of instructions, for apps that read one with every session. */
  instructions?(env: Env, home: string): string;
  /** Where it keeps the commands that it runs when its agent has answered, for apps that have such. */
  stopHook?: { file(env: Env, home: string): string; path: readonly string[] };
}

const commandAndArgs = ({ argv: [command, ...args], env }: ServerCommand): Entry => ({
  command,
  args,
  ...(Object.keys(env).length > 0 && { env }),
});

function opencodeFile(env: Env, home: string): string {
  const folder = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
  const withComments = join(folder, 'opencode.jsonc');
  return existsSync(withComments) ? withComments : join(folder, 'opencode.json');
}

/** Every app, in the order in which it is told. */
export const APPS: readonly App[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    program: 'claude',
    format: 'json',
    path: ['mcpServers'],
    file: (env, home) => join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
    entry: (command) => ({ type: 'stdio', ...commandAndArgs(command) }),
    restart: 'Start a new Claude Code session; /mcp lists it.',
    instructions: (env, home) => join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'CLAUDE.md'),
    stopHook: {
      file: (env, home) => join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
      path: ['hooks', 'Stop'],
    },
  },
  {
    id: 'codex',
    name: 'Codex',
    program: 'codex',
    format: 'toml',
    path: ['mcp_servers'],
    file: (env, home) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    entry: commandAndArgs,
    restart: 'Start a new Codex session; codex mcp list shows it.',
    instructions: (env, home) => join(env.CODEX_HOME || join(home, '.codex'), 'AGENTS.md'),
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    program: 'opencode',
    format: 'json',
    path: ['mcp'],
    file: opencodeFile,
    entry: ({ argv, env }) => ({
      type: 'local',
      command: [...argv],
      enabled: true,
      ...(Object.keys(env).length > 0 && { environment: env }),
    }),
    restart: 'Start a new OpenCode session.',
    instructions: (env, home) => join(dirname(opencodeFile(env, home)), 'AGENTS.md'),
  },
  {
    id: 'cursor',
    name: 'Cursor',
    program: 'cursor',
    format: 'json',
    path: ['mcpServers'],
    file: (_, home) => join(home, '.cursor', 'mcp.json'),
    entry: commandAndArgs,
    restart: 'Restart Cursor, or turn the server on in its settings under MCP.',
  },
];

/** The home folder of the user whose apps these are. */
export const userHome = (env: Env): string => env.HOME || homedir();

/** True when an app is there: its program on the PATH, or a folder of settings of its own. */
export function isAppHere(app: App, env: Env, isOnPath: (program: string) => boolean): boolean {
  const home = userHome(env);
  const file = app.file(env, home);
  // The folder of Claude Code's file is the home itself, which says nothing.
  return isOnPath(app.program) || existsSync(file) || (dirname(file) !== home && existsSync(dirname(file)));
}
