// Tools of a session: how one is defined, placed and given options, and what a running one is told. No connection.
import { ToolOutput } from '@gbrain/brain-protocol/host';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { ModelRequest, ModelResult } from '@gbrain/brain-protocol/message';
import type { EnvironmentGrant, Tool } from '@gbrain/brain-protocol/tool';
import { z } from 'zod';
import type { SessionEnvironments } from './control.ts';
import { type ClientEnvironment, type ClientSchema, hostEnv, toJsonSchema } from './environment.ts';

/** What a running tool is given. Reports reach Brain in the order in which they are made. */
export interface ToolContext<O = unknown> {
  /** What the tool was given when it was placed, as its `options` parse it. */
  readonly options: O;
  readonly sessionId: string;
  /** Journal record of the call: its only identity. */
  readonly sequence: number;
  readonly environment: string;
  /** When Brain stops waiting. */
  readonly deadline: Date | undefined;
  /** Aborted when the call is cancelled, or when this client closes. */
  readonly signal: AbortSignal;
  /** An event of the tool's own in the session's journal; gives its sequence. */
  emit(type: string, data: JsonValue): Promise<number>;
  /** One observation; the tool goes on. */
  emitResult(value: JsonValue): Promise<number>;
  /** Lets the loop go on while the tool runs; what it reports later wakes the session. */
  returned(value?: JsonValue): Promise<number>;
  /** Ends the call now; what `run` gives afterwards is nothing more. Without a value there is no further result. */
  finish(value?: JsonValue): Promise<number>;
  /** A model call of the tool's own; it counts against the turn's budget. */
  model(request: ModelRequest): Promise<ModelResult>;
  /** Environment control, within the tool's grants. */
  readonly environments: SessionEnvironments;
}

/** The context as the connection makes it: options are the tool's own matter. */
export type CallContext = Omit<ToolContext, 'options'>;

type InputOf<S> = S extends z.ZodType ? z.output<S> : JsonValue;

/** A tool as it is written. */
export interface ToolDefinition<S extends ClientSchema = ClientSchema, O extends z.ZodType = z.ZodType> {
  name: string;
  description: string;
  input: S;
  output?: ClientSchema;
  /** What a session's author chooses when the tool is placed; `run` finds it in its context. */
  options?: O;
  /**
   * Gives the result. A value with a top-level `status` of an outcome is that outcome, see `toolOutput`; a throw is the
   * outcome `error` with code `tool_error`. Left out for a tool that only other environments run.
   */
  run?(input: InputOf<S>, context: ToolContext<z.output<O>>): unknown;
  /** What a service calls the tool. Default: its name. */
  implementation?: string;
  /** Places that run it, by the name of an environment that is declared elsewhere. */
  placements?: Record<string, { implementation?: string }>;
  /** Environments that the tool may control. */
  environments?: EnvironmentGrant[];
}

/** A tool that a session can be created with. */
export interface ClientTool {
  readonly name: string;
  /** Runs in this process. */
  readonly isLocal: boolean;
  /** Environments that it was placed in as values; a session that is created with the tool declares them. */
  readonly environments: readonly ClientEnvironment[];
  /** The declaration as the session API takes it. Throws a ZodError when its options do not fit. */
  toDeclaration(): Tool;
  /** Runs it; gives its outcome. */
  execute(input: JsonValue, context: CallContext): Promise<ToolOutput>;
}

/** Where a tool runs: one environment or several; default is this process. The tool's options stand beside it. */
export type ToolPlacement<O extends z.ZodType> = {
  env?: ClientEnvironment | readonly ClientEnvironment[];
} & (z.ZodType extends O ? unknown : z.input<O>);

/** A defined tool: one that can be used as it is, and called to place it and to give it options. */
export interface ToolFactory<O extends z.ZodType> extends ClientTool {
  (placement: ToolPlacement<O>): ClientTool;
}

