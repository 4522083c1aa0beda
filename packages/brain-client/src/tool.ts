// Tools that run in this process: their definition, and what a running one is given. Knows no connection.
import type { EnvironmentControlRequest } from '@gbrain/brain-protocol/environment';
import { ToolOutput } from '@gbrain/brain-protocol/host';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { ModelRequest, ModelResult } from '@gbrain/brain-protocol/message';
import type { EnvironmentGrant, Tool } from '@gbrain/brain-protocol/tool';
import { z } from 'zod';
import { type ClientEnvironment, type ClientSchema, hostEnv, toJsonSchema } from './environment.ts';

/** What a running tool is given. Reports reach Brain in the order in which they are made. */
export interface ToolContext {
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
  /** A model call of the tool's own; it counts against the turn's budget. */
  model(request: ModelRequest): Promise<ModelResult>;
  /** Environment control, within the tool's grants; gives the answer as it is. */
  environments(request: EnvironmentControlRequest): Promise<unknown>;
}

type InputOf<S> = S extends z.ZodType ? z.output<S> : JsonValue;

/** A tool as it is written. */
export interface ToolDefinition<S extends ClientSchema = ClientSchema> {
  name: string;
  description: string;
  input: S;
  output?: ClientSchema;
  /**
   * Gives the result. A value with a top-level `status` of an outcome is that outcome, see `toolOutput`; a throw is the
   * outcome `error` with code `tool_error`. Left out for a tool that only other environments run.
   */
  run?(input: InputOf<S>, context: ToolContext): unknown;
  /** Places that run it, by the name of their environment; `at` takes an environment as a value. */
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
  /** The same tool, placed in an environment too; `implementation` is the tool's name there, when it has another. */
  at(environment: ClientEnvironment, implementation?: string): ClientTool;
  /** The declaration as the session API takes it. */
  toDeclaration(): Tool;
  /** Runs it; gives its outcome. */
  execute(input: JsonValue, context: ToolContext): Promise<ToolOutput>;
}

/** Defines a tool. One with `run` runs in this process, and in its default environment unless `at` names another. */
export function tool<S extends ClientSchema>(definition: ToolDefinition<S>): ClientTool {
  return new DefinedTool(definition, []);
}

interface Place {
  environment: ClientEnvironment;
  implementation?: string;
}

class DefinedTool<S extends ClientSchema> implements ClientTool {
  readonly name: string;
  readonly isLocal: boolean;
  readonly environments: readonly ClientEnvironment[];
  readonly #definition: ToolDefinition<S>;
  /** Places that `at` gave it. */
  readonly #given: readonly Place[];
  /** Those, and the default one of a tool that runs here and was given no place here. */
  readonly #places: readonly Place[];

  constructor(definition: ToolDefinition<S>, given: readonly Place[]) {
    this.#definition = definition;
    this.name = definition.name;
    this.isLocal = definition.run !== undefined;
    this.#given = given;
    const isPlacedHere = given.some(({ environment }) => environment.isLocal);
    this.#places = this.isLocal && !isPlacedHere ? [...given, { environment: hostEnv() }] : given;
    this.environments = this.#places.map(({ environment }) => environment);
  }

  at(environment: ClientEnvironment, implementation?: string): ClientTool {
    if (environment.isLocal && !this.isLocal) throw new TypeError(`${this.name} has no run: it cannot run here`);
    const others = this.#given.filter((place) => place.environment.name !== environment.name);
    return new DefinedTool(this.#definition, [...others, { environment, ...(implementation && { implementation }) }]);
  }

  toDeclaration(): Tool {
    const { name, description, input, output, placements, environments } = this.#definition;
    const placed = this.#places.map(({ environment, implementation }) => {
      return [environment.name, implementation === undefined ? {} : { implementation }];
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

  async execute(value: JsonValue, context: ToolContext): Promise<ToolOutput> {
    const { name, input, run } = this.#definition;
    if (!run) return toError('unsupported', `${name} does not run here.`);
    try {
      const parsed = input instanceof z.ZodType ? input.parse(value) : value;
      return toOutput(await run(parsed as InputOf<S>, context));
    } catch (thrown) {
      if (context.signal.aborted) return { status: 'cancelled' };
      if (thrown instanceof z.ZodError) return toError('invalid_input', z.prettifyError(thrown));
      return toError('tool_error', thrown instanceof Error ? thrown.message : String(thrown));
    }
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
