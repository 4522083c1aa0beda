// One model call as an effect: intent on disk, sent once, streamed to who listens, outcome on disk. No retry anywhere.
import type { LiveEvent } from '@gbrain/brain-protocol/event';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { ModelRequest, ModelResult, ModelTool } from '@gbrain/brain-protocol/message';
import type { Failure } from '@gbrain/brain-protocol/outcome';
import { createSseDecoder } from '@gbrain/wire/sse';
import type { Clock } from '../clock.ts';
import { reach } from '../fault.ts';
import { failure } from '../session/command.ts';
import { decideModelEnd, decideModelFail, decideModelStart, type PartialAnswer } from '../session/decide-model.ts';
import type { Hub } from '../session/hub.ts';
import type { LiveSession } from '../session/live.ts';
import { Refusal } from '../session/refusal.ts';
import type { ScrubStream } from '../session/scrub.ts';
import type { Limits } from '../settings.ts';
import { type AnswerReader, DialectError, type DialectSink, type ResolvedRequest } from './dialects/dialect.ts';
import { type Post, PostError, readText } from './post.ts';
import { DIALECTS, type Provider, type Providers } from './providers.ts';

/** What the service is built from. */
export interface ModelPorts {
  clock: Clock;
  limits: Limits;
  hub: Hub;
  providers: Providers;
  post: Post;
}

/** On whose behalf a call is made, and what ends it early. */
export interface ModelCall {
  signal: AbortSignal;
  toolSequence?: number;
}

/** A call that gave no result. */
class CallFailed {
  readonly failed: Failure;
  readonly response: PartialAnswer | undefined;

  constructor(failed: Failure, response?: PartialAnswer) {
    this.failed = failed;
    this.response = response;
  }
}

/** Model calls of all sessions. */
export class ModelService {
  readonly #ports: ModelPorts;

  constructor(ports: ModelPorts) {
    this.#ports = ports;
  }

  /** Makes one call. Refuses with the code that `brain/call` answers; whatever happened is in the journal first. */
  async call(session: LiveSession, request: ModelRequest, call: ModelCall): Promise<ModelResult> {
    const { limits } = this.#ports;
    const provider = this.#findProvider(session);
    const resolved = this.#resolve(session, request);
    const apiKey = session.findSecret('model');
    if (apiKey === undefined) throw new Refusal('model_provider_failed', 'The session has no model key any more.');
    // What the dialect cannot express is refused before there is an intent.
    const outgoing = DIALECTS[provider.dialect].build(resolved, apiKey);
    const started = session.append(decideModelStart(session.state, request, limits, call.toolSequence), {
      barrier: true,
    });
    const sequence = started.lastSequence;
    await started.durable;
    if (call.signal.aborted) {
      return this.#record(session, sequence, new CallFailed(failure('cancelled', 'Cancelled before it was sent.')));
    }
    reach('after_sync_before_send', 'model');
    const live = new LiveOutput(this.#ports.hub, session, sequence, limits.maxModelDeltaBytes);
    live.publish({
      type: 'model_request',
      data: {
        model_call_sequence: sequence,
        input_bytes: Buffer.byteLength(outgoing.body),
        media_inputs: countMedia(request),
      },
    });
    const reader = DIALECTS[provider.dialect].createReader(live.sink);
    const outcome = await this.#send(provider, outgoing, reader, call.signal);
    live.end();
    reach('after_reply_before_record', 'model');
    return this.#record(session, sequence, outcome);
  }

  #findProvider(session: LiveSession): Provider {
    const name = session.state.configuration?.model.provider ?? '';
    const provider = this.#ports.providers.find(name);
    if (!provider) throw new Refusal('model_provider_failed', `This server has no model provider ${name}.`);
    return provider;
  }

