// The dialect `openai_responses`: messages as input items, streamed frames as a result. No I/O.
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

const FORMAT = 'openai.responses.v1';
const OPTIONS = ['operation', 'reasoning', 'temperature', 'top_p'];

/** `POST {base}/responses`, streamed; `options.operation: "compact"` is `POST {base}/responses/compact`. */
export const openaiResponses: Dialect = {
  mediaInputs: ['image', 'file'],
  build(request, apiKey) {
    const { operation, ...options } = pickOptions(request.options, OPTIONS, (key) => {
      throw new Refusal('invalid_request', `The dialect openai_responses has no option ${key}.`);
    });
    if (operation !== undefined && operation !== 'compact') {
      throw new Refusal('invalid_request', 'options.operation can only be "compact".');
    }
    const compact = operation === 'compact';
    const body = compact ? compactBody(request) : { ...responseBody(request), ...options };
    return {
      path: compact ? '/responses/compact' : '/responses',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      stream: !compact,
    };
  },
  createReader: (sink) => new ResponsesReader(sink),
};

function compactBody(request: ResolvedRequest): JsonObject {
  return {
    model: request.model,
    ...(request.system && { instructions: request.system }),
    input: request.messages.flatMap(toItems),
  };
}

function responseBody(request: ResolvedRequest): JsonObject {
  const tools = request.tools.map(({ name, description, input_schema }) => ({
    type: 'function',
    name,
    description,
    parameters: input_schema,
    strict: false,
  }));
  return {
    ...compactBody(request),
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(tools.length > 0 && { tools }),
    ...(request.response_format != null && { text: { format: request.response_format } }),
    ...(request.max_output_tokens !== undefined && { max_output_tokens: request.max_output_tokens }),
  };
}

/** One message as items; runs of text and media stay together, everything else is an item of its own. */
function toItems(message: Message): JsonValue[] {
  const items: JsonValue[] = [];
  let parts: JsonValue[] = [];
  const flush = () => {
    if (parts.length > 0) items.push({ type: 'message', role: message.role, content: parts });
    parts = [];
  };
  for (const block of message.content) {
    const part = toPart(message.role, block);
    if (part) {
      parts.push(part);
      continue;
    }
    flush();
    items.push(toItem(block));
  }
  flush();
  return items;
}

function toPart(role: Message['role'], block: Block): JsonValue | undefined {
  if (block.type === 'text') return { type: role === 'assistant' ? 'output_text' : 'input_text', text: block.text };
  if (block.type === 'image') return { type: 'input_image', image_url: block.url };
  if (block.type === 'file') return { type: 'input_file', file_url: block.url };
  return undefined;
}

function toItem(block: Block): JsonValue {
  if (block.type === 'tool_use') {
    return { type: 'function_call', call_id: block.id, name: block.name, arguments: JSON.stringify(block.input) };
  }
  if (block.type === 'tool_result') {
    return { type: 'function_call_output', call_id: block.tool_use_id, output: toOutput(block) };
  }
  if (block.type === 'native') {
    if (block.format !== FORMAT) {
      throw new Refusal('invalid_request', `A native block of ${block.format} cannot be given to openai_responses.`);
    }
    return block.data;
  }
  throw new Refusal('invalid_request', `A block of type ${block.type} stands in the wrong place.`);
}

function toOutput(block: Extract<Block, { type: 'tool_result' }>): JsonValue {
  const text = typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
  if (!block.media?.length) return text;
  return [{ type: 'input_text', text }, ...block.media.map((media) => toPart('user', media) as JsonValue)];
}

interface Item {
  type?: unknown;
  [key: string]: unknown;
}

class ResponsesReader implements AnswerReader {
  readonly #sink: DialectSink;
  #items: Item[] = [];
  #response: Record<string, unknown> | undefined;
  #usage: Usage = {};

  constructor(sink: DialectSink) {
    this.#sink = sink;
  }

  get done(): boolean {
    return this.#response !== undefined;
  }

  push(_event: string, data: string): void {
    const frame = parseFrame(data);
    const index = counter(frame.output_index) ?? 0;
    switch (frame.type) {
      case 'response.output_text.delta':
        this.#sink.onText(index, String(frame.delta ?? ''));
        return;
      case 'response.refusal.delta':
        this.#sink.onRefusal(index, String(frame.delta ?? ''));
        return;
      case 'response.function_call_arguments.delta':
        this.#sink.onToolInput(index, String(frame.delta ?? ''));
        return;
      case 'response.output_item.added':
        this.#announce(index, frame.item as Item);
        return;
      case 'response.output_item.done':
        this.#items[index] = frame.item as Item;
        return;
      case 'response.completed':
      case 'response.incomplete':
        this.#complete(frame.response);
        return;
      case 'response.failed':
        throw providerError((frame.response as Item | undefined)?.error);
      case 'error':
        throw providerError(frame.error ?? frame);
    }
  }

