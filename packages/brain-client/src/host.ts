// This process as a host: holds the command stream, runs the tools of its sessions, reports in order. Reconnects.
import type { EnvironmentControlRequest, EnvironmentControlResult } from '@gbrain/brain-protocol/environment';
import { HostCommand, type ToolOutput, type ToolUpdate } from '@gbrain/brain-protocol/host';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import { toEnvironments } from './control.ts';
import { BrainError } from './errors.ts';
import type { CallContext, ClientTool } from './tool.ts';
import type { Transport } from './transport.ts';

/** Pauses before the command stream is opened again: Brain takes five seconds before it counts calls as lost. */
const PAUSE_MS = { first: 100, last: 1000 } as const;

/** How often a result is sent again. */
const FINISH_TRIES = 6;

/** What makes a process the same host again: its id and the token that only it knows. */
export interface HostCredentials {
  hostId: string;
  token: string;
}

type Invocation = HostCommand & { operation: { type: 'invoke_tool' } };

/** A host and its connection. */
export class ToolHost {
  readonly credentials: HostCredentials;
  readonly #transport: Transport;
  readonly #tools = new Map<string, ReadonlyMap<string, ClientTool>>();
  readonly #running = new Map<string, AbortController>();
  /** Receives what goes wrong in the background; a host never throws on its own. */
  readonly #onError: (error: Error) => void;
  #connected: Promise<void>;

  constructor(transport: Transport, credentials: HostCredentials, onError: (error: Error) => void) {
    this.#transport = transport;
    this.credentials = credentials;
    this.#onError = onError;
    this.#connected = Promise.resolve();
    transport.closed.addEventListener('abort', () => {
      for (const controller of this.#running.values()) controller.abort(transport.closed.reason);
    });
  }

  /** Opens the command stream and keeps it open; resolves when it stands for the first time. */
  connect(): Promise<void> {
    this.#connected = new Promise((resolve, reject) => {
      this.#listen(resolve).catch((error: Error) => {
        reject(error);
        if (!this.#transport.closed.aborted) this.#onError(error);
      });
    });
    return this.#connected;
  }

  /** Sets the tools of a session, by implementation name. */
  attach(sessionId: string, tools: readonly ClientTool[]): void {
    this.#tools.set(sessionId, new Map(tools.map((tool) => [tool.name, tool])));
  }

  /** Forgets a session's tools. */
  detach(sessionId: string): void {
    this.#tools.delete(sessionId);
  }

  async #listen(onConnected: () => void): Promise<void> {
    const { hostId, token } = this.credentials;
    const path = `/v1/hosts/${hostId}/commands`;
    let pause: number = PAUSE_MS.first;
    while (!this.#transport.closed.aborted) {
      try {
        const frames = this.#transport.stream(path, { token, onOpen: onConnected });
        for await (const { event, data } of frames) {
          pause = PAUSE_MS.first;
          if (event === 'command') this.#take(HostCommand.parse(JSON.parse(data)));
        }
      } catch (error) {
        if (this.#transport.closed.aborted) return;
        const passing = error instanceof BrainError && (error.code === 'connection_failed' || error.status >= 500);
        if (!passing) throw error;
      }
      await this.#transport.pause(pause).catch(() => {});
      pause = Math.min(pause * 2, PAUSE_MS.last);
    }
  }

  #take(command: HostCommand): void {
    const { operation, session_id } = command;
    if (operation.type === 'cancel_tool') {
      const reason = new BrainError('cancelled', 'The call was cancelled.');
      this.#running.get(key(session_id, operation.target_sequence))?.abort(reason);
      return;
    }
    this.#run(command as Invocation).catch((error: Error) => {
      if (!this.#transport.closed.aborted) this.#onError(error);
    });
  }

  async #run(command: Invocation): Promise<void> {
    const { session_id, sequence, operation } = command;
    const controller = new AbortController();
    const reports = new Reports(this.#transport, this.credentials, command);
    this.#running.set(key(session_id, sequence), controller);
    try {
      const output = await this.#execute(command, operation.name, reports.toContext(controller.signal));
      await reports.finish(output);
    } finally {
      this.#running.delete(key(session_id, sequence));
    }
  }

  async #execute({ session_id, operation }: Invocation, name: string, context: CallContext): Promise<ToolOutput> {
    const tools = this.#tools.get(session_id);
    const tool = tools?.get(name);
    if (tool) return tool.execute(operation.input, context);
    const [code, what] = tools ? ['unsupported', `the tool ${name}`] : ['unknown_session', 'this session'];
    return { status: 'error', error: { code, message: `The host does not know ${what}.` } };
  }
}

