// One open activation: admits callbacks of its own worker while it runs, and keeps count of what it has admitted.

import type { EventPage } from '@gbrain/brain-protocol/event';
import { CALL_METHODS, type CallMethod } from '@gbrain/brain-protocol/harness';
import type { z } from 'zod';
import type { ControlService } from '../effects/control.ts';
import type { ModelService } from '../effects/model.ts';
import type { ToolService } from '../effects/tool.ts';
import { toEvent } from '../journal/record.ts';
import type { Log } from '../log.ts';
import type { Limits } from '../settings.ts';
import { decideEmit, decideKvDelete, decideKvPut, decideTranscript } from './command.ts';
import type { LiveSession } from './live.ts';
import { Refusal } from './refusal.ts';
import type { Draft } from './state.ts';

/** Most events of one page, and most bytes of it. */
export const PAGE_LIMITS = { events: 1000, bytes: 8 * 1024 * 1024 } as const;

/** What callbacks reach. */
export interface ActivationPorts {
  limits: Limits;
  models: ModelService;
  tools: ToolService;
  control: ControlService;
  log: Log;
  /** A callback met a fatal error: the activation must stop, whatever the harness makes of it. */
  onFatal(refusal: Refusal): void;
}

type Input<M extends CallMethod> = z.infer<(typeof CALL_METHODS)[M]['input']>;

/** The callbacks of one activation. */
export class Activation {
  readonly session: LiveSession;
  readonly sequence: number;
  /** Events up to here were given to the loop. */
  deliveredThrough: number;
  /** Aborts what the activation has started. */
  readonly effects = new AbortController();
  readonly #ports: ActivationPorts;
  readonly #admitted = new Set<Promise<unknown>>();
  #stopped: Refusal | undefined;
  #closed = false;

  constructor(session: LiveSession, sequence: number, deliveredThrough: number, ports: ActivationPorts) {
    this.session = session;
    this.sequence = sequence;
    this.deliveredThrough = deliveredThrough;
    this.#ports = ports;
  }

  /**
   * Answers one `brain/call`. Methods start in the order of arrival; nothing is awaited before their first append, but
   * for a check of a schema that may take long.
   */
  call(method: string, input: unknown): Promise<unknown> {
    const refusal = this.#findRefusal();
    if (refusal) return Promise.reject(refusal);
    const work = this.#start(method, input);
    this.#admitted.add(work);
    work.then(
      () => this.#admitted.delete(work),
      (error: unknown) => {
        this.#admitted.delete(work);
        if (error instanceof Refusal && error.fatal && error.code !== 'activation_closed') this.#ports.onFatal(error);
      },
    );
    return work;
  }

  /** Refuses callbacks from now on, with the reason. What was admitted goes on. */
  stop(reason: Refusal): void {
    this.#stopped ??= reason;
  }

  /** Why it was stopped. */
  get stopped(): Refusal | undefined {
    return this.#stopped;
  }

  /** Ends the authority. */
  close(): void {
    this.#closed = true;
  }

  /** Resolves when everything that was admitted has settled. */
  async drain(): Promise<void> {
    while (this.#admitted.size > 0) await Promise.allSettled([...this.#admitted]);
  }

  #findRefusal(): Refusal | undefined {
    return this.#closed ? new Refusal('activation_closed', 'The activation is closed.') : this.#stopped;
  }

  async #start(method: string, input: unknown): Promise<unknown> {
    if (!Object.hasOwn(CALL_METHODS, method)) throw new Refusal('invalid_request', `There is no method ${method}.`);
    const parsed = CALL_METHODS[method as CallMethod].input.safeParse(input);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = issue?.path.length ? ` at ${issue.path.join('.')}` : '';
      throw new Refusal('invalid_request', `The input of ${method} is not valid${where}: ${issue?.message}.`);
    }
    return this.#methods[method as CallMethod](parsed.data as never);
  }

  readonly #methods: { [M in CallMethod]: (input: Input<M>) => unknown } = {
    model: (request) => this.#ports.models.call(this.session, request, { signal: this.effects.signal }),
    dispatch: (batch) => {
      const { signal } = this.effects;
      return this.#ports.tools.dispatch(this.session, batch, { signal, findRefusal: () => this.#findRefusal() });
    },
    events: (after) => this.#readEvents(after),
    emit: (event) => {
      const origin = { kind: 'agentloop' as const, sequence: this.sequence };
      return this.#write(decideEmit(this.session.state, event, origin, this.#ports.limits.maxEmittedBytes));
    },
    set_transcript: (messages) => this.#write(decideTranscript(this.session.state, messages)),
    kv_read: ({ key }) => {
      const value = this.session.state.kv.get(key);
      return value === undefined ? {} : { value };
    },
    kv_put: ({ key, value }) => this.#write(decideKvPut(this.session.state, key, value)),
    kv_delete: ({ key }) => this.#write(decideKvDelete(this.session.state, key)),
    environments: (request) => {
      const grants = this.session.state.configuration?.agentloop.environments ?? [];
      const { signal } = this.effects;
      return this.#ports.control.control(this.session, request, { kind: 'granted', grants, signal });
    },
    telemetry: (record) => {
      const { sessionId } = this.session;
      this.#ports.log.info('telemetry', {
        session: sessionId,
        sequence: this.sequence,
        record: JSON.stringify(record),
      });
      return null;
    },
  };

  /** Acknowledged in order; durable with the next barrier, which comes before any effect and before the turn ends. */
  #write(drafts: Draft[]): number {
    return this.session.append(drafts, { barrier: false }).lastSequence;
  }

  #readEvents(after: number): EventPage {
    const page = this.session.readPage(after, PAGE_LIMITS.events, PAGE_LIMITS.bytes);
    const next_cursor = page.at(-1)?.sequence ?? after;
    if (after <= this.deliveredThrough) this.deliveredThrough = Math.max(this.deliveredThrough, next_cursor);
    return { events: page.map(toEvent), next_cursor };
  }
}
