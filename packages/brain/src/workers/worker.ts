// One worker slot: its process, respawned when it dies, and the runs that it takes at once. It knows no state.
import { type CallParams, HARNESS_LIMITS, HARNESS_PROTOCOL, InitializeResult } from '@gbrain/brain-protocol/harness';
import { type Clock, within } from '../clock.ts';
import type { Log } from '../log.ts';
import { Refusal } from '../session/refusal.ts';
import { findSchemaFault } from '../session/schema-fault.ts';
import type { StartLink, WorkerLink } from './link.ts';
import type { ResolvedRegistration } from './registration.ts';

/** Waiting activations of one worker; more are refused. */
const QUEUE_MAX = 1024;

/** Pause before a dead process is started again: doubled from the first to the last. */
const BACKOFF_MS = { first: 250, last: 30_000 } as const;

/** Leave to run one activation. */
export interface Permit {
  readonly link: WorkerLink;
  release(): void;
}

/** What a slot needs of the world. */
export interface WorkerPorts {
  clock: Clock;
  log: Log;
  initializeMs: number;
  startLink: StartLink;
  stateDir: string;
  /** Takes what a process says of itself; a reason refuses it. */
  onIdentity(result: InitializeResult): string | undefined;
  onCall(worker: Worker, params: CallParams): Promise<unknown>;
  onChange(): void;
}

interface Waiter {
  resolve(permit: Permit): void;
  reject(error: Error): void;
  signal: AbortSignal;
  onAbort(): void;
}

/** A slot of a registration. Its sessions stay with it when its process is replaced. */
export class Worker {
  readonly registration: ResolvedRegistration;
  readonly index: number;
  /** Sessions that are assigned here. */
  readonly sessions = new Set<string>();
  status: 'starting' | 'ready' | 'dead' | 'closed' = 'dead';
  active = 0;
  readonly #ports: WorkerPorts;
  #link: WorkerLink | undefined;
  #queue: Waiter[] = [];
  #failures = 0;
  #cancelRespawn: (() => void) | undefined;
  #settled: (() => void)[] = [];
  /** Sessions that the present process has run: only those need a `close`. */
  #touched = new Set<string>();

  constructor(registration: ResolvedRegistration, index: number, ports: WorkerPorts) {
    this.registration = registration;
    this.index = index;
    this.#ports = ports;
  }

