// Configuration of the model-and-tools loop: one schema for Brain's check at creation and for the loop's own reading.
import type { JsonObject } from '@gbrain/brain-protocol/json';

/** What a session or a deployment may set; everything is optional. */
export interface LoopConfiguration {
  /** Model calls of one turn, 1 to 128. */
  maxModelCalls: number;
  /** Output limit of each model call; undefined leaves it to the provider. */
  maxOutputTokens: number | undefined;
  /** Tokens that the messages of a call may take, by estimate; undefined is what the model's window leaves. */
  maxContextTokens: number | undefined;
  /** Longest tool result that the model is shown, in UTF-16 units of its JSON. */
  maxToolResultUnits: number;
  /** Options of every model call, given on to the provider. */
  options: JsonObject | undefined;
  /** Where a tool runs that has several environments. */
  placements: Record<string, string>;
  /** A model call that certainly failed ends the turn with a message, or fails it and with it the session. */
  modelErrors: 'end_turn' | 'fail_turn';
}

const LIMITS = { maxModelCalls: 32, maxToolResultUnits: 65_536 } as const;

/** JSON Schema of the configuration; unknown keys are refused. */
export const CONFIGURATION_SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: false,
  properties: {
    max_model_calls: { type: 'integer', minimum: 1, maximum: 128, description: 'Model calls of one turn (32).' },
    max_output_tokens: { type: 'integer', minimum: 1, description: 'Output limit of each model call.' },
    max_context_tokens: { type: 'integer', minimum: 1, description: 'Estimated tokens of the messages of one call.' },
    max_tool_result_units: { type: 'integer', minimum: 256, description: 'Longest tool result shown (65536).' },
    options: { type: 'object', description: 'Options of every model call, given on to the provider.' },
    placements: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Environment of each tool that has several.',
    },
    model_errors: {
      enum: ['end_turn', 'fail_turn'],
      description: 'What a model call that certainly failed does: end the turn with a message, or fail it.',
    },
  },
};

/** Reads a configuration that Brain has checked against the schema. */
export function readConfiguration(configuration: JsonObject): LoopConfiguration {
  const number = (key: string) => configuration[key] as number | undefined;
  return {
    maxModelCalls: number('max_model_calls') ?? LIMITS.maxModelCalls,
    maxOutputTokens: number('max_output_tokens'),
    maxContextTokens: number('max_context_tokens'),
    maxToolResultUnits: number('max_tool_result_units') ?? LIMITS.maxToolResultUnits,
    options: configuration.options as JsonObject | undefined,
    placements: (configuration.placements as Record<string, string> | undefined) ?? {},
    modelErrors: configuration.model_errors === 'fail_turn' ? 'fail_turn' : 'end_turn',
  };
}
