// A server on its pipe as bytes: every line that it writes is kept, requests are answered by id. No SDK in between.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';

/** A message from the server. */
export interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** A tool result as text blocks. */
export interface ToolReply {
  content: { type: string; text: string }[];
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** How a server ended. */
export interface Ended {
  exit: number | null;
  signal: NodeJS.Signals | null;
}

const LIMIT_MS = 60_000;

/** Speaks to one `gbrain serve`. */
export class McpPipe {
  readonly process: ChildProcessWithoutNullStreams;
  /** Every line of stdout, in order. */
  readonly lines: string[] = [];
  readonly notifications: Message[] = [];
  stderr = '';
  readonly ended: Promise<Ended>;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #watchers = new Set<() => void>();
  #lastId = 0;

  constructor(process: ChildProcessWithoutNullStreams) {
    this.process = process;
    const { promise, resolve } = Promise.withResolvers<Ended>();
    this.ended = promise;
    process.once('close', (exit, signal) => {
      resolve({ exit, signal });
      for (const answer of this.#waiting.values()) {
        answer({ error: { code: 0, message: `the server ended with ${exit ?? signal}: ${this.stderr}` } });
      }
    });
    process.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
      for (const look of this.#watchers) look();
    });
    // By line feeds alone: node:readline would also cut at U+2028, which JSON writes as it is.
    let rest = '';
    process.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() as string;
      for (const line of lines) this.#onLine(line);
    });
  }

  #onLine(line: string): void {
    this.lines.push(line);
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      return;
    }
    if (message.method !== undefined) this.notifications.push(message);
    else if (typeof message.id === 'number') this.#waiting.get(message.id)?.(message);
    for (const look of this.#watchers) look();
  }

  /** Lines of stdout that are no JSON-RPC message. */
  get foreignLines(): string[] {
    return this.lines.filter((line) => {
      try {
        return (JSON.parse(line) as { jsonrpc?: unknown }).jsonrpc !== '2.0';
      } catch {
        return true;
      }
    });
  }

  /** Sends a message without waiting. */
  send(message: object): void {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  notify(method: string, params: object = {}): void {
    this.send({ method, params });
  }

  /** The id that the next request gets. */
  get nextId(): number {
    return this.#lastId + 1;
  }

  /** Sends a request and gives the whole reply. Rejects when none comes in a minute. */
  ask(method: string, params: object = {}): Promise<Message> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    const limit = setTimeout(
      () => reject(new Error(`no reply to ${method} (${id}) in ${LIMIT_MS} ms; stderr: ${this.stderr}`)),
      LIMIT_MS,
    );
    this.#waiting.set(id, (message) => {
      clearTimeout(limit);
      this.#waiting.delete(id);
      resolve(message);
    });
    this.send({ id, method, params });
    return promise;
  }

  /** The result of a request that must succeed. */
  async result(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const { result, error } = await this.ask(method, params);
    if (!result) throw new Error(`${method} failed: ${JSON.stringify(error)}; stderr: ${this.stderr}`);
    return result;
  }

  /** The handshake of the revisions before 2026. */
  async initialize(protocolVersion = '2025-06-18'): Promise<Record<string, unknown>> {
    const clientInfo = { name: 'pipe', version: '1.0.0' };
    const result = await this.result('initialize', { protocolVersion, capabilities: {}, clientInfo });
    this.notify('notifications/initialized');
    return result;
  }

  /** Names of the listed tools. */
  async toolNames(): Promise<string[]> {
    const { tools } = (await this.result('tools/list')) as { tools: { name: string }[] };
    return tools.map(({ name }) => name);
  }

  /** One tool call as it comes back. */
  async call(name: string, args: object = {}, meta?: object): Promise<ToolReply> {
    const params = { name, arguments: args, ...(meta && { _meta: meta }) };
    return (await this.result('tools/call', params)) as unknown as ToolReply;
  }

  /** The body of a call that must succeed. */
  async body<T = Record<string, unknown>>(name: string, args: object = {}): Promise<T> {
    const reply = await this.call(name, args);
    if (reply.isError) throw new Error(`${name} failed: ${reply.content[0]?.text}`);
    return JSON.parse(reply.content[0]!.text) as T;
  }

  /** The envelope of a call that must fail. */
  async envelope(name: string, args: object = {}): Promise<Record<string, unknown>> {
    const reply = await this.call(name, args);
    if (!reply.isError) throw new Error(`${name} succeeded: ${reply.content[0]?.text.slice(0, 300)}`);
    if (reply.content.length !== 1) throw new Error(`an error of ${reply.content.length} blocks`);
    return JSON.parse(reply.content[0]!.text) as Record<string, unknown>;
  }

  /** Resolves once `isTrue` holds, which is looked at with every message and every line of stderr. */
  until(isTrue: () => boolean, what: string): Promise<void> {
    if (isTrue()) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = (settle: () => void) => {
      clearTimeout(limit);
      this.#watchers.delete(look);
      settle();
    };
    const look = () => {
      if (isTrue()) end(resolve);
    };
    const why = () => new Error(`${what} did not come in ${LIMIT_MS} ms; stderr: ${this.stderr}`);
    const limit = setTimeout(() => end(() => reject(why())), LIMIT_MS);
    this.#watchers.add(look);
    return promise;
  }

  /** Resolves with the next notification of a method after `from` of them were seen. */
  async notification(method: string, from = 0): Promise<Message> {
    const seen = () => this.notifications.filter((one) => one.method === method);
    await this.until(() => seen().length > from, method);
    return seen()[from]!;
  }

  /** Closes its input and waits for its end. */
  async close(): Promise<Ended> {
    this.process.stdin.end();
    return this.ended;
  }
}
