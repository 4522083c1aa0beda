// What an operation is handed: who calls, on which brain and source, and the few things it may do.
// Capabilities are functions that open, so nothing is opened before it is needed.

import type { OpenBrain } from './brain.ts';
import type { Approval, Call, SessionControls } from './call.ts';
import type { FailData } from './failure.ts';
import type { Host } from './host.ts';
import type { NoticeData } from './notices.ts';
import type { Surface as ListedSurface, Scope } from './operation.ts';
import type { Outcome } from './outcome.ts';

/** A surface that a session can have. */
export type SessionSurface = Exclude<ListedSurface, 'cli'>;

/** Who calls and over what. The CLI and its forwarded calls are the owner; stdio is an agent on the owner's pipe. */
export interface Caller {
  transport: 'cli' | 'stdio' | 'http' | 'job';
  /** Stable name of who writes: `local`, `stdio`, a client id. Receipts are private to it. */
  principal: string;
  scopes: readonly Scope[];
  surface: SessionSurface;
  surfaceSource: 'env' | 'flag' | 'config' | 'default' | 'session' | 'client';
  access: 'full' | 'read-only';
  /** The owner sees private pages and fenced rows; everybody else does not. */
  owner: boolean;
  /** Journal record of the agent session that writes, when there is one. Never taken from an argument. */
  session?: { id: string; sequence: number };
}

/** The brain and source that a call acts on, resolved once. */
export interface Target {
  brain: string;
  /** `__all__` where a read goes over every source; `sources` then names them. */
  source: string;
  sources?: readonly string[];
}

/** What a read may see. A required argument of every read; there is no read without it. */
export interface ReadScope {
  readonly sources: readonly string[];
  readonly visibility: 'world' | 'all';
}

/** Codes that the pipeline itself raises, so every operation may end with them. */
export type PipelineCode = 'invalid_params' | 'internal_error' | 'timeout' | 'cancelled' | 'database_error';

/** What an operation is handed. */
export interface Context<Code extends string = string> {
  readonly caller: Caller;
  readonly target: Target;
  readonly scope: ReadScope;
  readonly signal: AbortSignal;
  /** What came with the call: flags of a user who agreed. */
  readonly approval?: Approval;
  /** How long a command's caller waits for its write; absent elsewhere. */
  readonly waitMs?: number;
  readonly host: Host;
  /** The brain that the call acts on; only in operations whose `where` is `brain`. */
  readonly brain: OpenBrain;
  /** Runs a call where the brain is open; absent where that is this process. Only in process operations. */
  callBrain?(call: Call): Promise<Outcome>;
  /** The MCP session that calls; only in operations whose `where` is `process`. */
  readonly session?: SessionControls;
  now(): Date;
  newId(): string;
  /** Ends the operation with a registered error. */
  fail(code: Code | PipelineCode, data?: FailData): never;
  /** Adds advice to a successful result. */
  notice(code: string, data?: NoticeData): void;
  /** Sets one key of `_meta`; each key has one producer. */
  meta(key: string, value: unknown): void;
  /** Adds a line that follows the body of the result. */
  line(text: string): void;
  /** Tells a waiting person or client how far a long run is. */
  progress(value: Progress): void;
}

/** How far a long run is. */
export interface Progress {
  what: string;
  done: number;
  total?: number;
}
