// A call as a transport decodes it: an operation's name, raw arguments and what the edge knows of the run.
import type { Progress, SessionSurface } from './context.ts';
import type { Outcome } from './outcome.ts';

/** Authority that came with the call itself, from flags. Never inferred. */
export interface Approval {
  yes: boolean;
  /** Plan hash that the user approved (`--expect`). */
  expect?: string;
  /** The most that the run may cost (`--max-usd`); `off` is uncapped. */
  maxUsd?: number | 'off';
}

/** Plain data: it crosses the owner's socket unchanged. */
export interface Call {
  op: string;
  args: Record<string, unknown>;
  brain?: string;
  source?: string;
  approval?: Approval;
  /** How long a command waits for its write to commit, which may be longer than a tool call waits. */
  waitMs?: number;
  /** Opens the brain as it is, without migrations or work in the background. Another process' brain is open already. */
  observes?: boolean;
  /** Deadline of this call; it shortens the operation's own, never extends it beyond ten minutes. */
  timeoutMs?: number;
}

/** The live side of a call: what cannot be plain data. */
export interface CallIo {
  signal: AbortSignal;
  progress(value: Progress): void;
  /** The caller's piped input, read on demand; absent where there is none. */
  stdin?(): AsyncIterable<Uint8Array>;
  /** Runs a call where the brain is open; absent where that is this process. Never rejects. */
  callBrain?(call: Call): Promise<Outcome>;
  /** The MCP session that calls; absent elsewhere. It stays in the process that serves the session. */
  session?: SessionControls;
}

/** What a tool may change of the session that called it. */
export interface SessionControls {
  readonly surface: SessionSurface;
  /** The revision forbids a tool list that changes, so other tools are reached through `call_tool`. */
  readonly listIsFixed: boolean;
  /** Widens the session's surface; nothing is stored, and it ends with the session. */
  widen(surface: SessionSurface): void;
}
