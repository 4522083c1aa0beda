// The sessions of a server: made, found, let go of when idle, ended and deleted; and what a restart repairs.
import type { EnvironmentControlRequest } from '@gbrain/brain-protocol/environment';
import type { CreateSessionRequest, MessageRequest, SessionSummary } from '@gbrain/brain-protocol/session';
import type { Clock } from '../clock.ts';
import { type ControlService, operateAll } from '../effects/control.ts';
import type { HostService } from '../effects/hosts.ts';
import type { Providers } from '../effects/providers.ts';
import type { SchemaChecks } from '../effects/schema-checks.ts';
import type { ToolService } from '../effects/tool.ts';
import type { Journal } from '../journal/journal.ts';
import { decideRecovery } from '../journal/recover.ts';
import type { Sealer } from '../journal/seal.ts';
import type { Log } from '../log.ts';
import type { Limits } from '../settings.ts';
import type { Pool } from '../workers/pool.ts';
import { checkCreateRequest, collectSecrets, toConfiguration } from './check-request.ts';
import {
  decideCreate,
  decideCreated,
  decideEnd,
  draft,
  failure,
  isSettled,
  refuseUnlessDeletable,
  refuseUnlessIdle,
  wantsEventTurn,
} from './command.ts';
import { type BatchExtra, LiveSession } from './live.ts';
import { detach, Refusal } from './refusal.ts';
import { isAtRest } from './state.ts';
import type { RunningTurn, TurnService } from './turns.ts';

/** What the service is built from. */
export interface SessionPorts {
  clock: Clock;
  log: Log;
  limits: Limits;
  journal: Journal;
  sealer: Sealer;
  providers: Providers;
  pool: Pool;
  hosts: HostService;
  turns: TurnService;
  tools: ToolService;
  control: ControlService;
  schemas: SchemaChecks;
  randomText(length: number): string;
  removeStateDir(agentloop: string, sessionId: string): Promise<void>;
}

/** Parts of a commit that a request adds: its claim to the first, its answer to the last. */
export interface RequestExtras {
  claim(): BatchExtra | undefined;
  answer(body: unknown, status?: number): BatchExtra | undefined;
}

/** Pause in which events of background tools are gathered into one turn. Source: sessions facts F.1. */
const WAKE_MS = 5;

/** Pause before a turn that no worker could take is tried again. */
const WAKE_RETRY_MS = 1000;

/** All sessions. */
export class SessionService {
  readonly #ports: SessionPorts;
  readonly #live = new Map<string, LiveSession>();
  readonly #idleTimers = new Map<string, () => void>();
  readonly #wakeTimers = new Map<string, () => void>();
  readonly #deleting = new Set<string>();
  #draining = false;
  /** Changes whenever a session comes into memory. */
  secretsVersion = 0;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  /** Brings every session to rest that a dead server left otherwise; gives how many there were. */
  async recover(): Promise<number> {
    const left = this.#ports.journal.listNotAtRest();
    await Promise.all(
      left.map(async (sessionId) => {
        const session = this.#load(sessionId);
        await session.commit(decideRecovery(session.state));
        this.#scheduleIdle(session);
        this.wake(session);
      }),
    );
    return left.length;
  }

  /** Makes a session and sets its automatic environments up. */
  async create(request: CreateSessionRequest, extras: RequestExtras): Promise<SessionSummary> {
    this.#refuseAdmission();
    const { pool, providers, hosts, randomText, schemas } = this.#ports;
    await schemas.decide(
      (_, findFault) => checkCreateRequest(request, findFault),
      () => {},
    );
    const { name } = request.agentloop;
    if (!pool.has(name)) throw new Refusal('invalid_request', `This server has no registration ${name}.`);
    if (!providers.find(request.model.provider)) {
      throw new Refusal('invalid_request', `This server has no model provider ${request.model.provider}.`);
    }
    for (const environment of request.environments) {
      if (environment.driver === 'host' && !hosts.claim(environment.host_id)) {
        throw new Refusal('invalid_request', `There is no host ${environment.host_id}.`);
      }
    }
    const sessionId = `ses_${randomText(24)}`;
    await pool.assign(name, sessionId);
    try {
      const configuration = await schemas.decide(
        (check) => pool.mergeConfiguration(name, request.agentloop.configuration, check),
        (merged) => toConfiguration(request, merged),
      );
      const session = this.#make(sessionId, collectSecrets(request));
      this.#live.set(sessionId, session);
      return await this.#write(session, decideCreate(configuration, request.transcript ?? []), extras);
    } catch (error) {
      pool.unassign(sessionId);
      this.#live.delete(sessionId);
      throw error;
    }
  }

