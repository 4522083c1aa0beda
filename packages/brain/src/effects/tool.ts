// Tool calls as effects: a batch's intents in one commit, each sent once to its environment, every report recorded.
import type { EnvironmentOperation, EnvironmentReceipt } from '@gbrain/brain-protocol/environment-wire';
import { EXECUTION_METHODS } from '@gbrain/brain-protocol/environment-wire';
import type { Event } from '@gbrain/brain-protocol/event';
import type { HostCommand, ToolUpdate } from '@gbrain/brain-protocol/host';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { Outcome } from '@gbrain/brain-protocol/outcome';
import type { ToolInvocation, ToolReturn } from '@gbrain/brain-protocol/tool';
import type { Clock } from '../clock.ts';
import { reach } from '../fault.ts';
import { type StoredRecord, toEvent } from '../journal/record.ts';
import { decideEmit, draft, failure } from '../session/command.ts';
import {
  type AdmittedCall,
  decideDispatch,
  decideToolEnd,
  decideToolUpdate,
  findOpenTool,
} from '../session/decide-tool.ts';
import type { LiveSession } from '../session/live.ts';
import { detach, Refusal } from '../session/refusal.ts';
import type { Draft, OpenTool } from '../session/state.ts';
import { openTools } from '../session/state.ts';
import type { Limits } from '../settings.ts';
import type { EnvironmentClient } from './environment-client.ts';
import { digest, type HostService } from './hosts.ts';
import type { SchemaChecks } from './schema-checks.ts';

/** Time that a service has to take a cancel. */
export const TOOL_CANCEL_MS = 5000;

/** Why what belongs to a call stops. One for all: an exception made at each ending is dear, and nobody reads it. */
const ENDED = new Error('the tool call has ended');

/** What the service is built from. */
export interface ToolPorts {
  clock: Clock;
  limits: Limits;
  hosts: HostService;
  environments: EnvironmentClient;
  schemas: SchemaChecks;
  publicUrl(): string;
  randomText(length: number): string;
  /** Something happened outside the loop that may start a turn. */
  onObservation(session: LiveSession): void;
}

/** Who dispatches. */
export interface DispatchCaller {
  /** Aborts what was begun. */
  signal: AbortSignal;
  /** Why nothing may begin any more; asked after every wait. */
  findRefusal(): Refusal | undefined;
}

/** A call that is out, as this process knows it. */
interface Running {
  session: LiveSession;
  sequence: number;
  call: AdmittedCall;
  /** The call's own records so far. */
  records: StoredRecord[];
  /** Resolves the caller when the call has returned or ended. */
  release(finished: boolean): void;
  stopTimer: (() => void) | undefined;
  /** Ends the exchange with a service. */
  abort: AbortController;
  hostId: string | undefined;
  tokenHash: string | undefined;
}

/** Tool calls of all sessions. */
export class ToolService {
  readonly #ports: ToolPorts;
  readonly #running = new Map<string, Running>();
  readonly #tokens = new Map<string, Running>();

  constructor(ports: ToolPorts) {
    this.#ports = ports;
  }

