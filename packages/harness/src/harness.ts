// A harness as a protocol peer over injected messages: initialize, run, cancel, close, delete. It opens no stream.
import { type CallParams, HARNESS_PROTOCOL, InitializeParams, RunParams } from '@gbrain/brain-protocol/harness';
import type { JsonObject, JsonValue } from '@gbrain/brain-protocol/json';
import { createPeer, type Peer, type RequestHandler } from '@gbrain/wire/json-rpc';
import { JsonRpcError, type JsonRpcMessage, type JsonRpcParams, RPC_CODES } from '@gbrain/wire/json-rpc-message';
import { Activation } from './activation.ts';
import { CallError, toRunError } from './call-error.ts';
import type { RunContext } from './context.ts';

/** A session and one of its activations. */
export interface ActivationName {
  sessionId: string;
  sequence: number;
}

/** A harness, as its author writes it. */
export interface HarnessOptions {
  /** Bound to the data folder at the first start; another name is refused later. */
  name: string;
  /** Version of the program; a change of it alone is allowed. Default '0'. */
  version?: string;
  /** Version of the native state. Bound to the data folder: raise it when older state can no longer be read. */
  stateVersion: number;
  /** JSON Schema of the merged configuration; Brain checks each session against it at creation. */
  configurationSchema?: JsonObject;
  /** Called once with what Brain says first. A throw refuses to serve. */
  initialize?(params: InitializeParams): void | Promise<void>;
  /** One activation. What it gives becomes the turn's `result`; a throw fails the turn. */
  // biome-ignore lint/suspicious/noConfusingVoidType: an async function that returns nothing gives a Promise<void>
  run(context: RunContext): Promise<JsonValue | void> | JsonValue | void;
  /** The activation must stop; `context.signal` has been aborted. The pending `run` must settle within 5 s. */
  cancel?(name: ActivationName, reason: CallError): void | Promise<void>;
  /** Drop what is in memory of a session and flush; its folder stays. */
  close?(sessionId: string): void | Promise<void>;
  /** Forget a session outside its folder too; Brain removes the folder. */
  delete?(sessionId: string): void | Promise<void>;
}

/** What carries a harness. */
export interface HarnessPorts {
  send(message: JsonRpcMessage): void;
  /** A line for people: bugs of the loop, and what Brain did against the protocol. */
  warn(text: string): void;
}

/** A harness that runs. */
export interface OpenHarness {
  /** Takes one decoded message. */
  receive(message: unknown): void;
  /** The connection is gone: everything stops. Resolves when every run has settled. */
  close(): Promise<void>;
  readonly activeCount: number;
}

/** Opens a harness over a connection. */
export function openHarness(options: HarnessOptions, ports: HarnessPorts): OpenHarness {
  return new HarnessPeer(options, ports);
}

type Params = Record<string, unknown>;

class HarnessPeer implements OpenHarness {
  readonly #options: HarnessOptions;
  readonly #ports: HarnessPorts;
  readonly #peer: Peer;
  /** At most one a session. */
  readonly #active = new Map<string, Activation>();
  readonly #runs = new Set<Promise<unknown>>();
  #initialized = false;