  /** Begins a turn with a user's message. */
  async send(
    sessionId: string,
    request: MessageRequest,
    extras: RequestExtras,
    choice: { async: boolean },
  ): Promise<RunningTurn> {
    this.#refuseAdmission();
    const { limits, pool, turns } = this.#ports;
    const { state } = this.open(sessionId);
    refuseUnlessIdle(state);
    const worker = await pool.assign(state.configuration?.agentloop.name ?? '', sessionId);
    // It may have been let go of meanwhile.
    const session = this.open(sessionId);
    if (session.pendingBytes > limits.maxSessionQueueBytes) {
      throw new Refusal('overloaded', 'Too much of this session waits for the disk.');
    }
    const first = () => {
      const claim = extras.claim();
      if (!choice.async) return claim;
      return { ...claim, ...extras.answer(session.state.turn?.sequence, 202) };
    };
    const turn = turns.begin(session, {
      input: request.input,
      worker,
      firstExtra: first,
      ...(!choice.async && { lastExtra: () => extras.answer(session.toSummary()) }),
    });
    this.#watch(session, turn);
    return turn;
  }

  /** Stops what a session does; resolves when the wish is on disk. Nothing on one that does nothing. */
  async cancel(sessionId: string, extras: RequestExtras): Promise<void> {
    const session = this.open(sessionId);
    const { turns, tools } = this.#ports;
    const extra = () => ({ ...extras.claim(), ...extras.answer(undefined, 204) });
    const asked = turns.stop(session, 'cancelled', extra);
    await Promise.all([asked, !session.state.turn && tools.cancel(session, { background: true })]);
  }

  /** Environment control on behalf of the session's owner. */
  async controlEnvironments(
    sessionId: string,
    request: EnvironmentControlRequest,
    extras: RequestExtras,
  ): Promise<unknown> {
    this.#refuseAdmission();
    const session = this.open(sessionId);
    if (request.operation !== 'list' && request.operation !== 'get') {
      if (session.state.status !== 'idle' && session.state.status !== 'running') {
        throw new Refusal('invalid_request', `The session is ${session.state.status}.`);
      }
      session.append([], { barrier: false, extra: () => extras.claim() });
    }
    const result = await this.#ports.control.control(session, request, { kind: 'owner' });
    const body = 'environment' in result ? result.environment : result;
    const reading = request.operation === 'list' || request.operation === 'get';
    await session.commit([], () => ({ ...(reading && extras.claim()), ...extras.answer(body) }));
    return body;
  }