  /** Runs a batch; resolves when every call has returned or ended, in the order of the batch. */
  async dispatch(
    session: LiveSession,
    batch: readonly ToolInvocation[],
    { signal, findRefusal }: DispatchCaller,
  ): Promise<ToolReturn[]> {
    if (batch.length === 0) return [];
    const { clock, limits, schemas } = this.#ports;
    const { waiting, durable, deadlineAtMs } = await schemas.decide(
      (check) => {
        const refusal = findRefusal();
        if (refusal) throw refusal;
        const deadlineAtMs = limits.maxToolMs > 0 ? clock.nowMs() + limits.maxToolMs : undefined;
        return { ...decideDispatch(session.state, batch, check, deadlineAtMs), deadlineAtMs };
      },
      ({ drafts, calls, deadlineAtMs }) => {
        const { records, durable } = session.append(drafts, { barrier: true });
        return { waiting: calls.map((call) => this.#register(session, call, records)), durable, deadlineAtMs };
      },
    );
    await durable;
    reach('after_sync_before_send', 'tool');
    for (const { running } of waiting) {
      // It may have been cancelled while its intent was written: then it never leaves.
      if (!running || !this.#isOpen(running)) continue;
      if (signal.aborted) detach(this.#end(running, { status: 'cancelled' }));
      else this.#send(running, deadlineAtMs);
    }
    return Promise.all(
      waiting.map(async ({ call, running, done, own }) => {
        const finished = await done;
        const events = (running?.records ?? own).map((record): Event => toEvent(record));
        return { call_id: call.invocation.call_id, sequence: call.sequence, events, finished };
      }),
    );
  }

  /** One report of a running tool; resolves with the committed sequence. Late reports are refused. */
  async update(session: LiveSession, sequence: number, update: ToolUpdate): Promise<number> {
    return this.#ports.schemas.decide(
      (check) => decideToolUpdate(session.state, sequence, update, check),
      (drafts) => {
        reach('after_reply_before_record', 'tool');
        return this.#report(session, sequence, drafts);
      },
    );
  }

  /** An event of a running tool's own. */
  emit(session: LiveSession, sequence: number, event: { event_type: string; data: JsonValue }): Promise<number> {
    findOpenTool(session.state, sequence);
    const drafts = decideEmit(session.state, event, { kind: 'tool', sequence }, this.#ports.limits.maxEmittedBytes);
    return this.#report(session, sequence, drafts);
  }

  /** Cancels the calls of a session: those of its running batch, and with `background` those that have returned. */
  async cancel(session: LiveSession, choice: { background: boolean }): Promise<void> {
    const targets = openTools(session.state).filter((tool) => choice.background || !tool.returned);
    await Promise.all(targets.map((tool) => this.#cancelOne(session, tool)));
  }

  /** The execution that a callback token belongs to; undefined when it is revoked or was never given. */
  findExecution(sessionId: string, sequence: number, token: string): LiveSession | undefined {
    const running = this.#tokens.get(digest(token));
    return running?.session.sessionId === sessionId && running.sequence === sequence ? running.session : undefined;
  }

  /** Aborts when the call ends; what a tool does through callbacks ends with it. */
  findSignal(sessionId: string, sequence: number): AbortSignal | undefined {
    return this.#running.get(key(sessionId, sequence))?.abort.signal;
  }

  #register(session: LiveSession, call: AdmittedCall, appended: readonly StoredRecord[]) {
    if (call.refused) {
      const own = appended.filter(
        ({ kind, payload }) => kind === 'tool_call_ended' && refersTo(payload, call.sequence),
      );
      return { call, running: undefined, done: Promise.resolve(true), own };
    }
    let release: (finished: boolean) => void = () => {};
    const done = new Promise<boolean>((resolve) => {
      release = resolve;
    });
    const { sequence } = call;
    const running: Running = {
      session,
      sequence,
      call,
      records: [],
      release,
      stopTimer: undefined,
      abort: new AbortController(),
      hostId: undefined,
      tokenHash: undefined,
    };
    this.#running.set(key(session.sessionId, sequence), running);
    return { call, running, done, own: [] as StoredRecord[] };
  }

  #send(running: Running, deadlineAtMs: number | undefined): void {
    const { clock } = this.#ports;
    if (deadlineAtMs !== undefined) {
      running.stopTimer = clock.timer(Math.max(0, deadlineAtMs - clock.nowMs()), () => {
        detach(this.#end(running, { status: 'timeout' }, true));
      });
    }
    const instance = running.session.state.environments.get(running.call.environment.name);
    const declaration = instance?.declaration;
    if (declaration?.driver === 'host') this.#sendToHost(running, declaration.host_id, deadlineAtMs);
    else if (declaration?.driver === 'http') detach(this.#sendToService(running, declaration.url, deadlineAtMs));
  }

  #sendToHost(running: Running, hostId: string, deadlineAtMs: number | undefined): void {
    const { session, sequence, call } = running;
    const template = session.state.environments.get(call.environment.name)?.template;
    running.hostId = hostId;
    try {
      this.#ports.hosts.send(
        hostId,
        {
          environment: call.environment.name,
          session_id: session.sessionId,
          sequence,
          ...(deadlineAtMs !== undefined && { deadline_at_ms: deadlineAtMs }),
          ...(template !== undefined && { template }),
          operation: { type: 'invoke_tool', name: call.implementation, input: call.invocation.input },
        },
        {
          onSent: () => reach('after_send_before_reply', 'tool'),
          onLost: () => detach(this.#end(running, unknown('The host went away after the call was sent to it.'))),
        },
      );
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      detach(
        this.#end(running, { status: 'error', error: { code: error.code, message: error.message, retryable: true } }),
      );
    }
  }

  async #sendToService(running: Running, url: string, deadlineAtMs: number | undefined): Promise<void> {
    const { session, sequence, call } = running;
    const { clock, environments, randomText } = this.#ports;
    const token = randomText(43);
    running.tokenHash = digest(token);
    this.#tokens.set(running.tokenHash, running);
    const timeoutMs = deadlineAtMs === undefined ? 0 : Math.max(1, deadlineAtMs - clock.nowMs());
    const callback = {
      url: `${this.#ports.publicUrl()}/v1/sessions/${session.sessionId}/executions/${sequence}/call`,
      token,
      methods: [...EXECUTION_METHODS],
    };
    const outcome = await environments.send(
      this.#operation(running, {
        type: 'execute',
        implementation: call.implementation,
        input: call.invocation.input,
        ...(deadlineAtMs !== undefined && { deadline_ms: timeoutMs }),
        callback,
      }),
      { url, ...this.#credential(running), timeoutMs, signal: running.abort.signal },
    );
    reach('after_reply_before_record', 'tool');
    if (outcome.receipt) await this.#receive(running, outcome.receipt);
    else if (outcome.late) await this.#end(running, { status: 'timeout' }, true);
    else if (outcome.sent)
      await this.#end(running, unknown(`The call was sent; ${outcome.message}.`), false, outcome.unreachable);
    else {
      const error = {
        code: 'environment_unreachable',
        message: `Nothing was sent: ${outcome.message}.`,
        retryable: true,
      };
      await this.#end(running, { status: 'error', error }, false, true);
    }
  }

  /** What a service's receipt says about an execution. */
  async #receive(running: Running, receipt: EnvironmentReceipt): Promise<void> {
    if (!this.#isOpen(running)) return;
    const { session, sequence } = running;
    switch (receipt.type) {
      case 'result':
        await this.#settleUpdate(running, { type: 'finish', outcome: { status: 'ok', value: receipt.output } });
        return;
      case 'returned': {
        const { output } = receipt;
        const outcome = output === undefined ? {} : { outcome: { status: 'ok' as const, value: output } };
        if (!findOpenTool(session.state, sequence).returned)
          await this.#settleUpdate(running, { type: 'returned', ...outcome });
        return;
      }
      case 'failure': {
        const { type: _, ...error } = receipt;
        await this.#end(running, { status: 'error', error });
        return;
      }
      case 'unknown':
        await this.#end(running, { status: 'unknown', message: receipt.message });
        return;
      default:
        await this.#end(running, unknown(`The service answered ${receipt.type} and told no result.`));
    }
  }

  /** A receipt is a report; one that does not fit its tool's output ends the call. */
  async #settleUpdate(running: Running, update: ToolUpdate): Promise<void> {
    try {
      await this.update(running.session, running.sequence, update);
    } catch (error) {
      if (!(error instanceof Refusal) || !this.#isOpen(running)) throw error;
      await this.#end(running, { status: 'error', error: { code: 'invalid_output', message: error.message } });
    }
  }

  async #report(session: LiveSession, sequence: number, drafts: Draft[]): Promise<number> {
    const running = this.#running.get(key(session.sessionId, sequence));
    const { records, lastSequence, durable } = session.append(drafts, { barrier: true });
    running?.records.push(...records);
    const tool = session.state.open.get(sequence) as OpenTool | undefined;
    if (!tool && running) this.#forget(running);
    await durable;
    if (!tool) running?.release(true);
    else if (tool.returned) running?.release(false);
    if (session.state.observations.length > 0) this.#ports.onObservation(session);
    return records.at(-1)?.sequence ?? lastSequence;
  }

  /** Ends a call from this side. `cancel` also tells the environment to stop. The first ending wins. */
  async #end(running: Running, outcome: Outcome, cancel = false, unreachable = false): Promise<void> {
    const { session, sequence, call } = running;
    const ends = decideToolEnd(session.state, sequence, outcome);
    if (ends.length === 0) return;
    const { environment } = call;
    const extra: Draft[] = [];
    if (unreachable)
      extra.push(draft('environment_unreachable', { environment, message: 'The service did not answer.' }));
    const sent = this.#isSent(running);
    const target = { target_sequence: sequence, tool: call.tool.name, environment: environment.name };
    if (cancel && sent) extra.push(draft('tool_cancel_started', target));
    await this.#report(session, sequence, [...ends, ...extra]);
    if (cancel && sent) await this.#sendCancel(running, session.state.lastSequence);
  }

  async #cancelOne(session: LiveSession, tool: OpenTool): Promise<void> {
    const running = this.#running.get(key(session.sessionId, tool.sequence));
    if (running) await this.#end(running, { status: 'cancelled' }, true);
    else await session.commit(decideToolEnd(session.state, tool.sequence, { status: 'cancelled' }));
  }

