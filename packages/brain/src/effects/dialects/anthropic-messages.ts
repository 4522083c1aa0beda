// The dialect `anthropic_messages`: messages as content blocks, streamed frames as a result. No I/O.
import type { JsonObject, JsonValue } from '@gbrain/brain-protocol/json';
import type { Block, Message, ModelResult, StopReason, Usage } from '@gbrain/brain-protocol/message';
import type { PartialAnswer } from '../../session/decide-model.ts';
import { Refusal } from '../../session/refusal.ts';
import {
  type AnswerReader,
  counter,
  type Dialect,
  DialectError,
  type DialectSink,
  parseFrame,
  parseToolInput,
  pickOptions,
  type ResolvedRequest,
  toUsage,
} from './dialect.ts';

const FORMAT = 'anthropic.messages.v1';
const OPTIONS = ['thinking', 'output_config', 'temperature', 'top_p', 'top_k', 'stop_sequences'];

/** The wire wants a limit; this one stands when neither the call nor the catalogue names one. */
const DEFAULT_MAX_TOKENS = 8192;

/** `POST {base}/messages`, streamed. */
export const anthropicMessages: Dialect = {
  mediaInputs: ['image', 'file'],
  build(request, apiKey) {
    const options = pickOptions(request.options, OPTIONS, (key) => {
      throw new Refusal('invalid_request', `The dialect anthropic_messages has no option ${key}.`);
    });
    return {
      path: '/messages',
      headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: JSON.stringify({ ...messageBody(request), ...options, ...outputConfig(request, options) }),
      stream: true,
    };
  },
  createReader: (sink) => new MessagesReader(sink),
};

function messageBody(request: ResolvedRequest): JsonObject {
  const tools = request.tools.map(({ name, description, input_schema }) => ({ name, description, input_schema }));
  return {
    model: request.model,
    max_tokens: request.max_output_tokens ?? request.modelMaxOutputTokens ?? DEFAULT_MAX_TOKENS,
    stream: true,
    ...(request.system && { system: request.system }),
    messages: request.messages.map(toMessage),
    ...(tools.length > 0 && { tools }),
  };
}

function outputConfig({ response_format }: ResolvedRequest, options: Record<string, JsonValue>): JsonObject {
  if (response_format == null) return {};
  const { type, schema } = response_format as JsonObject;
  if (type !== 'json_schema' || schema === undefined) {
    throw new Refusal(
      'invalid_request',
      'The response format needs type "json_schema" and a schema for this provider.',
    );
  }
  return { output_config: { ...(options.output_config as JsonObject | undefined), format: { type, schema } } };
}

function toMessage({ role, content }: Message): JsonValue {
  if (role === 'developer') {
    throw new Refusal('invalid_request', 'The dialect anthropic_messages has no developer messages; use system.');
  }
  return { role, content: content.map(toContent) };
}

function toContent(block: Block): JsonValue {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', source: { type: 'url', url: block.url } };
    case 'file':
      return { type: 'document', source: { type: 'url', url: block.url } };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
    case 'tool_result':
      return {
        type: 'tool_result',
        tool_use_id: block.tool_use_id,
        content: toResult(block),
        ...(block.is_error && { is_error: true }),
      };
    case 'native':
      if (block.format === FORMAT) return block.data;
      throw new Refusal('invalid_request', `A native block of ${block.format} cannot be given to anthropic_messages.`);
  }
}

function toResult(block: Extract<Block, { type: 'tool_result' }>): JsonValue {
  const text = typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
  return block.media?.length ? [{ type: 'text', text }, ...block.media.map(toContent)] : text;
}

/** A content block while it is built; `json` collects a tool's input. */
interface OpenBlock {
  block: Record<string, unknown>;
  json: string;
}

const STOP_REASONS = new Map<string, StopReason>([
  ['end_turn', 'end_turn'],
  ['tool_use', 'tool_use'],
  ['max_tokens', 'max_tokens'],
  ['model_context_window_exceeded', 'max_tokens'],
  ['stop_sequence', 'stop_sequence'],
  ['refusal', 'refusal'],
]);

class MessagesReader implements AnswerReader {
  readonly #sink: DialectSink;
  readonly #blocks: OpenBlock[] = [];
  #usage: Record<string, unknown> = {};
  #stop: StopReason | undefined;
  done = false;

  constructor(sink: DialectSink) {
    this.#sink = sink;
  }

