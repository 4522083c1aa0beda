// What one process offers to the pipeline and to process commands: home, settings, registry, opening a brain.
// Made once, in bin/; everything that differs between a terminal, a server and a test stands here.
import type { ContentDirectory } from './areas/content/directory.ts';
import type { OpenBrain } from './brain.ts';
import type { SessionSurface } from './context.ts';
import type { Registry } from './registry.ts';
import type { FoundSetting } from './settings.ts';

/** Folders and files of one GBRAIN_HOME. */
export interface Home {
  readonly root: string;
  readonly configFile: string;
  readonly mutedFile: string;
}

/** The file plane: `config.json` of the home. */
export interface FileConfig {
  /** Values by dotted key; empty when there is no file. Fails with `config_error` when it cannot be read. */
  read(): Promise<ReadonlyMap<string, string>>;
  /** Writes or removes one key through a temporary file and a rename. */
  write(key: string, value: string | undefined): Promise<void>;
}

/** What was asked for at the edge of the process, before anything is resolved. */
export interface Ambient {
  /** `GBRAIN_BRAIN_ID` and `GBRAIN_SOURCE`, when set. */
  brain?: string;
  source?: string;
}

/** What `serve` was asked for; absent values come from the environment and the settings. */
export interface ServeOptions {
  surface?: SessionSurface;
  access: 'full' | 'read-only';
  signal: AbortSignal;
}

/** Which brain `init` is asked for. */
export type WantedBrain = { engine: 'pglite' } | { engine: 'postgres'; url: string };

/** The brain that `init` made or found. */
export interface MadeBrain {
  engine: 'pglite' | 'postgres';
  /** Data folder, or the server's address without its password. */
  path: string;
  /** Absent where another process has the brain open. */
  pages?: number;
  /** True when it was there before. */
  existing: boolean;
  /** Where its pages are written out; absent where another process has the brain open, and on a server. */
  content?: ContentDirectory;
}

/** The process that has an embedded brain open, as it says itself. */
export interface BrainOwner {
  pid: number;
  transport: 'stdio' | 'http' | 'cli';
  /** True for a server, false for one command. */
  serve: boolean;
  version: string;
  /** When it took the brain, ISO 8601. */
  startedAt: string;
  /** False when no process of this number lives: the record is what a killed owner left. */
  isAlive: boolean;
}

/** A tool server that is not this process: a command that serves on its pipe, or an address with a token. */
export type ToolTarget =
  | { argv: readonly string[]; env?: Readonly<Record<string, string | undefined>> }
  | { url: string; token?: string };

/** A tool as a server lists it. */
export interface ListedTool {
  name: string;
  inputSchema: Readonly<Record<string, unknown>>;
  annotations?: Readonly<Record<string, unknown>>;
}

/** A server's reply to one call. */
export interface ToolReply {
  content: readonly { type: string; text?: string }[];
  isError?: boolean;
}

/** A connection to such a server. */
export interface ToolServer {
  about: { name: string; version: string };
  tools(): Promise<ListedTool[]>;
  call(name: string, args: Record<string, unknown>): Promise<ToolReply>;
  close(): Promise<void>;
}

/** One process, as the pipeline and the process commands see it. */
export interface Host {
  readonly version: string;
  readonly registry: Registry;
  readonly home: Home;
  readonly fileConfig: FileConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ambient: Ambient;
  /** Absolute path of the launcher, for registrations and hooks. */
  readonly launcher: string;
  /** Base of docs URLs; absent where the package names no repository. */
  readonly docsBase?: string;
  /** Writes an unexpected fault with its stack to the log of the process; never to a reply. */
  reportFault(operation: string, thrown: unknown): void;
  now(): Date;
  newId(): string;
  sha256(text: string | Uint8Array): string;
  /** Serves MCP on this process' pipe until the client goes away. */
  serveStdio(options: ServeOptions): Promise<void>;
  /** Connects to a tool server that somebody else runs. Rejects with what it or the system says. */
  connectTools(target: ToolTarget, signal: AbortSignal): Promise<ToolServer>;
  /** Makes the brain of this home, or finds that it is there; the brain is closed again when this resolves. */
  createBrain(wanted: WantedBrain): Promise<MadeBrain>;
  /** The open brain with this id; opens it at the first call. Fails with a registered code. */
  openBrain(id: string): Promise<OpenBrain>;
  /** Who has the embedded brain in this folder open, by its record; it takes no lock. */
  brainOwner(dataDir: string): BrainOwner | undefined;
  /** A registered setting after all planes. */
  setting(key: string): Promise<FoundSetting>;
}
