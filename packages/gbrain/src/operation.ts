// The contract of an operation: everything that the command line, MCP, the docs and the surface lists know of it.
// It knows no transport and no engine.
import type { ConsentRequest } from '@gbrain/wire/envelope';
import type { input as ZodInput, z as ZodModule, ZodObject, ZodRawShape, ZodType } from 'zod';
import type { Approval } from './call.ts';
import type { Context } from './context.ts';

/** The zod namespace, handed to schema thunks so that nothing loads it before a schema is needed. */
export type Z = typeof ZodModule;

/** Surfaces from small to large; `cli` is on no MCP surface. Source: facts/contract G.1. */
export type Surface = 'verbs' | 'starter' | 'full' | 'cli';

/** Access scopes. Source: facts/contract I.5. */
export type Scope = 'read' | 'write' | 'admin' | 'sources_admin' | 'users_admin' | 'agent';

/** Groups of the command line's help, in the order in which they are printed. */
export const CLI_GROUPS = ['Setup', 'Pages', 'Graph', 'Search', 'Memory', 'Sources', 'Health', 'Contract'] as const;

/** How a person's output is drawn; colour is on only at a terminal. */
export interface HumanView {
  colour: boolean;
  /** Width of the terminal; Infinity where the output is none, so nothing is cut that a program reads. */
  columns: number;
  bold(text: string): string;
  dim(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  red(text: string): string;
  cyan(text: string): string;
}

/** The operation at the command line. */
export interface CliSpec<In, Out> {
  /** Words after `gbrain`: `get`, `notices list`; with a flag at the end (`doctor --remediate`), a mode of it. */
  command: string;
  aliases?: readonly string[];
  group: (typeof CLI_GROUPS)[number];
  /** Input fields given without a flag, in order. */
  positionals?: readonly (keyof In & string)[];
  /** Positionals are words of a vocabulary (a code, a key), so a printed command puts no bare `--` before them. */
  plainPositionals?: boolean;
  /** Input fields that name a file or folder of the caller: made absolute where the caller is. */
  paths?: readonly (keyof In & string)[];
  /** Input field that a pipe or `--file` fills when it is not given. */
  stdin?: keyof In & string;
  /** Short flags: `{ limit: 'n' }`. */
  short?: Partial<Record<keyof In & string, string>>;
  /** Stdout is talk and not data, so notices may stand on it (`init`). */
  isTalk?: boolean;
  /** Words after the last positional belong to it: `search who works at acme`. */
  joinRest?: boolean;
  /** The command is a spelling of another call. */
  rewrite?(input: In): { op: string; args: Record<string, unknown> };
  /** One of the commands that people use most: its first example stands in the list of its group. */
  isCommon?: boolean;
  /** Whether a command line of it opens a brain, where `where` alone does not say so. */
  opensBrain?(words: readonly string[]): boolean;
  /** What it reads, when that can take minutes: it then says so on stderr, and a signal ends it with a document. */
  slowRead?: string;
  /** A fix prints it with `--json`, because an agent reads its document. */
  printsJson?: boolean;
  /**
   * Output for a person, without a trailing newline. `input` is the call as it was typed, `meta` what came beside the
   * output.
   */
  human(
    output: Out,
    view: HumanView,
    input: Readonly<Record<string, unknown>>,
    meta: Readonly<Record<string, unknown>>,
  ): string;
  /** What it prints is the user's own text: off a terminal it comes to the byte, without a line end of ours. */
  isVerbatim?: boolean;
  /** Exit status of a successful outcome when it is not 0 (10 for a pending write). */
  exit?(output: Out): number;
  /** A lookup that found nothing; it exits 12 for whoever asks for that with GBRAIN_FAIL_ON_EMPTY=1. */
  isMiss?(output: Out): boolean;
}

/** One worked call; the completeness test runs it through the input schema. */
export interface Example<In> {
  title: string;
  input: In;
}

/** Where a command runs: beside the open brain (forwarded when another process owns it) or in the calling process. */
export type Where = 'brain' | 'process';

type InputOf<Shape extends ZodRawShape> = ZodObject<Shape>['_output'];

/** An operation as its file writes it. One operation, one file. */
export interface OperationSpec<Shape extends ZodRawShape, Out, Code extends string> {
  /** snake_case; the MCP tool's name. Permanent. */
  name: string;
  /** Title for people, at most 40 characters. */
  title: string;
  /** One sentence: what it gives. It is the tool's description, so it is short. */
  summary: string;
  /** The promise that it keeps, e.g. `facts/contract G.7`. */
  requirement: string;
  scope: Scope;
  /** The smallest surface that lists it. */
  surface: Surface;
  where: Where;
  /** True when it resolves a source: it then takes `source_id` (`--source`) without declaring it. */
  routesSource: boolean;
  /** Its `source_id` may be `__all__`: every source that the caller may read. Only for reads. */
  readsAllSources?: boolean;
  mutating: boolean;
  /** A repeat with the same arguments changes nothing more. */
  idempotent: boolean;
  /** The MCP annotation; unknown arguments are then always refused. */
  destructive?: boolean;
  /** Never offered over HTTP. */
  localOnly?: boolean;
  /**
   * The owner's alone, at the command line: on any other connection it is no tool, and a call of it is told the command
   * (`trusted_local_only`).
   */
  ownerOnly?: boolean;
  /** Listed only by a server that has no brain open. */
  statusOnly?: boolean;
  /** Version of the frozen protocol that its replies and errors carry; its failures then use that protocol's codes. */
  protocolVersion?: 1;
  /** Publish gate: a boolean setting that must be true over HTTP and stdio. */
  gate?: string;
  /**
   * What this run needs the user's agreement to; undefined when nothing. It reads, and changes no content. `approval`
   * is what came with the call: a plan that changed since it was shown is refused with a list of what changed.
   */
  consent?(ctx: Context, input: InputOf<Shape>, approval?: Approval): Promise<ConsentRequest | undefined>;
  /** Deadline of one call; default 60,000; `Infinity` for a server. */
  deadlineMs?: number;
  input: (z: Z) => Shape;
  output: (z: Z) => ZodType<Out>;
  /** Codes that `run` may fail with, beside those of the pipeline. */
  errors: readonly Code[];
  /** Notices that `run` may raise. */
  notices?: readonly string[];
  cli: CliSpec<InputOf<Shape>, Out>;
  examples: readonly Example<ZodInput<ZodObject<Shape>>>[];
  run(ctx: Context<Code>, input: InputOf<Shape>): Promise<Out>;
}

/** An operation with its types erased: what the registry holds. */
export type Operation = Omit<OperationSpec<ZodRawShape, unknown, string>, 'cli' | 'run' | 'examples' | 'consent'> & {
  consent?(ctx: Context, input: Record<string, unknown>, approval?: Approval): Promise<ConsentRequest | undefined>;
  cli: CliSpec<Record<string, unknown>, unknown>;
  examples: readonly Example<Record<string, unknown>>[];
  run(ctx: Context<string>, input: Record<string, unknown>): Promise<unknown>;
};

/**
 * Declares an operation; the default export of `areas/<area>/<verb>.op.ts`.
 *
 * @example export default defineOperation({ name: 'get_page', ..., run: async (ctx, input) => ... })
 */
export function defineOperation<Shape extends ZodRawShape, Out, const Code extends string>(
  spec: OperationSpec<Shape, Out, Code>,
): Operation {
  return spec as unknown as Operation;
}
