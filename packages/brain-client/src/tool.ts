// Tools that run in this process: their definition, and what a running one is given. Knows no connection.
import type { EnvironmentControlRequest } from '@gbrain/brain-protocol/environment';
import { ToolOutput } from '@gbrain/brain-protocol/host';
import type { JsonObject, JsonValue } from '@gbrain/brain-protocol/json';
import type { ModelRequest, ModelResult } from '@gbrain/brain-protocol/message';
import type { EnvironmentGrant, Tool } from '@gbrain/brain-protocol/tool';
import { z } from 'zod';

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

/** A schema: a zod type (then inputs are parsed with it) or a JSON Schema (then Brain alone checks). */
export type ToolSchema = z.ZodType | JsonObject;

type InputOf<S> = S extends z.ZodType ? z.output<S> : JsonValue;

/** A tool as it is written. */
export interface ToolDefinition<S extends ToolSchema = ToolSchema> {
  name: string;
  description: string;
  input: S;
  output?: ToolSchema;
  /**
   * Gives the result. A value with a top-level `status` of an outcome is that outcome, see `toolOutput`; a throw is the
   * outcome `error` with code `tool_error`. Left out for a tool that only other environments run.
   */
  run?(input: InputOf<S>, context: ToolContext): unknown;
  /** Other places that run it, by environment; the default for a tool with `run` is this process alone. */
  placements?: Record<string, { implementation?: string }>;
  /** Environments that the tool may control. */
  environments?: EnvironmentGrant[];
}

/** A tool that a session can be created with. */
export interface ClientTool {
  readonly name: string;
  /** Runs in this process. */
  readonly isLocal: boolean;
  /** The declaration, placed in `host` when it runs here. */
  toDeclaration(host: string): Tool;
  /** Runs it; gives its outcome. */
  execute(input: JsonValue, context: ToolContext): Promise<ToolOutput>;
}

/** Defines a tool. */
export function tool<S extends ToolSchema>(definition: ToolDefinition<S>): ClientTool {
  const { name, description, input, output, run, placements, environments } = definition;
  if (!run && !placements) throw new TypeError(`${name} has neither run nor placements: nothing could run it`);
  return {
    name,
    isLocal: run !== undefined,
    toDeclaration: (host) => ({
      name,
      description,
      input_schema: toJsonSchema(input),
      ...(output && { output_schema: toJsonSchema(output) }),
      placements: { ...placements, ...(run && { [host]: {} }) },
      ...(environments && { environments }),
    }),
    async execute(value, context) {
      if (!run) return toError('unsupported', `${name} does not run here.`);
      try {
        const parsed = input instanceof z.ZodType ? input.parse(value) : value;
        return toOutput(await run(parsed as InputOf<S>, context));
      } catch (thrown) {
        if (context.signal.aborted) return { status: 'cancelled' };
        if (thrown instanceof z.ZodError) return toError('invalid_input', z.prettifyError(thrown));
        return toError('tool_error', thrown instanceof Error ? thrown.message : String(thrown));
      }
    },
  };
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

function toJsonSchema(schema: ToolSchema): JsonObject {
  if (!(schema instanceof z.ZodType)) return schema;
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest as JsonObject;
}
