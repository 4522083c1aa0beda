// Messages between a loop and a model, and one model call: request, result and counters. Knows no provider's wire.
import { z } from 'zod';
import { Identifier } from './ids.ts';
import { Json, JsonRecord } from './json.ts';

const HttpsUrl = z.url({ protocol: /^https$/ }).max(8192);

/** Plain text. */
export const TextBlock = z.strictObject({ type: z.literal('text'), text: z.string() });

/** An image that the provider fetches itself. */
export const ImageBlock = z.strictObject({ type: z.literal('image'), url: HttpsUrl });

/** A PDF that the provider fetches itself. */
export const FileBlock = z.strictObject({
  type: z.literal('file'),
  media_type: z.literal('application/pdf'),
  url: HttpsUrl,
});

/** An image or a file. */
export const MediaBlock = z.discriminatedUnion('type', [ImageBlock, FileBlock]);
export type MediaBlock = z.infer<typeof MediaBlock>;

/** The model asks for a tool. `id` is the model's own correlation, never an identity of Brain's. */
export const ToolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().min(1).max(256),
  name: z.string().min(1).max(128),
  input: Json,
});
export type ToolUseBlock = z.infer<typeof ToolUseBlock>;

/** What a tool answered; it travels in a `user` message. */
export const ToolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().min(1).max(256),
  content: Json,
  is_error: z.boolean(),
  media: z.array(MediaBlock).optional(),
});

/** Names of provider formats that `native` blocks carry. */
export const NATIVE_FORMATS = ['openai.responses.v1', 'anthropic.messages.v1'] as const;

/** A provider's own item (reasoning, signatures): opaque, given back to the same provider unchanged. */
export const NativeBlock = z.strictObject({
  type: z.literal('native'),
  format: z.enum(NATIVE_FORMATS),
  data: Json,
});

/** One part of a message. */
export const Block = z.discriminatedUnion('type', [
  TextBlock,
  ImageBlock,
  FileBlock,
  ToolUseBlock,
  ToolResultBlock,
  NativeBlock,
]);
export type Block = z.infer<typeof Block>;

/** One message of a conversation. */
export const Message = z.strictObject({
  role: z.enum(['user', 'assistant', 'developer']),
  content: z.array(Block),
});
export type Message = z.infer<typeof Message>;

/** A tool as a model sees it. It informs the model and grants nothing; `output_schema` is `{}` when there is none. */
export const ModelTool = z.strictObject({
  name: Identifier,
  description: z.string().max(65_536),
  input_schema: JsonRecord,
  output_schema: JsonRecord,
});
export type ModelTool = z.infer<typeof ModelTool>;

/**
 * One model call. An absent `system`, `tools` or `response_format` means the session's own; `response_format: null`
 * switches it off; `tools: []` offers none. `options` go to the provider: `operation reasoning temperature top_p`
 * (Responses), `thinking output_config temperature top_p top_k stop_sequences` (Anthropic).
 */
export const ModelRequest = z.strictObject({
  messages: z.array(Message).min(1),
  system: z.string().optional(),
  tools: z.array(ModelTool).max(128).optional(),
  response_format: Json.optional(),
  max_output_tokens: z.int().min(1).optional(),
  options: JsonRecord.optional(),
});
/** The parsed form of `ModelRequest`. */
export type ModelRequest = z.infer<typeof ModelRequest>;

/** Counters that the provider reported. One that it did not report stays absent; it is never 0 by default. */
export const Usage = z.strictObject({
  input_tokens: z.int().min(0).optional(),
  output_tokens: z.int().min(0).optional(),
  cache_read_input_tokens: z.int().min(0).optional(),
  cache_creation_input_tokens: z.int().min(0).optional(),
  reasoning_tokens: z.int().min(0).optional(),
  total_input_tokens: z.int().min(0).optional(),
  provider_cost_usd: z.string().optional(),
});
export type Usage = z.infer<typeof Usage>;

/** Why a model stopped. */
export const StopReason = z.enum(['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'refusal', 'unknown']);
export type StopReason = z.infer<typeof StopReason>;

/** A finished model call. */
export const ModelResult = z.strictObject({ message: Message, stop_reason: StopReason, usage: Usage });
export type ModelResult = z.infer<typeof ModelResult>;