  push(_event: string, data: string): void {
    const frame = parseFrame(data);
    const index = counter(frame.index) ?? 0;
    switch (frame.type) {
      case 'message_start':
        this.#addUsage((frame.message as Record<string, unknown> | undefined)?.usage);
        return;
      case 'content_block_start':
        this.#start(index, frame.content_block as Record<string, unknown>);
        return;
      case 'content_block_delta':
        this.#extend(index, frame.delta as Record<string, unknown>);
        return;
      case 'message_delta':
        this.#end(frame);
        return;
      case 'message_stop':
        this.done = true;
        return;
      case 'error':
        throw providerError(frame.error);
    }
  }

  pushDocument(): void {
    throw new DialectError('model_output_invalid', 'The provider did not stream its answer.');
  }

  finish(): ModelResult {
    const stop_reason = this.#stop ?? 'unknown';
    if (stop_reason === 'max_tokens' && this.#blocks.some((open) => open?.block.type === 'tool_use')) {
      throw new DialectError('model_output_incomplete', 'The output limit cut the answer, and it calls a tool.');
    }
    const content = this.#blocks.filter(Boolean).map(toBlock);
    return { message: { role: 'assistant', content }, stop_reason, usage: readUsage(this.#usage) };
  }

  partial(): PartialAnswer {
    const stop = this.#stop && { stop_reason: this.#stop };
    return { ...stop, usage: readUsage(this.#usage), usage_complete: this.done };
  }

  #start(index: number, block: Record<string, unknown> | undefined): void {
    if (!block) throw new DialectError('model_output_invalid', 'The provider started a block without content.');
    this.#blocks[index] = { block: { ...block }, json: '' };
    if (block.type === 'tool_use') this.#sink.onToolCall(index, String(block.id ?? ''), String(block.name ?? ''));
    if (block.type === 'text' && block.text) this.#sink.onText(index, String(block.text));
  }

  #extend(index: number, delta: Record<string, unknown> | undefined): void {
    const open = this.#blocks[index];
    if (!open || !delta)
      throw new DialectError('model_output_invalid', 'The provider extended a block it never began.');
    const { block } = open;
    switch (delta.type) {
      case 'text_delta':
        block.text = String(block.text ?? '') + String(delta.text ?? '');
        this.#sink.onText(index, String(delta.text ?? ''));
        return;
      case 'input_json_delta':
        open.json += String(delta.partial_json ?? '');
        this.#sink.onToolInput(index, String(delta.partial_json ?? ''));
        return;
      case 'thinking_delta':
        block.thinking = String(block.thinking ?? '') + String(delta.thinking ?? '');
        return;
      case 'signature_delta':
        block.signature = String(block.signature ?? '') + String(delta.signature ?? '');
        return;
      case 'citations_delta':
        block.citations = [...((block.citations as unknown[]) ?? []), delta.citation];
    }
  }

  #end(frame: Record<string, unknown>): void {
    const reason = (frame.delta as Record<string, unknown> | undefined)?.stop_reason;
    if (typeof reason === 'string') this.#stop = STOP_REASONS.get(reason) ?? 'unknown';
    this.#addUsage(frame.usage);
  }

  #addUsage(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    // Later frames repeat counters with their final value; what they leave out stands.
    const fresh = Object.entries(value).filter(([, count]) => count !== null && count !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(fresh) };
    this.#sink.onUsage(readUsage(this.#usage));
  }
}

function toBlock({ block, json }: OpenBlock): Block {
  if (block.type === 'text' && block.citations === undefined) return { type: 'text', text: String(block.text ?? '') };
  if (block.type === 'tool_use') {
    const id = String(block.id ?? '');
    const name = String(block.name ?? '');
    if (!id || !name)
      throw new DialectError('model_output_invalid', 'The model called a tool without an id or a name.');
    const input = json === '' && block.input !== undefined ? (block.input as JsonValue) : parseToolInput(name, json);
    return { type: 'tool_use', id, name, input };
  }
  return { type: 'native', format: FORMAT, data: block as JsonValue };
}

function readUsage(usage: Record<string, unknown>): Usage {
  const input = counter(usage.input_tokens);
  const read = counter(usage.cache_read_input_tokens);
  const creation = counter(usage.cache_creation_input_tokens);
  const known = input !== undefined && read !== undefined && creation !== undefined;
  return toUsage({
    input_tokens: input,
    output_tokens: counter(usage.output_tokens),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: creation,
    reasoning_tokens: undefined,
    // This provider counts the three apart; a total exists only when all three were reported.
    total_input_tokens: known ? input + read + creation : undefined,
    provider_cost_usd: undefined,
  });
}

function providerError(value: unknown): DialectError {
  const error = (value ?? {}) as Record<string, unknown>;
  const type = String(error.type ?? 'error');
  const retryable = ['overloaded_error', 'rate_limit_error', 'api_error'].includes(type);
  const message = String(error.message ?? 'the provider failed');
  return new DialectError('model_provider_failed', `${type}: ${message}`, retryable);
}