  #resolve(session: LiveSession, request: ModelRequest): ResolvedRequest {
    const { configuration } = session.state;
    if (!configuration) throw new Error(`${session.sessionId} has no configuration`);
    const { provider, name } = configuration.model;
    const format = request.response_format === undefined ? configuration.response_format : request.response_format;
    const limit = this.#ports.providers.findModel(provider, name)?.max_output_tokens;
    const { system, tools, response_format: _, ...rest } = request;
    return {
      ...rest,
      model: name,
      system: system ?? configuration.system,
      tools: tools ?? configuration.tools.map(toModelTool),
      ...(format !== undefined && { response_format: format as JsonValue }),
      ...(limit !== undefined && { modelMaxOutputTokens: limit }),
    };
  }

  async #send(
    provider: Provider,
    outgoing: ReturnType<(typeof DIALECTS)['openai_responses']['build']>,
    reader: AnswerReader,
    cancel: AbortSignal,
  ): Promise<ModelResult | CallFailed> {
    const { clock, limits, post } = this.#ports;
    const ending = new AbortController();
    let late = false;
    const onCancel = () => ending.abort();
    cancel.addEventListener('abort', onCancel, { once: true });
    const onLate = () => {
      late = true;
      ending.abort();
    };
    const stop = limits.maxModelMs > 0 ? clock.timer(limits.maxModelMs, onLate) : undefined;
    const { signal } = ending;
    try {
      const { headers, body, path } = outgoing;
      const url = `${provider.baseUrl}${path}`;
      const answer = await post({ url, headers, body, connectMs: limits.maxModelConnectMs, signal, effect: 'model' });
      if (answer.status < 200 || answer.status > 299) {
        const { text } = await readText(answer.body, limits.maxModelErrorBytes);
        return new CallFailed(statusFailure(answer.status, text));
      }
      if (outgoing.stream) await readStream(answer.body, reader, limits);
      else reader.pushDocument((await readText(answer.body, limits.maxModelOutputBytes)).text);
      if (!reader.done) throw new PostError('the answer ended before it was complete', true, false);
      const result = reader.finish();
      refuseTooLong(result, limits.maxModelOutputBytes);
      return result;
    } catch (error) {
      return new CallFailed(toFailure(error as Error, cancel.aborted, late), knownPart(reader));
    } finally {
      cancel.removeEventListener('abort', onCancel);
      stop?.();
    }
  }

  async #record(session: LiveSession, sequence: number, outcome: ModelResult | CallFailed): Promise<ModelResult> {
    if (!(outcome instanceof CallFailed)) {
      const [record] = await session.commit(decideModelEnd(session.state, sequence, outcome));
      // What the loop sees is what was recorded, without what was scrubbed from it.
      return (JSON.parse(record?.payload ?? '{}') as { result: ModelResult }).result;
    }
    const { failed, response } = outcome;
    await session.commit(decideModelFail(session.state, sequence, failed, response));
    const { code, message, retryable, ambiguous } = failed;
    // `timeout` and `cancelled` are words for the whole turn there; a call's own deadline is not.
    const late = ambiguous ? 'ambiguous' : 'model_provider_failed';
    const known = code === 'unknown' ? 'ambiguous' : code === 'timeout' ? late : code;
    const facts = { retryable, ambiguous, sequence };
    throw new Refusal(known as Refusal['code'], session.scrubber.scrub(message), facts);
  }
}

/** A tool of a session as a model sees it. */
export function toModelTool(tool: {
  name: string;
  description: string;
  input_schema: object;
  output_schema?: object;
}): ModelTool {
  const { name, description, input_schema, output_schema } = tool;
  return { name, description, input_schema, output_schema: output_schema ?? {} } as ModelTool;
}

async function readStream(body: AsyncIterable<Buffer>, reader: AnswerReader, limits: Limits): Promise<void> {
  const frames = createSseDecoder({ maxEventUnits: limits.maxModelFrameBytes });
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limits.maxModelStreamBytes) {
      throw new DialectError('model_output_invalid', `The stream is longer than ${limits.maxModelStreamBytes} bytes.`);
    }
    const { events, fault } = frames.push(chunk);
    for (const { event, data } of events) if (data !== '[DONE]') reader.push(event, data);
    if (fault) throw new DialectError('model_output_invalid', 'A frame of the stream is too large.');
    if (reader.done) return;
  }
}

function refuseTooLong({ message }: ModelResult, maxBytes: number): void {
  if (Buffer.byteLength(JSON.stringify(message)) <= maxBytes) return;
  throw new DialectError('model_output_invalid', `The output is longer than ${maxBytes} bytes.`);
}