  /** Tells the environment to stop; bounded, and never waited for by the turn. */
  async #sendCancel(running: Running, after: number): Promise<void> {
    const { session, sequence, call } = running;
    const cancels = [...session.state.open.values()].filter((effect) => effect.type === 'tool_cancel');
    const cancel = cancels.find((effect) => effect.target === sequence && effect.sequence <= after);
    const declaration = session.state.environments.get(call.environment.name)?.declaration;
    if (!cancel || !declaration) return;
    if (declaration.driver === 'host') {
      const command = { environment: call.environment.name, session_id: session.sessionId, sequence: cancel.sequence };
      const sent = this.#tryHost(declaration.host_id, {
        ...command,
        operation: { type: 'cancel_tool', target_sequence: sequence },
      });
      await session.commit([endCancel(cancel.sequence, sent)]);
      return;
    }
    const operation = {
      ...this.#operation(running, { type: 'cancel', target_sequence: sequence }),
      sequence: cancel.sequence,
    };
    const target = { url: declaration.url, ...this.#credential(running), timeoutMs: TOOL_CANCEL_MS };
    const outcome = await this.#ports.environments.send(operation, target);
    const taken = outcome.receipt && outcome.receipt.type !== 'failure' && outcome.receipt.type !== 'unknown';
    const message = outcome.receipt ? `The service answered ${outcome.receipt.type}.` : outcome.message;
    await session.commit([endCancel(cancel.sequence, taken ? undefined : message)]);
  }

  /** Sends a command; gives why it could not be sent. */
  #tryHost(hostId: string, command: HostCommand): string | undefined {
    try {
      this.#ports.hosts.send(hostId, command);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      throw error;
    }
  }

  #operation(
    running: Running,
    request: EnvironmentOperation['operation']['request'],
  ): EnvironmentOperation['operation'] {
    const { session, sequence, call } = running;
    const instance = session.state.environments.get(call.environment.name);
    return {
      session_id: session.sessionId,
      environment: call.environment,
      sequence,
      request,
      ...(instance?.binding !== undefined && { binding: instance.binding }),
      ...(instance && { configuration: instance.configuration }),
      ...(instance?.template !== undefined && { template: instance.template }),
    };
  }

  #credential({ session, call }: Running): { credential?: string } {
    const instance = session.state.environments.get(call.environment.name);
    const credential = session.findSecret(`environment:${instance?.template ?? call.environment.name}`);
    return credential === undefined ? {} : { credential };
  }

  #isOpen({ session, sequence }: Running): boolean {
    return session.state.open.get(sequence)?.type === 'tool';
  }

  /** False for a host command that still waits for a connection; it is taken back, so it is never sent. */
  #isSent(running: Running): boolean {
    const { hostId, session, sequence } = running;
    return hostId === undefined || !this.#ports.hosts.settle(hostId, session.sessionId, sequence);
  }

  #forget(running: Running): void {
    const { session, sequence, hostId, tokenHash } = running;
    running.stopTimer?.();
    this.#running.delete(key(session.sessionId, sequence));
    if (hostId !== undefined) this.#ports.hosts.settle(hostId, session.sessionId, sequence);
    if (tokenHash !== undefined) this.#tokens.delete(tokenHash);
    running.abort.abort(ENDED);
  }
}

function unknown(message: string): Outcome {
  return { status: 'unknown', message: message.slice(0, 4096) };
}

function endCancel(sequence: number, fault: string | undefined): Draft {
  if (fault === undefined) return draft('tool_cancel_ended', { sequence });
  return draft('tool_cancel_failed', { ...failure('environment_error', fault), sequence });
}

function refersTo(payload: string, sequence: number): boolean {
  return (JSON.parse(payload) as { sequence: number }).sequence === sequence;
}

function key(sessionId: string, sequence: number): string {
  return `${sessionId} ${sequence}`;
}