/** Defines a tool. As it is it runs in this process without options; called, it is the same tool somewhere else. */
export function tool<S extends ClientSchema, O extends z.ZodType = z.ZodType>(
  definition: ToolDefinition<S, O>,
): ToolFactory<O> {
  const place = ({ env, ...options }: { env?: ClientEnvironment | readonly ClientEnvironment[] }) =>
    new DefinedTool(definition, env && [env].flat(), options);
  const plain = new DefinedTool(definition, undefined, {});
  const { name, isLocal, environments } = plain;
  const properties = {
    name: { value: name },
    isLocal: { value: isLocal },
    environments: { value: environments },
    toDeclaration: { value: () => plain.toDeclaration() },
    execute: { value: (input: JsonValue, context: CallContext) => plain.execute(input, context) },
  };
  return Object.defineProperties(place, properties) as unknown as ToolFactory<O>;
}

class DefinedTool<S extends ClientSchema, O extends z.ZodType> implements ClientTool {
  readonly name: string;
  readonly isLocal: boolean;
  readonly environments: readonly ClientEnvironment[];
  readonly #definition: ToolDefinition<S, O>;
  readonly #options: unknown;

  /** `given` are its places; without any it runs in this process, when it can. */
  constructor(
    definition: ToolDefinition<S, O>,
    given: readonly ClientEnvironment[] | undefined,
    options: Record<string, unknown>,
  ) {
    const { name, run } = definition;
    this.#definition = definition;
    this.#options = options;
    this.name = name;
    this.isLocal = run !== undefined;
    this.environments = given ?? (this.isLocal ? [hostEnv()] : []);
    if (!this.isLocal && this.environments.some((one) => one.isLocal)) {
      throw new TypeError(`${name} has no run: it cannot run here`);
    }
  }

  toDeclaration(): Tool {
    const { name, description, input, output, implementation, placements, environments } = this.#definition;
    this.#parseOptions();
    const placed = this.environments.map((one) => {
      return [one.name, one.isLocal || implementation === undefined ? {} : { implementation }];
    });
    const all: Tool['placements'] = { ...placements, ...Object.fromEntries(placed) };
    if (Object.keys(all).length === 0) throw new TypeError(`${name} has neither run nor a place: nothing could run it`);
    return {
      name,
      description,
      input_schema: toJsonSchema(input),
      ...(output && { output_schema: toJsonSchema(output) }),
      placements: all,
      ...(environments && { environments }),
    };
  }

  async execute(value: JsonValue, context: CallContext): Promise<ToolOutput> {
    const { name, input, run } = this.#definition;
    if (!run) return toError('unsupported', `${name} does not run here.`);
    try {
      const parsed = input instanceof z.ZodType ? input.parse(value) : value;
      return toOutput(await run(parsed as InputOf<S>, { ...context, options: this.#parseOptions() }));
    } catch (thrown) {
      if (context.signal.aborted) return { status: 'cancelled' };
      if (thrown instanceof z.ZodError) return toError('invalid_input', z.prettifyError(thrown));
      return toError('tool_error', thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  #parseOptions(): z.output<O> {
    return (this.#definition.options ?? z.strictObject({})).parse(this.#options) as z.output<O>;
  }
}

/** An outcome with text or media for the model beside its value. */
export function toolOutput(value: JsonValue, content: NonNullable<ToolOutput['content']>): ToolOutput {
  return { status: 'ok', value, content };
}

/** What a tool gave, as an outcome. */
export function toOutput(value: unknown): ToolOutput {
  const envelope = ToolOutput.safeParse(value);
  if (envelope.success) return envelope.data;
  // Dates and the like become what JSON makes of them; what it has no form for is nothing.
  const text = JSON.stringify(value);
  return { status: 'ok', value: text === undefined ? null : (JSON.parse(text) as JsonValue) };
}

function toError(code: string, message: string): ToolOutput {
  return { status: 'error', error: { code, message: message.slice(0, 4096) } };
}
