// `brain chat`: a conversation in the terminal over one session, streamed. Only answers go to stdout.
import { createInterface } from 'node:readline';
import type { Message } from '@gbrain/brain-protocol/message';
import type { SessionSummary } from '@gbrain/brain-protocol/session';
import { flattenLine } from '@gbrain/wire/text';
import { type ApiClient, createApiClient, type StreamFrame } from './api-client.ts';
import { type CliContext, CliError, parseArgs } from './context.ts';

const KEYS: Record<string, string> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  'vercel-ai-gateway': 'AI_GATEWAY_API_KEY',
};

const MODELS: Record<string, string> = { openai: 'gpt-5', anthropic: 'claude-sonnet-4-5' };

/** Talks until the input ends, or `/end`. Gives 1 when the last turn failed. */
export async function chat(context: CliContext, argv: string[]): Promise<number> {
  const { flags, rest } = parseArgs(argv, ['json']);
  const { url, provider, model, system, loop, 'api-key-env': keyEnv, ...others } = flags;
  const [unknown] = Object.keys(others);
  if (unknown) throw new CliError('usage', `chat takes no --${unknown}.`, 'See brain --help.', { exit: 2 });
  const client = createApiClient(context, url);
  const [given] = rest;
  const id = given ?? (await createSession(context, client, { provider, model, system, loop, keyEnv }));
  const { last_sequence } = await client.call<SessionSummary>('GET', `/v1/sessions/${encodeURIComponent(id)}`);
  context.stderr(`session ${id} on ${client.baseUrl}. /end ends it, end of input leaves it.\n`);
  const talk = new Conversation(context, client, id, last_sequence);
  return talk.run();
}

interface Choice {
  provider: string | undefined;
  model: string | undefined;
  system: string | undefined;
  loop: string | undefined;
  keyEnv: string | undefined;
}

/** What a table holds under a name that somebody typed. */
const own = (table: Record<string, string>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

async function createSession(context: CliContext, client: ApiClient, choice: Choice): Promise<string> {
  const provider = choice.provider ?? Object.keys(KEYS).find((name) => context.env[KEYS[name] ?? '']) ?? 'openai';
  const variable = choice.keyEnv ?? own(KEYS, provider) ?? 'BRAIN_MODEL_API_KEY';
  const apiKey = context.env[variable];
  if (!apiKey) {
    throw new CliError(
      'no_model_key',
      `There is no key for ${provider}.`,
      `Set ${variable}, or name another with --api-key-env.`,
    );
  }
  const model = choice.model ?? own(MODELS, provider);
  if (!model) throw new CliError('usage', `Which model of ${provider}?`, 'Name it with --model.', { exit: 2 });
  const created = await client.call<SessionSummary>('POST', '/v1/sessions', {
    agentloop: { name: choice.loop ?? 'default' },
    model: { provider, name: model, api_key: apiKey },
    ...(choice.system !== undefined && { system: choice.system }),
    tools: [],
    environments: [],
  });
  return created.session_id;
}

class Conversation {
  readonly #context: CliContext;
  readonly #client: ApiClient;
  readonly #path: string;
  readonly #id: string;
  #cursor: number;
  #failed = false;
  #busy = false;

  constructor(context: CliContext, client: ApiClient, id: string, cursor: number) {
    this.#context = context;
    this.#client = client;
    this.#id = encodeURIComponent(id);
    this.#path = `/v1/sessions/${this.#id}`;
    this.#cursor = cursor;
  }

  async run(): Promise<number> {
    const { stdin, isTerminal, stderr, onSignal, exit } = this.#context;
    onSignal(['SIGINT'], () => {
      // The first stops the turn, and with none running the conversation.
      if (!this.#busy) exit(130);
      void this.#client.call('POST', `${this.#path}/cancel`).catch((error: Error) => stderr(`${error.message}\n`));
    });
    const lines = createInterface({ input: stdin, terminal: false });
    const prompt = () => (isTerminal ? stderr('> ') : undefined);
    prompt();
    for await (const line of lines) {
      const text = line.trim();
      if (text === '/end') {
        await this.#client.call('POST', `${this.#path}/end`);
        stderr('ended\n');
        break;
      }
      if (text !== '') await this.#say(line);
      prompt();
    }
    return this.#failed ? 1 : 0;
  }

  async #say(message: string): Promise<void> {
    this.#busy = true;
    try {
      const abort = new AbortController();
      const stream = this.#client.stream(this.#id, this.#cursor, abort.signal);
      const shown = this.#show(stream, abort);
      const body = { input: { message } };
      await this.#client
        .call('POST', `${this.#path}/messages`, body, { prefer: 'respond-async' })
        .catch((error: unknown) => {
          abort.abort();
          throw error;
        });
      await shown;
    } finally {
      this.#busy = false;
    }
  }

  /** Prints an answer as it comes, until its turn has ended. Reconnects by the cursor when the stream was cut. */
  async #show(first: AsyncGenerator<StreamFrame>, abort: AbortController): Promise<void> {
    const answer = { streamed: '', stopped: false };
    for (let stream = first; ; stream = this.#client.stream(this.#id, this.#cursor, abort.signal)) {
      try {
        for await (const frame of stream) {
          if (frame.event) this.#cursor = frame.event.sequence;
          if (!this.#onFrame(frame, answer)) continue;
          abort.abort();
          return;
        }
      } catch (error) {
        if (abort.signal.aborted) return;
        throw error;
      }
    }
  }

  /** True when the turn is over. */
  #onFrame({ type, data }: StreamFrame, answer: { streamed: string; stopped: boolean }): boolean {
    const { stdout, stderr } = this.#context;
    const facts = data as {
      text?: string;
      name?: string;
      tool?: string;
      message?: unknown;
      code?: string;
      type?: string;
    };
    switch (type) {
      case 'assistant_delta':
        answer.streamed += facts.text ?? '';
        stdout(facts.text ?? '');
        return false;
      case 'tool_call_started':
        stderr(`${answer.streamed ? '\n' : ''}[${facts.tool}]\n`);
        answer.streamed = '';
        return false;
      case 'output_emitted': {
        const text = facts.type === 'assistant_message' ? toText(facts.message as Message) : '';
        // What was streamed already is not printed again.
        if (text && text !== answer.streamed) stdout(`${answer.streamed ? '\n' : ''}${text}`);
        answer.streamed = text || answer.streamed;
        return false;
      }
      case 'loop_stopped':
        stderr(`${answer.streamed ? '\n' : ''}the loop stopped: ${flattenLine(String(facts.message))}\n`);
        answer.stopped = true;
        return false;
      case 'turn_ended':
        if (answer.streamed !== '' || !answer.stopped) stdout('\n');
        this.#failed = answer.stopped;
        return true;
      case 'turn_failed':
        stderr(`\nthe turn failed: ${facts.code}: ${flattenLine(String(facts.message))}\n`);
        this.#failed = true;
        return true;
      default:
        return false;
    }
  }
}

function toText(message: Message): string {
  return message.content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('');
}