  /** Starts the process and initializes it; resolves when that succeeded or failed. Failure is tried again later. */
  async start(): Promise<void> {
    if (this.status === 'closed' || this.status === 'ready' || this.status === 'starting') return;
    const { clock, log, startLink, stateDir, initializeMs } = this.#ports;
    const { name, command, args } = this.registration;
    this.status = 'starting';
    this.#touched.clear();
    const onCall = (params: CallParams) => this.#ports.onCall(this, params);
    const link = startLink({ registration: name, command, args, stateDir, onCall });
    this.#link = link;
    link.ended.then(({ message }) => this.#onEnded(link, message));
    const late = () => {
      throw new Error(`no answer to initialize within ${initializeMs} ms`);
    };
    try {
      const answer = await within(clock, initializeMs, link.request('initialize', this.#initializeParams()), late);
      this.#accept(link, answer);
    } catch (error) {
      if (this.#link === link)
        log.warn('harness did not initialize', { harness: name, worker: this.index, reason: (error as Error).message });
      link.kill();
      this.#onEnded(link, (error as Error).message);
    }
  }

  /** Resolves once an initialize that is under way has succeeded or failed. */
  settled(): Promise<void> {
    if (this.status !== 'starting') return Promise.resolve();
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  /** A permit when there is room now and nobody waits; undefined otherwise. */
  tryAcquire(): Permit | undefined {
    if (this.status !== 'ready' || this.#queue.length > 0) return undefined;
    return this.active < this.registration.maxConcurrency ? this.#grant() : undefined;
  }

  /** Waits for room, first come, first served. Rejects with the signal's reason, or when the worker dies. */
  acquire(signal: AbortSignal): Promise<Permit> {
    const permit = this.tryAcquire();
    if (permit) return Promise.resolve(permit);
    if (this.status !== 'ready') return Promise.reject(this.#unavailable());
    if (this.#queue.length >= QUEUE_MAX) {
      return Promise.reject(new Refusal('overloaded', `${QUEUE_MAX} activations wait for this worker already.`));
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        resolve,
        reject,
        signal,
        onAbort: () => {
          this.#queue = this.#queue.filter((other) => other !== waiter);
          reject(signal.reason as Error);
        },
      };
      if (signal.aborted) waiter.onAbort();
      else {
        signal.addEventListener('abort', waiter.onAbort, { once: true });
        this.#queue.push(waiter);
      }
    });
  }

  /** Throws unless the worker can take an activation, now or after waiting. */
  refuseUnlessUsable(): void {
    if (this.status !== 'ready') throw this.#unavailable();
    if (this.#queue.length >= QUEUE_MAX) {
      throw new Refusal('overloaded', `${QUEUE_MAX} activations wait for this worker already.`);
    }
  }

  /** Remembers that the process holds a session in memory. */
  touch(sessionId: string): void {
    this.#touched.add(sessionId);
  }

  /** Sends `close` for a session that the process holds; one that does not answer in time is killed. */
  async closeSession(sessionId: string): Promise<void> {
    const link = this.#link;
    if (this.status !== 'ready' || !link || !this.#touched.delete(sessionId)) return;
    const { clock, log } = this.#ports;
    try {
      await within(clock, HARNESS_LIMITS.closeMs, link.request('close', { session_id: sessionId }), () => {
        throw new Error(`no answer to close within ${HARNESS_LIMITS.closeMs} ms`);
      });
    } catch (error) {
      log.warn('harness did not close a session and is killed', {
        session: sessionId,
        reason: (error as Error).message,
      });
      link.kill();
    }
  }

  /** Sends `delete`; whatever it answers, the folder is removed by the caller. Gives why it failed. */
  async deleteSession(sessionId: string): Promise<string | undefined> {
    const link = this.#link;
    if (this.status !== 'ready' || !link) return undefined;
    this.#touched.delete(sessionId);
    const late = () => {
      throw new Error(`no answer to delete within ${HARNESS_LIMITS.deleteMs} ms`);
    };
    try {
      await within(this.#ports.clock, HARNESS_LIMITS.deleteMs, link.request('delete', { session_id: sessionId }), late);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Kills the process and everything it started; the slot starts anew by itself. */
  kill(): void {
    this.#link?.kill();
  }

  /** Ends the slot: stdin is closed, and what has not ended after `graceMs` is killed. */
  async close(graceMs: number): Promise<void> {
    this.status = 'closed';
    this.#cancelRespawn?.();
    this.#rejectQueue();
    const link = this.#link;
    if (!link) return;
    link.closeInput();
    await within<unknown>(this.#ports.clock, graceMs, link.ended, () => undefined);
    link.kill();
  }

  #initializeParams(): Record<string, unknown> {
    const { name, configuration, workers, maxConcurrency } = this.registration;
    return {
      protocol: HARNESS_PROTOCOL,
      registration: name,
      worker: { index: this.index, count: workers },
      configuration,
      state_dir: this.#ports.stateDir,
      max_concurrency: maxConcurrency,
    };
  }

  #accept(link: WorkerLink, answer: unknown): void {
    if (this.#link !== link || this.status !== 'starting') return;
    const parsed = InitializeResult.safeParse(answer);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new Error(`its answer to initialize is not valid: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    const { configuration_schema: schema } = parsed.data;
    const unusable = schema && findSchemaFault(schema);
    if (unusable !== undefined) throw new Error(`its configuration_schema cannot be used: ${unusable}`);
    const refused = this.#ports.onIdentity(parsed.data);
    if (refused !== undefined) throw new Error(refused);
    this.#failures = 0;
    this.status = 'ready';
    const { name, version } = parsed.data.harness;
    const { registration, index } = this;
    this.#ports.log.info('worker ready', {
      registration: registration.name,
      worker: index,
      pid: link.pid,
      harness: name,
      version,
    });
    this.#settle();
  }

  #onEnded(link: WorkerLink, message: string): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.active = 0;
    if (this.status === 'closed') return;
    this.status = 'dead';
    this.#rejectQueue();
    const delayMs = Math.min(BACKOFF_MS.first * 2 ** this.#failures, BACKOFF_MS.last);
    this.#failures += 1;
    const { clock, log } = this.#ports;
    log.warn('worker is gone', {
      registration: this.registration.name,
      worker: this.index,
      reason: message,
      respawn_ms: delayMs,
    });
    this.#cancelRespawn = clock.timer(delayMs, () => void this.start());
    this.#settle();
  }

  #grant(): Permit {
    const link = this.#link;
    if (!link) throw new Error('a ready worker has a process');
    this.active += 1;
    let released = false;
    return {
      link,
      release: () => {
        if (released) return;
        released = true;
        // The count starts anew with a new process.
        if (this.#link !== link) return;
        this.active -= 1;
        this.#admitNext();
      },
    };
  }

  #admitNext(): void {
    while (this.status === 'ready' && this.active < this.registration.maxConcurrency) {
      const waiter = this.#queue.shift();
      if (!waiter) return;
      waiter.signal.removeEventListener('abort', waiter.onAbort);
      waiter.resolve(this.#grant());
    }
  }

  #rejectQueue(): void {
    for (const waiter of this.#queue.splice(0)) {
      waiter.signal.removeEventListener('abort', waiter.onAbort);
      waiter.reject(this.#unavailable());
    }
  }

  #settle(): void {
    for (const resolve of this.#settled.splice(0)) resolve();
    this.#ports.onChange();
  }

  #unavailable(): Refusal {
    const { name } = this.registration;
    return new Refusal('overloaded', `The worker of ${name} is not there at the moment.`, {
      details: { agentloop: name },
    });
  }
}