  /** Ends a session: its turn and tools are stopped, its environments detached. Ending it again changes nothing. */
  async end(sessionId: string, extras: RequestExtras): Promise<SessionSummary> {
    const session = this.open(sessionId);
    const { turns, tools } = this.#ports;
    const begun = decideEnd(session.state);
    const running = turns.find(sessionId);
    session.append(begun.slice(0, 1), { barrier: false, extra: () => extras.claim() });
    await turns.stop(session, 'ending', () => ({}));
    await tools.cancel(session, { background: true });
    await running?.done;
    if (begun.length === 0) {
      await session.until(({ status }) => status !== 'ending');
      await session.commit([], () => extras.answer(session.toSummary()));
      return session.toSummary();
    }
    // What a lost worker had sent, or the owner has asked of an environment, is still on its way.
    await session.until(({ open }) => open.size === 0);
    const attached = [...session.state.environments.values()].filter(({ state, pending, declaration }) => {
      return declaration.driver === 'http' && !pending && ['ready', 'failed', 'unknown'].includes(state);
    });
    await operateAll(attached, (instance) => this.#ports.control.close(session, instance, 'detach'));
    await session.commit([draft('session_ended', {})], () => extras.answer(session.toSummary()));
    const summary = session.toSummary();
    await this.#letGo(session);
    return summary;
  }

  /** Deletes an ended session: environments torn down, native state, secrets and records removed. */
  async delete(sessionId: string, extras: RequestExtras): Promise<void> {
    const session = this.open(sessionId);
    refuseUnlessDeletable(session.state);
    if (this.#deleting.has(sessionId)) throw new Refusal('conflict', 'The session is being deleted.');
    this.#deleting.add(sessionId);
    try {
      const { control, journal, log, pool, removeStateDir } = this.#ports;
      session.append([], { barrier: false, extra: () => extras.claim() });
      const standing = [...session.state.environments.values()].filter(({ state, pending, declaration }) => {
        return declaration.driver === 'http' && !pending && ['ready', 'failed', 'unknown', 'detached'].includes(state);
      });
      await operateAll(standing, (instance) => control.close(session, instance, 'teardown'));
      const agentloop = session.state.configuration?.agentloop.name ?? '';
      const refused = await pool.findForDelete(agentloop, sessionId)?.deleteSession(sessionId);
      if (refused)
        log.warn('harness did not delete a session; its folder is removed anyway', {
          session: sessionId,
          reason: refused,
        });
      await removeStateDir(agentloop, sessionId);
      session.retire();
      await journal.append({ deleteSession: sessionId, ...extras.answer(undefined, 204) }, { barrier: true });
      this.#forget(sessionId);
    } finally {
      this.#deleting.delete(sessionId);
    }
  }

  /** The resident session, loaded when it is not. Refuses one that does not exist. */
  open(sessionId: string): LiveSession {
    const resident = this.#live.get(sessionId);
    const session = resident ?? this.#load(sessionId);
    if (!resident) this.#scheduleIdle(session);
    return session;
  }

  /** A copy of a session for reading; it is not made resident. */
  read(sessionId: string): LiveSession {
    const resident = this.#live.get(sessionId);
    if (resident && !resident.pendingBytes) return resident;
    const session = new LiveSession(sessionId, this.#ports.journal, this.#ports.clock);
    session.load();
    if (session.state.lastSequence === 0) throw notFound(sessionId);
    return session;
  }

  /** Something happened outside a session's loop: a turn may start by itself, once what came with it is gathered. */
  wake(session: LiveSession, delayMs = WAKE_MS): void {
    const { sessionId } = session;
    if (this.#draining || this.#wakeTimers.has(sessionId) || !wantsEventTurn(session.state)) return;
    const cancel = this.#ports.clock.timer(delayMs, () => {
      this.#wakeTimers.delete(sessionId);
      detach(this.#startEventTurn(session));
    });
    this.#wakeTimers.set(sessionId, cancel);
  }

  /** Sealed values of resident sessions. */
  *collectSecrets(): Generator<string> {
    for (const session of this.#live.values()) yield* session.secretValues;
  }

  /** Sessions in memory. */
  get residentCount(): number {
    return this.#live.size;
  }

  /** No new work from now on. */
  drain(): void {
    this.#draining = true;
    for (const cancel of [...this.#idleTimers.values(), ...this.#wakeTimers.values()]) cancel();
  }

  #refuseAdmission(): void {
    const { journal, limits } = this.#ports;
    if (this.#draining) throw new Refusal('overloaded', 'The server is stopping.');
    if (journal.condition === 'failed')
      throw new Refusal('internal', 'The journal cannot be written; restart the server.');
    if (journal.condition === 'full') {
      throw new Refusal('overloaded', 'The disk is full.', { details: { reason: 'journal_full' } });
    }
    if (journal.queuedBytes > limits.maxJournalQueueBytes)
      throw new Refusal('overloaded', 'Too much waits for the disk.');
  }

  #make(sessionId: string, secrets: ReadonlyMap<string, string>): LiveSession {
    const session = new LiveSession(sessionId, this.#ports.journal, this.#ports.clock);
    session.setSecrets(secrets);
    this.secretsVersion += 1;
    return session;
  }

  #load(sessionId: string): LiveSession {
    const { journal, sealer } = this.#ports;
    if (!journal.readSession(sessionId)) throw notFound(sessionId);
    const secrets = new Map<string, string>();
    for (const { name, value } of journal.readSealed(sessionId)) {
      const text = sealer.unseal(sessionId, name, value);
      if (text !== undefined) secrets.set(name, text);
    }
    const session = this.#make(sessionId, secrets);
    session.load();
    this.#live.set(sessionId, session);
    return session;
  }

  async #write(
    session: LiveSession,
    created: ReturnType<typeof decideCreate>,
    extras: RequestExtras,
  ): Promise<SessionSummary> {
    const { control, sealer } = this.#ports;
    const { sessionId } = session;
    const sealed = [...session.secretNames].map((name) => ({
      sessionId,
      name,
      value: sealer.seal(sessionId, name, session.findSecret(name) ?? ''),
    }));
    const first = session.append(created, { barrier: false, extra: () => ({ ...extras.claim(), sealed }) });
    const automatic = [...session.state.environments.values()].filter(({ declaration }) => {
      return declaration.driver === 'http' && declaration.lifecycle !== 'manual';
    });
    const failed = automatic.length > 0 ? await operateAll(automatic, (one) => control.setup(session, one)) : undefined;
    if (failed) {
      const refusal = new Refusal('executor_failed', failed.message, {
        retryable: failed.retryable,
        details: { reason: failed.code, session_id: sessionId },
      });
      const ended = [
        draft('session_creation_failed', { ...failure(failed.code, failed.message), ambiguous: failed.ambiguous }),
      ];
      await session.commit(ended, () => extras.answer(refusal.toApiError(), refusal.status));
      throw refusal;
    }
    await Promise.all([
      first.durable,
      session.commit(decideCreated(session.state), () => extras.answer(session.toSummary())),
    ]);
    this.#scheduleIdle(session);
    return session.toSummary();
  }

  #watch(session: LiveSession, turn: RunningTurn): void {
    this.#idleTimers.get(session.sessionId)?.();
    const after = () => {
      this.#scheduleIdle(session);
      this.wake(session);
    };
    turn.done.then(after, () => {});
  }

  async #startEventTurn(session: LiveSession): Promise<void> {
    const { sessionId } = session;
    if (this.#draining || this.#live.get(sessionId) !== session || !wantsEventTurn(session.state)) return;
    const { pool, turns } = this.#ports;
    try {
      const worker = await pool.assign(session.state.configuration?.agentloop.name ?? '', sessionId);
      if (wantsEventTurn(session.state)) this.#watch(session, turns.begin(session, { worker }));
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'overloaded') throw error;
      this.wake(session, WAKE_RETRY_MS);
    }
  }

  /** Lets an idle session go after its time; its history stays readable, its native state stays on disk. */
  #scheduleIdle(session: LiveSession): void {
    const { clock, limits } = this.#ports;
    const { sessionId, state } = session;
    this.#idleTimers.get(sessionId)?.();
    this.#idleTimers.delete(sessionId);
    const ttlMs = state.configuration?.idle_ttl_ms ?? limits.sessionIdleTtlMs;
    if (ttlMs === 0 || this.#draining) return;
    const cancel = clock.timer(ttlMs, () => {
      this.#idleTimers.delete(sessionId);
      if (this.#live.get(sessionId) !== session) return;
      const isQuiet = isSettled(state) && session.pendingBytes === 0;
      if (isQuiet) detach(this.#passivate(session));
      else this.#scheduleIdle(session);
    });
    this.#idleTimers.set(sessionId, cancel);
  }

  async #passivate(session: LiveSession): Promise<void> {
    const { state } = session;
    if (state.status === 'idle' && !state.suspended && this.#ports.pool.find(session.sessionId)) {
      await session.commit([draft('session_suspended', {})]);
    }
    if (isAtRest(state)) await this.#letGo(session);
  }

  async #letGo(session: LiveSession): Promise<void> {
    const { sessionId } = session;
    const worker = this.#ports.pool.find(sessionId);
    this.#forget(sessionId);
    await worker?.closeSession(sessionId);
  }

  #forget(sessionId: string): void {
    this.#idleTimers.get(sessionId)?.();
    this.#idleTimers.delete(sessionId);
    this.#live.get(sessionId)?.retire();
    this.#live.delete(sessionId);
    this.#ports.pool.unassign(sessionId);
  }
}

function notFound(sessionId: string): Refusal {
  return new Refusal('not_found', `There is no session ${sessionId}.`);
}
