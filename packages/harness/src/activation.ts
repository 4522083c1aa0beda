// One activation on the harness's side: hands out the context, counts callbacks, ends their authority.
import type { EnvironmentControlRequest, EnvironmentView } from '@gbrain/brain-protocol/environment';
import type { CallMethod, RunParams } from '@gbrain/brain-protocol/harness';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import { CallError, toCallError } from './call-error.ts';
import type { Environments, KeyValues, RunContext } from './context.ts';

/** What an activation needs of its harness. */
export interface ActivationPorts {
  /** Sends one `brain/call`; rejects with what Brain answered. */
  call(method: CallMethod, input: unknown): Promise<unknown>;
  /** The activation must stop: called once, after `signal` was aborted. */
  onStop(reason: CallError): void;
  /** A callback came after the run had returned: a bug of the loop. */
  onLate(method: CallMethod): void;
}

/** An activation under way. */
export class Activation {
  readonly context: RunContext;
  readonly #ports: ActivationPorts;
  readonly #controller = new AbortController();
  readonly #pending = new Set<Promise<unknown>>();
  #stopped: CallError | undefined;
  #closed = false;

  constructor(params: RunParams, ports: ActivationPorts) {
    this.#ports = ports;
    this.context = this.#toContext(params);
  }

  /** Why it must stop: a fatal error, a cancel, or the end of the connection. The first reason stands. */
  get stopped(): CallError | undefined {
    return this.#stopped;
  }

  /** Stops it: the signal aborts, and callbacks are refused from now on. */
  stop(reason: CallError): void {
    if (this.#stopped || this.#closed) return;
    this.#stopped = reason;
    this.#controller.abort(reason);
    this.#ports.onStop(reason);
  }

  /** Callbacks that have not been answered. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Refuses new callbacks, waits for those that are out, and gives the first error among them. */
  async close(): Promise<CallError | undefined> {
    this.#closed = true;
    const settled = await Promise.allSettled([...this.#pending]);
    const failed = settled.find((result) => result.status === 'rejected');
    return failed && toCallError(failed.reason);
  }

  #call(method: CallMethod, input: unknown): Promise<unknown> {
    if (this.#closed) {
      this.#ports.onLate(method);
      const message = `${method} was called after its run had returned.`;
      return quiet(Promise.reject(new CallError('activation_closed', message, { fatal: true })));
    }
    if (this.#stopped) return quiet(Promise.reject(this.#stopped));
    const answered = this.#ports.call(method, input).catch((thrown: unknown) => {
      const error = toCallError(thrown);
      if (error.fatal) this.stop(error);
      throw error;
    });
    this.#pending.add(answered);
    const settle = () => this.#pending.delete(answered);
    answered.then(settle, settle);
    return answered;
  }

  #toContext({ session_id, sequence, state_dir, model, input }: RunParams): RunContext {
    const call = <T>(method: CallMethod, argument: unknown) => this.#call(method, argument) as Promise<T>;
    return {
      sessionId: session_id,
      sequence,
      stateDir: state_dir,
      modelInfo: model,
      input: input.input,
      transcript: input.transcript,
      pendingEvents: input.events,
      initialKv: input.kv,
      configuration: input.configuration,
      system: input.system,
      tools: input.tools,
      runtime: { logicalTimeMs: input.runtime.logical_time_ms, seed: input.runtime.deterministic_seed },
      signal: this.#controller.signal,
      model: (request) => call('model', request),
      dispatch: (calls) => call('dispatch', calls),
      events: (after) => call('events', after),
      emit: (event_type, data) => call('emit', { event_type, data }),
      setTranscript: (messages) => call('set_transcript', messages),
      kv: toKeyValues(call),
      environments: toEnvironments(call),
      telemetry: (record) => quiet(call('telemetry', record).then(() => undefined)),
    };
  }
}

type Call = <T>(method: CallMethod, input: unknown) => Promise<T>;

/** One that nobody awaits must not end the process: what it failed with is told by `close`, or by the signal. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function toKeyValues(call: Call): KeyValues {
  return {
    get: (key) => quiet(call<{ value?: JsonValue }>('kv_read', { key }).then(({ value }) => value)),
    set: (key, value) => call('kv_put', { key, value }),
    delete: (key) => call('kv_delete', { key }),
  };
}

function toEnvironments(call: Call): Environments {
  const ask = <T>(request: EnvironmentControlRequest) => call<T>('environments', request);
  const one = (request: EnvironmentControlRequest) =>
    quiet(ask<{ environment: EnvironmentView }>(request).then(({ environment }) => environment));
  return {
    list: () =>
      quiet(ask<{ environments: EnvironmentView[] }>({ operation: 'list' }).then(({ environments }) => environments)),
    get: (environment) => one({ operation: 'get', environment }),
    create: (template, name, configuration) =>
      one({ operation: 'create', template, name, ...(configuration !== undefined && { configuration }) }),
    setup: (environment) => one({ operation: 'setup', environment }),
    update: (environment, configuration) => one({ operation: 'update', environment, configuration }),
    delete: (environment) => one({ operation: 'delete', environment }),
    call: (environment, method, input) =>
      quiet(ask<{ output: JsonValue }>({ operation: 'call', environment, method, input }).then(({ output }) => output)),
    request: ask,
  };
}
