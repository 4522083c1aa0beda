// Turns: from admission over the worker's slot and the harness's run to the final commit; and how a turn is stopped.
import { HARNESS_LIMITS, RunErrorData, RunResult } from '@gbrain/brain-protocol/harness';
import type { Failure } from '@gbrain/brain-protocol/outcome';
import { ACTIVATION_MARKER } from '@gbrain/brain-protocol/record';
import type { SessionSummary, UserInput } from '@gbrain/brain-protocol/session';
import { JsonRpcError } from '@gbrain/wire/json-rpc-message';
import type { Clock } from '../clock.ts';
import type { Providers } from '../effects/providers.ts';
import { reach } from '../fault.ts';
import type { Permit, Worker } from '../workers/worker.ts';
import { Activation, type ActivationPorts } from './activation.ts';
import {
  cancelFailure,
  decideActivation,
  decideCancel,
  decideSettle,
  decideTurn,
  draft,
  failure,
  type RunOutcome,
} from './command.ts';
import type { BatchExtra, LiveSession } from './live.ts';
import { detach, Refusal } from './refusal.ts';
import { toRunInputs } from './run-input.ts';

/** What turns need. `openStateDir` makes the session's folder and gives its absolute path. */
export interface TurnPorts extends Omit<ActivationPorts, 'onFatal'> {
  clock: Clock;
  providers: Providers;
  openStateDir(session: LiveSession): string;
}

/** How a turn is begun. The extras ride on its first and on its last commit. */
export interface TurnChoice {
  input?: UserInput;
  worker: Worker;
  firstExtra?: () => BatchExtra | undefined;
  lastExtra?: () => BatchExtra | undefined;
}

/** A turn under way. */
export interface RunningTurn {
  sequence: number;
  /** Resolves when its `turn_started` is durable. */
  started: Promise<void>;
  /** Resolves when its last record is durable; rejects only when the journal cannot be written. */
  done: Promise<void>;
  /** The session right after the turn; only once `done` has resolved. */
  summary(): SessionSummary;
}

interface Run extends RunningTurn {
  session: LiveSession;
  worker: Worker;
  choice: TurnChoice;
  /** Aborts the wait for a slot. */
  queue: AbortController;
  activation: Activation | undefined;
  permit: Permit | undefined;
  /** `run` has been sent. */
  sent: boolean;
  settled: SessionSummary | undefined;
  stopTimers: (() => void)[];
}

/** Turns of all sessions, at most one each. */
export class TurnService {
  readonly #ports: TurnPorts;
  readonly #runs = new Map<string, Run>();

  constructor(ports: TurnPorts) {
    this.#ports = ports;
  }

  /** The turn of a session; undefined when it has none. */
  find(sessionId: string): RunningTurn | undefined {
    return this.#runs.get(sessionId);
  }

  /** Turns that run or wait. */
  get count(): number {
    return this.#runs.size;
  }

  /** Resolves when no turn runs any more. */
  async drain(): Promise<void> {
    while (this.#runs.size > 0) await Promise.allSettled([...this.#runs.values()].map((run) => run.done));
  }

  /** Begins a turn. Refuses a session that cannot take one; then nothing was written. */
  begin(session: LiveSession, choice: TurnChoice): RunningTurn {
    const { worker, input, firstExtra } = choice;
    const drafts = decideTurn(session.state, input);
    worker.refuseUnlessUsable();
    const permit = this.#fits(session, input) ? worker.tryAcquire() : undefined;
    const first = session.append(drafts, { barrier: !permit, ...(firstExtra && { extra: firstExtra }) });
    const run: Run = {
      sequence: first.lastSequence,
      started: first.durable,
      done: Promise.resolve(),
      session,
      worker,
      choice,
      queue: new AbortController(),
      activation: undefined,
      permit,
      sent: false,
      settled: undefined,
      stopTimers: [],
      summary: () => run.settled ?? session.toSummary(),
    };
    this.#runs.set(session.sessionId, run);
    run.done = this.#perform(run).finally(() => {
      for (const stop of run.stopTimers) stop();
      run.permit?.release();
      if (this.#runs.get(session.sessionId) === run) this.#runs.delete(session.sessionId);
    });
    detach(run.done);
    return run;
  }