  constructor(options: HarnessOptions, ports: HarnessPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#peer = createPeer({
      send: (message) => ports.send(message),
      findHandler: (method) => this.#findHandler(method),
      onFault: (fault) => ports.warn(`Brain sent what the protocol does not have. ${fault.message}`),
      toError: (thrown) => (thrown instanceof JsonRpcError ? thrown : toRunError(thrown)).toObject(),
    });
  }

  get activeCount(): number {
    return this.#active.size;
  }

  receive(message: unknown): void {
    this.#peer.receive(message);
  }

  async close(): Promise<void> {
    const reason = new CallError('activation_closed', 'The connection to Brain is closed.', { fatal: true });
    for (const activation of this.#active.values()) activation.stop(reason);
    this.#peer.close();
    await Promise.allSettled([...this.#runs]);
  }

  #findHandler(method: string): RequestHandler | undefined {
    const handler = this.#handlers[method];
    if (!handler) return undefined;
    return (params) => {
      if (method !== 'initialize' && !this.#initialized) throw invalid(`${method} came before initialize.`);
      return handler(toObject(params));
    };
  }

  readonly #handlers: Record<string, (params: Params) => unknown> = {
    initialize: (params) => this.#initialize(params),
    run: (params) => {
      const run = this.#run(params);
      this.#runs.add(run);
      const settle = () => this.#runs.delete(run);
      run.then(settle, settle);
      return run;
    },
    cancel: ({ session_id, sequence }) => {
      const activation = this.#active.get(String(session_id));
      // It may have settled while the request was on its way.
      if (activation && activation.context.sequence === sequence) {
        activation.stop(new CallError('cancelled', 'Brain cancelled the activation.', { fatal: true }));
      }
      return {};
    },
    close: async ({ session_id }) => {
      await this.#options.close?.(String(session_id));
      return {};
    },
    delete: async ({ session_id }) => {
      await this.#options.delete?.(String(session_id));
      return {};
    },
  };

  async #initialize(params: Params): Promise<unknown> {
    const parsed = InitializeParams.safeParse(params);
    if (!parsed.success) throw invalid(`initialize is not valid: ${parsed.error.issues[0]?.message}.`);
    this.#initialized = true;
    await this.#options.initialize?.(parsed.data);
    const { name, version = '0', stateVersion, configurationSchema } = this.#options;
    return {
      protocol: HARNESS_PROTOCOL,
      harness: { name, version },
      state_version: stateVersion,
      ...(configurationSchema && { configuration_schema: configurationSchema }),
    };
  }

  async #run(params: Params): Promise<{ result?: JsonValue }> {
    const parsed = RunParams.safeParse(params);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw invalid(`run is not valid at ${issue?.path.join('.')}: ${issue?.message}.`);
    }
    const { session_id, sequence } = parsed.data;
    if (this.#active.has(session_id)) throw invalid(`${session_id} has an active run.`);
    const name = { sessionId: session_id, sequence };
    const activation = new Activation(parsed.data, {
      call: (method, input) => {
        const call: CallParams = { session_id, sequence, method, input: input as JsonValue };
        return this.#peer.request('brain/call', call as unknown as JsonRpcParams);
      },
      onStop: (reason) => this.#onStop(name, reason),
      onLate: (method) => this.#ports.warn(`${session_id}: ${method} was called after its run had returned.`),
    });
    this.#active.set(session_id, activation);
    try {
      return await this.#settle(activation);
    } finally {
      this.#active.delete(session_id);
    }
  }

  async #settle(activation: Activation): Promise<{ result?: JsonValue }> {
    const { context } = activation;
    let failed: { thrown: unknown } | undefined;
    let result: JsonValue | undefined;
    try {
      result = (await this.#options.run(context)) ?? undefined;
    } catch (thrown) {
      failed = { thrown };
    }
    const unawaited = activation.pendingCount;
    const missed = await activation.close();
    if (unawaited > 0) {
      this.#ports.warn(`${context.sessionId}: run returned before ${unawaited} of its callbacks; await each one.`);
    }
    // A fatal error stands, even when the loop caught it; so does an error that nobody awaited.
    if (activation.stopped) throw activation.stopped;
    if (failed) throw failed.thrown;
    if (missed) throw missed;
    return result === undefined ? {} : { result };
  }

  #onStop(name: ActivationName, reason: CallError): void {
    Promise.resolve()
      .then(() => this.#options.cancel?.(name, reason))
      .catch((thrown: unknown) => this.#ports.warn(`${name.sessionId}: cancel threw ${String(thrown)}.`));
  }
}

function toObject(params: JsonRpcParams | undefined): Params {
  if (params === undefined || Array.isArray(params)) throw invalid('The parameters are not an object.');
  return params;
}

function invalid(message: string): JsonRpcError {
  return new JsonRpcError(RPC_CODES.invalidParams, message, { code: 'invalid_request' });
}