  pushDocument(text: string): void {
    this.#complete(parseFrame(text));
  }

  finish(): ModelResult {
    const response = this.#response ?? {};
    const output =
      Array.isArray(response.output) && response.output.length > 0 ? (response.output as Item[]) : this.#items;
    const content = output.filter(Boolean).flatMap(toBlocks);
    const stop_reason = this.#stopReason(output);
    if (stop_reason === 'max_tokens' && output.some((item) => item?.type === 'function_call')) {
      throw new DialectError('model_output_incomplete', 'The output limit cut the answer, and it calls a tool.');
    }
    return { message: { role: 'assistant', content: content.map(finishBlock) }, stop_reason, usage: this.#usage };
  }

  partial(): PartialAnswer {
    const stop = this.#response && this.#stopReason(this.#items);
    return { ...(stop && { stop_reason: stop }), usage: this.#usage, usage_complete: this.done };
  }

  #announce(index: number, item: Item | undefined): void {
    if (item?.type !== 'function_call') return;
    this.#sink.onToolCall(index, String(item.call_id ?? ''), String(item.name ?? ''));
  }

  #complete(value: unknown): void {
    if (typeof value !== 'object' || value === null) {
      throw new DialectError('model_output_invalid', 'The provider ended its answer without a response.');
    }
    this.#response = value as Record<string, unknown>;
    this.#usage = readUsage(this.#response.usage);
    this.#sink.onUsage(this.#usage);
  }

  #stopReason(output: Item[]): StopReason {
    const response = this.#response ?? {};
    if (response.status === 'incomplete') {
      const reason = (response.incomplete_details as Item | undefined)?.reason;
      if (reason === 'max_output_tokens') return 'max_tokens';
      return reason === 'content_filter' ? 'refusal' : 'unknown';
    }
    if (output.some((item) => item?.type === 'function_call')) return 'tool_use';
    if (output.some((item) => contentOf(item).some((part) => part.type === 'refusal'))) return 'refusal';
    // A compaction is complete without a status of its own.
    return response.status === 'completed' || response.status === undefined ? 'end_turn' : 'unknown';
  }
}

type RawBlock = Block | { type: 'tool_text'; id: string; name: string; text: string };

function toBlocks(item: Item): RawBlock[] {
  if (item.type === 'function_call') {
    const text = typeof item.arguments === 'string' ? item.arguments : '';
    return [{ type: 'tool_text', id: String(item.call_id ?? ''), name: String(item.name ?? ''), text }];
  }
  if (item.type === 'message' && item.role === 'assistant') {
    return contentOf(item).flatMap((part) => {
      if (part.type === 'output_text') return { type: 'text' as const, text: String(part.text ?? '') };
      if (part.type === 'refusal') return { type: 'text' as const, text: String(part.refusal ?? '') };
      return [];
    });
  }
  return [{ type: 'native', format: FORMAT, data: item as JsonValue }];
}

function finishBlock(block: RawBlock): Block {
  if (block.type !== 'tool_text') return block;
  const { id, name, text } = block;
  if (!id || !name) throw new DialectError('model_output_invalid', 'The model called a tool without an id or a name.');
  return { type: 'tool_use', id, name, input: parseToolInput(name, text) };
}

function contentOf(item: Item | undefined): Item[] {
  return Array.isArray(item?.content) ? (item.content as Item[]) : [];
}

function readUsage(value: unknown): Usage {
  const usage = (value ?? {}) as Record<string, unknown>;
  const input = (usage.input_tokens_details ?? {}) as Record<string, unknown>;
  const output = (usage.output_tokens_details ?? {}) as Record<string, unknown>;
  const { cost } = usage;
  return toUsage({
    input_tokens: counter(usage.input_tokens),
    output_tokens: counter(usage.output_tokens),
    cache_read_input_tokens: counter(input.cached_tokens),
    cache_creation_input_tokens: undefined,
    reasoning_tokens: counter(output.reasoning_tokens),
    // This provider's input counter already holds the cached part.
    total_input_tokens: counter(usage.input_tokens),
    provider_cost_usd: typeof cost === 'number' || typeof cost === 'string' ? String(cost) : undefined,
  });
}

function providerError(value: unknown): DialectError {
  const error = (value ?? {}) as Record<string, unknown>;
  const code = typeof error.code === 'string' ? `${error.code}: ` : '';
  const retryable = ['rate_limit_exceeded', 'server_error'].includes(String(error.code));
  return new DialectError(
    'model_provider_failed',
    `${code}${String(error.message ?? 'the provider failed')}`,
    retryable,
  );
}
