// The next step that every failure, refusal and recommendation carries: stored shape and rendered shape.

/** A step that is expected to run longer is not run inside an agent's tool call. Source: AGENT_OPERATOR v1, Actors. */
export const AGENT_TOOL_LIMIT_MS = 120_000;

/** What a step does that the user must agree to. Source: AGENT_OPERATOR v1, Effects. */
export type Effect = 'paid' | 'destructive' | 'credentials' | 'egress' | 'persistent_install';

/** Who runs a step. Source: AGENT_OPERATOR v1, Actors. */
export type Actor = 'agent' | 'user' | 'host_admin' | 'provider';

/** What the reader of a rendered step does. Source: AGENT_OPERATOR v1, The next decision table. */
export type Next = 'run' | 'ask_user' | 'tell_user_to_run' | 'wait' | 'report';

/** One MCP tool call as data. */
export interface McpCall {
  tool: string;
  arguments: Record<string, unknown>;
}

/** A read-only check that a step worked. */
export interface Verify {
  argv?: string[];
  mcp?: McpCall;
}

/** A value to obtain before a step runs; argv holds `<name>` only for these. */
export interface ActionInput {
  name: string;
  how: string;
}

/** A step as it is stored: never `next`, never `command`; both are computed when it is rendered. */
export interface Action {
  argv?: string[];
  mcp?: McpCall;
  consent: Effect[];
  actor: Actor;
  why: string;
  user_message?: string;
  verify?: Verify;
  docs?: string;
  requires_exclusive: boolean;
  inputs?: ActionInput[];
  plan_hash?: string;
  preview_argv?: string[];
  then?: Action;
  /** True when every way out is the user's decision (row 1 of the next table). Never rendered. */
  user_decision?: boolean;
  /** How long the step is expected to run; beyond AGENT_TOOL_LIMIT_MS it is never an agent's. Never rendered. */
  expected_ms?: number;
  /** Estimated US dollars of a `paid` step, null when unknown; a preapproval is held against it. Never rendered. */
  est_usd?: number | null;
}

/** A step as one connection sees it. Key order is the order of this interface. */
export interface RenderedAction {
  argv?: string[];
  command?: string;
  mcp?: McpCall;
  consent: Effect[];
  actor: Actor;
  next: Next;
  why: string;
  user_message?: string;
  verify?: Verify;
  docs?: string;
  requires_exclusive: boolean;
  inputs?: ActionInput[];
  plan_hash?: string;
  preview_argv?: string[];
  then?: RenderedAction;
}

/** What rendering needs to know of the reader's connection. */
export interface Connection {
  transport: 'cli' | 'stdio' | 'http';
  /** The one predicate that also filters tools/list. Always false on the CLI. */
  isCallable(tool: string): boolean;
  /** Facts of the command that an argv names, from the registry; undefined for a program that is not ours. */
  command(argv: readonly string[]): CommandFacts | undefined;
  /** Brain and source that the failing call acted on; absent when none was resolved (nothing is pinned). */
  target?: { brain: string; source?: string };
  preapproval: Preapproval;
  /** Base of absolute docs URLs, without a trailing slash; absent leaves `docs` out. */
  docsBase?: string;
}

/** What routing pins need to know of a command. */
export interface CommandFacts {
  opensBrain: boolean;
  routesSource: boolean;
  /** The flag that names the source: `--source`, or `--source-id` where `--source` means something else. */
  sourceFlag: string;
  /** False when a thin client cannot send the source; over HTTP it is then pinned for the host's operator only. */
  thinClientSource?: boolean;
}

/** What the user told gbrain to stop asking about. Source: AGENT_OPERATOR v1, Consent and preapproval. */
export interface Preapproval {
  paidMaxUsdPerRun?: number;
  persistentInstall: boolean;
}