/** What one call reports, one at a time. */
class Reports {
  readonly #transport: Transport;
  readonly #credentials: HostCredentials;
  readonly #command: HostCommand;
  #last: Promise<unknown> = Promise.resolve();
  /** The tool has ended its call by itself. */
  #isFinished = false;

  constructor(transport: Transport, credentials: HostCredentials, command: HostCommand) {
    this.#transport = transport;
    this.#credentials = credentials;
    this.#command = command;
  }

  /**
   * Ends the call. Sent again when nobody answered: one that had arrived is refused then, as is one that comes after a
   * cancel or the deadline, and neither is an error.
   */
  async finish(outcome: ToolOutput): Promise<void> {
    if (this.#isFinished) return;
    for (let tries = 0; ; tries += 1) {
      try {
        await this.update({ type: 'finish', outcome });
        return;
      } catch (error) {
        if (!(error instanceof BrainError)) throw error;
        if (error.status === 409 || error.status === 404) return;
        if (error.code !== 'connection_failed' || tries >= FINISH_TRIES) throw error;
        await this.#transport.pause(PAUSE_MS.first * 2 ** tries);
      }
    }
  }

  update(update: ToolUpdate): Promise<number> {
    return this.#post<{ sequence: number }>('results', { update }).then(({ sequence }) => sequence);
  }

  toContext(signal: AbortSignal): CallContext {
    const { session_id, sequence, environment, deadline_at_ms } = this.#command;
    const ok = (value: JsonValue) => ({ status: 'ok' as const, value });
    return {
      sessionId: session_id,
      sequence,
      environment,
      deadline: deadline_at_ms === undefined ? undefined : new Date(deadline_at_ms),
      signal,
      emit: async (event_type, data) =>
        (await this.#post<{ sequence: number }>('events', { event_type, data })).sequence,
      emitResult: (value) => this.update({ type: 'result', outcome: ok(value) }),
      returned: (value) => this.update({ type: 'returned', ...(value !== undefined && { outcome: ok(value) }) }),
      finish: (value) => {
        this.#isFinished = true;
        return this.update({ type: 'finish', ...(value !== undefined && { outcome: ok(value) }) });
      },
      model: (request) => this.#post('model', { request }, false),
      environments: toEnvironments((request) => this.#control(request)),
    };
  }

  /** A view comes in an envelope here, unlike to the session's owner. */
  async #control<T>(input: EnvironmentControlRequest): Promise<T> {
    const call = { method: 'environments', input };
    const answer = await this.#post<EnvironmentControlResult>('call', { call }, false);
    return ('environment' in answer ? answer.environment : answer) as T;
  }

  /** Posts after what was posted before, so that order is kept; long calls are not waited for. */
  #post<T>(what: string, body: object, ordered = true): Promise<T> {
    const { hostId, token } = this.#credentials;
    const { session_id, sequence } = this.#command;
    const request = { token, body: { session_id, sequence, ...body } };
    const send = () => this.#transport.request<T>('POST', `/v1/hosts/${hostId}/${what}`, request);
    if (!ordered) return send();
    const sent = this.#last.then(send, send);
    this.#last = sent.catch(() => {});
    return sent;
  }
}

function key(sessionId: string, sequence: number): string {
  return `${sessionId} ${sequence}`;
}
