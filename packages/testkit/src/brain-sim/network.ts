// The outside world of a simulated server: a model provider and a tool service behind a network that loses things.

import { openaiResponses } from '@gbrain/brain/effects/dialects/openai-responses';
import { type Post, PostError, type PostRequest, type PostResponse } from '@gbrain/brain/effects/post';
import type { EnvironmentOperation, EnvironmentReceipt } from '@gbrain/brain-protocol/environment-wire';
import type { Oracle } from './oracle.ts';
import type { Random } from './random.ts';
import { type Life, never, type SimClock } from './sim-clock.ts';

/** What the network is made from. */
export interface NetworkOptions {
  clock: SimClock;
  random: Random;
  oracle: Oracle;
  /** How often something goes wrong on the way. */
  faults: number;
  /** Reports to the present server, as a tool does over its callback. Nobody may listen. */
  callBack(token: string, call: { method: 'returned' | 'finish' | 'result'; output: number }): void;
}

/** What happens to one request on its way. */
interface Fate {
  connects: boolean;
  outMs: number;
  backMs: number;
  /** The answer is lost: before its first byte, in the middle, or by silence. */
  lost: 'not' | 'before' | 'middle' | 'silent';
}

/** Network and remote services; they outlive every server. */
export class SimNetwork {
  readonly #options: NetworkOptions;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /** The network as one life of the server sees it. */
  toPost(life: Life): Post {
    return (request) => this.#send(life, request);
  }

  #send(life: Life, request: PostRequest): Promise<PostResponse> {
    if (!life.alive) return never();
    const { clock, random } = this.#options;
    const fate = this.#decideFate();
    return new Promise<PostResponse>((resolve, reject) => {
      let sent = false;
      const fail = (message: string, aborted = false) => {
        if (life.alive) reject(new PostError(message, sent, aborted));
      };
      const onAbort = () => fail('aborted', true);
      if (request.signal.aborted) {
        onAbort();
        return;
      }
      request.signal.addEventListener('abort', onAbort, { once: true });
      life.timer(random.int(0, 2), () => {
        if (request.signal.aborted) return;
        if (!fate.connects) {
          fail('refused');
          return;
        }
        // From here on it arrives, whatever becomes of the server and of its wish.
        sent = true;
        clock.timer(fate.outMs, () => {
          const answer = this.#receive(request);
          if (fate.lost === 'silent') return;
          clock.timer(fate.backMs, () => {
            if (fate.lost === 'before') fail('the connection was lost');
            else if (life.alive) resolve(this.#toResponse(answer, fate, request.signal, life));
          });
        });
      });
    });
  }

  #decideFate(): Fate {
    const { random, faults } = this.#options;
    const lost = random.chance(faults) ? random.pick(['before', 'middle', 'silent'] as const) : 'not';
    return { connects: !random.chance(faults / 2), outMs: random.int(1, 20), backMs: random.int(1, 40), lost };
  }

  #receive(request: PostRequest): { status: number; frames: string[] } {
    if (request.url.endsWith('/responses')) return this.#answerModel(request);
    return this.#answerTool(request);
  }

  #answerModel({ headers, body }: PostRequest): { status: number; frames: string[] } {
    const { oracle, random, faults } = this.#options;
    const secret = (headers.authorization ?? '').replace('Bearer ', '');
    const effect = oracle.onReceived(oracle.findBySecret(secret), 'model', undefined);
    if (random.chance(faults)) return { status: random.pick([400, 429, 500]), frames: ['{"error":"scripted"}'] };
    const input = (JSON.parse(body) as { input: { type?: string }[] }).input;
    this.#checkRequest(oracle.findBySecret(secret), input);
    const wasTool = input.at(-1)?.type === 'function_call_output';
    const output = random.chance(wasTool ? 0.3 : 0.6) ? this.#toolCalls() : [toTextItem(`Said of ${secret}.`)];
    if (effect) effect.succeeded = true;
    const usage = { input_tokens: 3, output_tokens: 2 };
    const done = { type: 'response.completed', response: { status: 'completed', output, usage } };
    const items = output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }));
    return {
      status: 200,
      frames: [...items, done].map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`),
    };
  }

  /** The journal alone gives the exact request. */
  #checkRequest(sessionId: string, input: object[]): void {
    const { oracle } = this.#options;
    const messages = oracle.stateOf(sessionId)?.model?.messages;
    if (!messages) return;
    const { body } = openaiResponses.build({ model: 'm', messages, system: '', tools: [] }, 'key');
    const rebuilt = (JSON.parse(body) as { input: object[] }).input;
    if (JSON.stringify(rebuilt) !== JSON.stringify(input))
      oracle.report(`${sessionId}: the journal gives another request`);
  }

  #toolCalls(): object[] {
    const { random } = this.#options;
    return Array.from({ length: random.int(1, 2) }, (_, index) => ({
      type: 'function_call',
      call_id: `call_${index}`,
      name: random.pick(['near', 'far', 'far', 'nothing']),
      arguments: JSON.stringify({ n: random.int(0, 9) }),
    }));
  }

  #answerTool({ body }: PostRequest): { status: number; frames: string[] } {
    const { operation } = JSON.parse(body) as EnvironmentOperation;
    const { request, session_id, sequence } = operation;
    const receipt = request.type === 'execute' ? this.#execute(operation) : { type: 'result', output: null };
    if (request.type === 'execute') {
      checkToolInput(this.#options.oracle, request.input);
      const effect = this.#options.oracle.onReceived(session_id, 'tool', sequence);
      if (effect) effect.succeeded = receipt.type === 'result';
    }
    return { status: 200, frames: [JSON.stringify({ contract: 'environment/v1', sequence, receipt })] };
  }

  #execute({ sequence, request }: EnvironmentOperation['operation']): EnvironmentReceipt {
    const { random, clock, callBack } = this.#options;
    const callback = request.type === 'execute' ? request.callback : undefined;
    const kind = random.int(0, 9);
    if (kind === 0) return { type: 'failure', code: 'no', message: 'No.', retryable: false };
    if (kind === 1) return { type: 'unknown', message: 'Who knows.' };
    if (kind === 2 && callback) {
      // Returns first and reports later, in the background.
      const token = callback.token;
      clock.timer(random.int(60, 300), () => callBack(token, { method: 'result', output: sequence }));
      clock.timer(random.int(300, 500), () => callBack(token, { method: 'finish', output: sequence }));
      return { type: 'returned', output: sequence };
    }
    return { type: 'result', output: sequence };
  }

  #toResponse(
    { status, frames }: { status: number; frames: string[] },
    { lost }: Fate,
    signal: AbortSignal,
    life: Life,
  ): PostResponse {
    const { clock, random } = this.#options;
    async function* body(): AsyncGenerator<Buffer> {
      for (const [index, frame] of frames.entries()) {
        await clock.wait(random.int(0, 5));
        if (!life.alive) await never();
        if (signal.aborted) throw new PostError('aborted', true, true);
        if (lost === 'middle' && index === frames.length - 1)
          throw new PostError('the connection was lost', true, false);
        yield Buffer.from(frame);
      }
    }
    return { status, headers: {}, body: body() };
  }
}

/** What reaches a tool fits its schema. */
export function checkToolInput(oracle: Oracle, input: unknown): void {
  if (((input as { n?: number }).n ?? 0) > 8) oracle.report(`a tool was given ${JSON.stringify(input)}`);
}

function toTextItem(text: string): object {
  return { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] };
}