  /** Stops a session's turn; resolves when the wish is durable. Nothing when there is none. Safe to repeat. */
  async stop(
    session: LiveSession,
    reason: 'cancelled' | 'timeout' | 'ending',
    extra?: () => BatchExtra | undefined,
  ): Promise<void> {
    const run = this.#runs.get(session.sessionId);
    const asked = session.append(decideCancel(session.state, reason), { barrier: true, ...(extra && { extra }) });
    await asked.durable;
    if (!run) return;
    if (!run.activation) {
      run.queue.abort(new Refusal('cancelled', 'The turn was cancelled.'));
      return;
    }
    this.#stopActivation(
      run,
      new Refusal(reason === 'timeout' ? 'timeout' : 'cancelled', cancelFailure(reason).message),
    );
  }

  /** Routes a callback to its activation, when that belongs to the worker that asks. */
  findActivation(worker: Worker, sessionId: string, sequence: number): Activation {
    const run = this.#runs.get(sessionId);
    if (run?.activation?.sequence === sequence && run.worker === worker) return run.activation;
    throw new Refusal('activation_closed', 'No such activation is open for this worker.');
  }

  async #perform(run: Run): Promise<void> {
    const { session } = run;
    if (!this.#fits(session, undefined)) {
      const message = `What the activation would be told is longer than ${this.#ports.limits.maxLineBytes} bytes.`;
      return this.#settle(run, { ok: false, failure: failure('context_too_large', message) });
    }
    if (!run.permit) {
      await run.started;
      const refused = await this.#waitForSlot(run);
      if (refused) return this.#settle(run, { ok: false, failure: refused });
    }
    const opened = this.#openStateDir(session);
    if ('failure' in opened) return this.#settle(run, { ok: false, failure: opened.failure });
    const activated = session.append(decideActivation(session.state), { barrier: true });
    const { activation, params } = this.#open(run, opened.stateDir);
    await activated.durable;
    if (session.state.turn?.cancel) {
      activation.close();
      return this.#settle(run, { ok: false, failure: cancelFailure(session.state.turn.cancel) });
    }
    reach('after_sync_before_send', 'run');
    run.sent = true;
    run.worker.touch(session.sessionId);
    const outcome = await this.#run(run, params);
    reach('after_reply_before_record', 'run');
    activation.close();
    // Of a lost worker the session learns at once; what it had sent is still awaited and recorded.
    if (!outcome.lost) await activation.drain();
    const stopped = activation.stopped;
    if (!stopped) return this.#settle(run, outcome);
    return this.#settle(run, { ok: false, failure: failure(stopped.code, stopped.message) });
  }

  /** True when the parameters of `run` fit a line; the exact size is looked at only when it may not. */
  #fits(session: LiveSession, input: UserInput | undefined): boolean {
    const { maxLineBytes } = this.#ports.limits;
    const estimate = session.contextBytes * 2 + JSON.stringify(input ?? null).length * 2 + 65_536;
    if (estimate < maxLineBytes) return true;
    const { configuration, transcript, kv, turn, observations } = session.state;
    const told = [configuration, transcript, [...kv], turn?.input ?? input];
    const bytes = told.reduce((sum: number, part) => sum + Buffer.byteLength(JSON.stringify(part ?? null)), 0);
    const events = session.readRecords(observations.slice(0, 1000));
    const eventBytes = events.reduce((sum, record) => sum + Buffer.byteLength(record.payload) + 256, 0);
    return bytes + eventBytes + 65_536 < maxLineBytes;
  }

  async #waitForSlot(run: Run): Promise<Failure | undefined> {
    try {
      run.permit = await run.worker.acquire(run.queue.signal);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'cancelled') return cancelFailure('cancelled');
      return failure('worker_lost', 'The worker went away before it began; nothing was run.', { retryable: true });
    }
    // A cancel that came with the slot has not entered the harness yet.
    const cancel = run.session.state.turn?.cancel;
    return cancel ? cancelFailure(cancel) : undefined;
  }

  /** Before anything is entered, so that a disk that refuses a folder leaves nothing unresolved. */
  #openStateDir(session: LiveSession): { stateDir: string } | { failure: Failure } {
    try {
      return { stateDir: this.#ports.openStateDir(session) };
    } catch (error) {
      return { failure: failure('state_dir_unusable', (error as Error).message, { retryable: true }) };
    }
  }

  #open(run: Run, stateDir: string) {
    const { session } = run;
    const { params, deliveredThrough } = toRunInputs(session, stateDir, this.#ports.providers);
    const onFatal = (refusal: Refusal) => this.#stopActivation(run, refusal);
    const activation = new Activation(session, params.sequence, deliveredThrough, { ...this.#ports, onFatal });
    run.activation = activation;
    return { activation, params };
  }

  async #run(run: Run, params: object): Promise<RunOutcome & { lost?: boolean }> {
    const { clock, limits } = this.#ports;
    const link = run.permit?.link;
    if (!link) throw new Error('an activation has a slot');
    if (limits.maxTurnMs > 0) {
      run.stopTimers.push(clock.timer(limits.maxTurnMs, () => detach(this.stop(run.session, 'timeout'))));
    }
    try {
      const parsed = RunResult.safeParse(await link.request('run', params as Record<string, unknown>));
      if (!parsed.success)
        return { ok: false, failure: failure('harness_protocol', 'The answer of run is not valid.') };
      const { result } = parsed.data;
      return result === undefined ? { ok: true } : { ok: true, result };
    } catch (error) {
      if (error instanceof JsonRpcError) return { ok: false, failure: toRunFailure(error) };
      const end = await link.ended;
      const code = end.reason === 'protocol' ? 'harness_protocol' : 'worker_lost';
      return { ok: false, lost: true, failure: failure(code, `The worker is gone: ${end.message}.`) };
    }
  }

  /** Refuses callbacks, ends effects of a cancelled turn, asks the harness to stop, kills it after the grace. */
  #stopActivation(run: Run, reason: Refusal): void {
    const { activation, session, permit } = run;
    if (!activation || activation.stopped) return;
    activation.stop(reason);
    const cancelled = reason.code === 'cancelled' || reason.code === 'timeout';
    if (cancelled) {
      activation.effects.abort();
      detach(this.#ports.tools.cancel(session, { background: reason.code === 'cancelled' }));
    }
    if (!run.sent || !permit) return;
    const ask = () => {
      if (this.#runs.get(session.sessionId) !== run) return;
      const asked = permit.link.request('cancel', { session_id: session.sessionId, sequence: activation.sequence });
      // A harness that cannot answer `cancel` is judged by whether its `run` settles.
      asked.catch(() => {});
      run.stopTimers.push(this.#ports.clock.timer(HARNESS_LIMITS.cancelGraceMs, () => permit.link.kill()));
    };
    if (cancelled) ask();
    else detach(activation.drain().then(ask));
  }

  async #settle(run: Run, outcome: RunOutcome): Promise<void> {
    const { session, choice } = run;
    const { state } = session;
    const through = run.activation?.deliveredThrough ?? state.eventsThrough;
    const drafts = decideSettle(state, outcome, through);
    // Native code was never entered, so nothing is unresolved.
    const neverEntered = state.turn?.activation && !run.sent;
    if (neverEntered) drafts.unshift(draft('kv_delete', { key: ACTIVATION_MARKER }));
    const { lastExtra } = choice;
    const settled = session.append(drafts, { barrier: true, ...(lastExtra && { extra: lastExtra }) });
    run.settled = session.toSummary();
    run.activation?.close();
    await settled.durable;
  }
}

function toRunFailure(error: JsonRpcError): Failure {
  const parsed = RunErrorData.safeParse(error.data);
  const code = parsed.success ? parsed.data.code : 'agentloop_failed';
  const retryable = parsed.success ? (parsed.data.retryable ?? false) : false;
  return failure(code, error.message || 'The harness failed.', { retryable });
}