function statusFailure(status: number, text: string): Failure {
  const retryable = status === 408 || status === 429 || status >= 500;
  return failure('model_provider_failed', `The provider answered ${status}: ${text.slice(0, 3500)}`, { retryable });
}

/** Whether it can have happened decides: nothing sent is a plain failure, anything else is unknown. */
function toFailure(error: Error, cancelled: boolean, late: boolean): Failure {
  if (error instanceof DialectError) {
    return failure(error.code, error.message, { retryable: error.retryable });
  }
  if (!(error instanceof PostError)) throw error;
  const { sent } = error;
  if (cancelled) return failure('cancelled', 'The model call was cancelled.', { ambiguous: true });
  if (late) return failure('timeout', 'The model call ran into its deadline.', { ambiguous: sent });
  if (!sent) {
    return failure('model_provider_failed', `Nothing was sent: ${error.message}.`, { retryable: true });
  }
  return failure('unknown', `The call was sent and its outcome is unknown: ${error.message}.`, { ambiguous: true });
}

function knownPart(reader: AnswerReader): PartialAnswer | undefined {
  const part = reader.partial();
  return Object.keys(part.usage).length > 0 || part.stop_reason ? part : undefined;
}

function countMedia(request: ModelRequest): number {
  let count = 0;
  for (const { content } of request.messages) {
    for (const block of content) {
      if (block.type === 'image' || block.type === 'file') count += 1;
      if (block.type === 'tool_result') count += block.media?.length ?? 0;
    }
  }
  return count;
}

/** Streams one answer to the listeners of its session, scrubbed, in pieces of bounded size. */
class LiveOutput {
  readonly sink: DialectSink;
  readonly #hub: Hub;
  readonly #session: LiveSession;
  readonly #call: { model_call_sequence: number };
  readonly #maxDelta: number;
  readonly #streams = new Map<string, { stream: ScrubStream; emit(text: string): void }>();
  #outputBytes = 0;

  constructor(hub: Hub, session: LiveSession, sequence: number, maxDelta: number) {
    this.#hub = hub;
    this.#session = session;
    this.#call = { model_call_sequence: sequence };
    this.#maxDelta = maxDelta;
    this.sink = {
      onText: (index, text) => this.#text('assistant_delta', index, text),
      onRefusal: (index, text) => this.#text('refusal_delta', index, text),
      onToolCall: (index, id, name) =>
        this.publish({ type: 'tool_call_delta', data: { ...this.#call, index, id, name } }),
      onToolInput: (index, partial) => this.#input(index, partial),
      onUsage: (usage) => this.publish({ type: 'model_usage', data: { ...this.#call, usage } }),
    };
  }

  publish(event: LiveEvent): void {
    if (this.#hub.hasListeners(this.#session.sessionId)) this.#hub.publishLive(this.#session.sessionId, event);
  }

  /** Sends what was held back, and the size of the whole. */
  end(): void {
    for (const { stream, emit } of this.#streams.values()) emit(stream.end());
    if (this.#outputBytes === 0) return;
    this.publish({ type: 'model_output', data: { ...this.#call, output_bytes: this.#outputBytes } });
  }

  #text(type: 'assistant_delta' | 'refusal_delta', index: number, text: string): void {
    this.#piece(`${type} ${index}`, text, (piece) => {
      this.publish({ type, data: { ...this.#call, index, text: piece } });
    });
  }

  #input(index: number, partial: string): void {
    this.#piece(`input ${index}`, partial, (piece) => {
      this.publish({ type: 'tool_call_delta', data: { ...this.#call, index, partial_json: piece } });
    });
  }

  #piece(key: string, text: string, publish: (piece: string) => void): void {
    this.#outputBytes += text.length;
    let open = this.#streams.get(key);
    if (!open) {
      const emit = (clean: string) => {
        for (let start = 0; start < clean.length; start += this.#maxDelta) {
          publish(clean.slice(start, start + this.#maxDelta));
        }
      };
      open = { stream: this.#session.scrubber.stream(), emit };
      this.#streams.set(key, open);
    }
    open.emit(open.stream.push(text));
  }
}
