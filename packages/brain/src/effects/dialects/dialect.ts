// What a model dialect is: a request as bytes, and frames of the answer as a result. Dialects do no I/O.

import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { ModelRequest, ModelResult, ModelTool, Usage } from '@gbrain/brain-protocol/message';
import { parseJson } from '@gbrain/wire/parse-json';
import type { PartialAnswer } from '../../session/decide-model.ts';

/** A model call with everything of the session filled in. */
export interface ResolvedRequest extends Omit<ModelRequest, 'system' | 'tools' | 'response_format'> {
  model: string;
  system: string;
  tools: ModelTool[];
  response_format?: JsonValue;
  /** What is known of the model's own limit, for dialects that must name one. */
  modelMaxOutputTokens?: number;
}

/** Bytes to post. `stream` false: the answer is one JSON document. */
export interface DialectRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
  stream: boolean;
}

/** Hears of an answer while it arrives. */
export interface DialectSink {
  onText(index: number, text: string): void;
  onRefusal(index: number, text: string): void;
  onToolCall(index: number, id: string, name: string): void;
  onToolInput(index: number, partialJson: string): void;
  onUsage(usage: Usage): void;
}

/** Takes the frames of one answer. */
export interface AnswerReader {
  /** One frame of the stream. Throws a DialectError when the provider reports a failure or breaks its own format. */
  push(event: string, data: string): void;
  /** The whole answer of a call that does not stream. */
  pushDocument(text: string): void;
  /** True once the answer is complete. */
  readonly done: boolean;
  /** The result. Throws a DialectError when it cannot be used. */
  finish(): ModelResult;
  /** What is known so far. */
  partial(): PartialAnswer;
}

/** One provider's wire. */
export interface Dialect {
  mediaInputs: string[];
  /** Throws a Refusal for what the provider cannot take. */
  build(request: ResolvedRequest, apiKey: string): DialectRequest;
  createReader(sink: DialectSink): AnswerReader;
}

/** The provider answered, and it is no use. */
export class DialectError extends Error {
  readonly code: 'model_provider_failed' | 'model_output_invalid' | 'model_output_incomplete';
  readonly retryable: boolean;

  constructor(code: DialectError['code'], message: string, retryable = false) {
    super(message);
    this.name = 'DialectError';
    this.code = code;
    this.retryable = retryable;
  }
}

/** A frame's data as an object. Throws a DialectError. */
export function parseFrame(data: string): Record<string, unknown> {
  try {
    const value = parseJson(data);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below, together with JSON of the wrong shape.
  }
  throw new DialectError('model_output_invalid', 'The provider sent a frame that is not a JSON object.');
}

/** A tool's input as the model wrote it; no text at all is an empty object. Throws a DialectError. */
export function parseToolInput(name: string, text: string): JsonValue {
  if (text.trim() === '') return {};
  try {
    return parseJson(text) as JsonValue;
  } catch {
    throw new DialectError('model_output_invalid', `The model's input for the tool ${name} is not JSON.`);
  }
}

/** A counter when the provider reported one; nothing else becomes a number. */
export function counter(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Usage without the counters that were not reported. */
export function toUsage(counters: { [K in keyof Usage]: Usage[K] | undefined }): Usage {
  return Object.fromEntries(Object.entries(counters).filter(([, value]) => value !== undefined)) as Usage;
}

/** The part of `options` that a dialect passes on. Throws through `refuse` for a key that it does not know. */
export function pickOptions(
  options: Record<string, JsonValue> | undefined,
  known: readonly string[],
  refuse: (key: string) => never,
): Record<string, JsonValue> {
  for (const key of Object.keys(options ?? {})) if (!known.includes(key)) refuse(key);
  return options ?? {};
}
