// The environment control service: operations as effects, each intent on disk first, each sent once.
import type { EnvironmentControlRequest, EnvironmentControlResult } from '@gbrain/brain-protocol/environment';
import type {
  EnvironmentOperation,
  EnvironmentOperationRequest,
  EnvironmentReceipt,
  ReporterObservation,
} from '@gbrain/brain-protocol/environment-wire';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { Failure } from '@gbrain/brain-protocol/outcome';
import type { z } from 'zod';
import { reach } from '../fault.ts';
import { draft, failure } from '../session/command.ts';
import {
  type ControlCaller,
  decideCreateInstance,
  decideOperation,
  decideOperationEnd,
  decideOperationFail,
  decideUpdate,
  findControlled,
  findMethod,
  isGranted,
  toEnvironmentView,
} from '../session/decide-environment.ts';
import type { LiveSession } from '../session/live.ts';
import { Refusal } from '../session/refusal.ts';
import type { EnvironmentInstance, EnvironmentOperationName } from '../session/state.ts';
import type { Limits } from '../settings.ts';
import type { EnvironmentClient, OperationOutcome } from './environment-client.ts';
import type { SchemaChecks } from './schema-checks.ts';

/** What the service is built from. `deriveToken` gives the same token for the same words, also after a restart. */
export interface ControlPorts {
  limits: Limits;
  client: EnvironmentClient;
  schemas: SchemaChecks;
  publicUrl(): string;
  deriveToken(words: string): string;
  onObservation(session: LiveSession): void;
}

/** One operation; `signal` gives it up, and its outcome is then unknown. */
interface OperationChoice {
  operation: EnvironmentOperationName;
  request: EnvironmentOperationRequest;
  signal: AbortSignal | undefined;
}

/** Who asks, and what makes it give up. */
type ControlAsker = ControlCaller & { signal?: AbortSignal };

/** Environment operations of all sessions. */
export class ControlService {
  readonly #ports: ControlPorts;

  constructor(ports: ControlPorts) {
    this.#ports = ports;
  }

  /** Answers one control request. */
  async control(
    session: LiveSession,
    request: EnvironmentControlRequest,
    caller: ControlAsker,
  ): Promise<EnvironmentControlResult> {
    const { state } = session;
    const { signal } = caller;
    switch (request.operation) {
      case 'list': {
        const all = [...state.environments.values()];
        const seen = all.filter((one) => isGranted(caller, [one.reference.name, one.template], 'read'));
        return { environments: seen.map((one) => toEnvironmentView(state, one)) };
      }
      case 'get':
        return this.#view(session, findControlled(state, request.environment, caller, 'read'));
      case 'create':
        return this.#create(session, request, caller);
      case 'setup': {
        const instance = findControlled(state, request.environment, caller, 'setup');
        refuseFailure(await this.setup(session, instance, signal));
        return this.#view(session, instance);
      }
      case 'update': {
        const instance = findControlled(state, request.environment, caller, 'update');
        await session.commit(decideUpdate(instance, request.configuration));
        return this.#view(session, instance);
      }
      case 'delete': {
        const instance = findControlled(state, request.environment, caller, 'delete');
        refuseFailure(await this.close(session, instance, 'teardown', signal));
        return this.#view(session, instance);
      }
      case 'call':
        return this.#call(session, request, caller);
    }
  }

  /** Sets an environment up; gives why it failed. */
  async setup(session: LiveSession, instance: EnvironmentInstance, signal?: AbortSignal): Promise<Failure | undefined> {
    const request = { type: 'setup' as const, configuration: instance.configuration };
    const { failed } = await this.#operate(session, instance, { operation: 'setup', request, signal });
    return failed;
  }

  /** Detaches an environment, or tears it down; gives why it failed. */
  async close(
    session: LiveSession,
    instance: EnvironmentInstance,
    operation: 'detach' | 'teardown',
    signal?: AbortSignal,
  ): Promise<Failure | undefined> {
    return (await this.#operate(session, instance, { operation, request: { type: operation }, signal })).failed;
  }

  /** Records what a reporter saw. The token tells which environment it speaks for. */
  async observe(
    session: LiveSession,
    sequence: number,
    token: string,
    seen: z.infer<typeof ReporterObservation>,
  ): Promise<number> {
    const instances = [...session.state.environments.values()].filter((one) => one.reference.sequence === sequence);
    const instance = instances.find((one) => this.#reporterToken(session, one) === token);
    if (!instance) throw new Refusal('unauthorized', 'The token is not that of a reporter of this session.');
    const { reference } = instance;
    const origin = { kind: 'environment' as const, environment: reference };
    const observed = draft('environment_observed', { environment: reference, observation: seen.observation }, origin);
    const [record] = await session.commit([observed]);
    this.#ports.onObservation(session);
    return record?.sequence ?? session.state.lastSequence;
  }

  async #create(
    session: LiveSession,
    request: Extract<EnvironmentControlRequest, { operation: 'create' }>,
    caller: ControlAsker,
  ): Promise<EnvironmentControlResult> {
    await this.#ports.schemas.decide(
      (check) => decideCreateInstance(session.state, request, caller, check),
      (drafts) => session.commit(drafts),
    );
    const instance = session.state.environments.get(request.name);
    if (!instance) throw new Error(`${session.sessionId}: the instance ${request.name} was not made`);
    if (instance.declaration.lifecycle !== 'manual') refuseFailure(await this.setup(session, instance, caller.signal));
    return this.#view(session, instance);
  }

  async #call(
    session: LiveSession,
    request: Extract<EnvironmentControlRequest, { operation: 'call' }>,
    caller: ControlAsker,
  ): Promise<EnvironmentControlResult> {
    const { schemas } = this.#ports;
    const outgoing = { type: 'call' as const, name: request.method, input: request.input };
    const { instance, method, operated } = await schemas.decide(
      (check) => {
        const instance = findControlled(session.state, request.environment, caller, 'call');
        const method = findMethod(session.state, instance, { ...request, caller }, check);
        if (instance.declaration.driver !== 'host') return { instance, method };
        throw new Refusal('invalid_request', 'A host has no methods.', { details: { reason: 'unsupported' } });
      },
      ({ instance, method }) => {
        const operation = { operation: 'call' as const, request: outgoing, signal: caller.signal };
        return { instance, method, operated: this.#operate(session, instance, operation) };
      },
    );
    const { failed, receipt } = await operated;
    refuseFailure(failed);
    const output: JsonValue = receipt?.type === 'result' ? receipt.output : null;
    const fault = await schemas.decide(
      (check) => check(method.output_schema ?? true, output),
      (found) => found,
    );
    if (fault !== undefined) throw new Refusal('environment_error', fault, { details: { reason: 'invalid_output' } });
    if (method.effect === 'replace') {
      await session.commit([draft('environment_replaced', { environment: instance.reference })]);
    }
    return { output };
  }

  #view(session: LiveSession, instance: EnvironmentInstance): EnvironmentControlResult {
    return { environment: toEnvironmentView(session.state, instance) };
  }

  async #operate(
    session: LiveSession,
    instance: EnvironmentInstance,
    { operation, request, signal }: OperationChoice,
  ): Promise<{ failed?: Failure; receipt?: EnvironmentReceipt }> {
    const { declaration, reference } = instance;
    const started = decideOperation(instance, operation, request);
    if (declaration.driver === 'host') {
      // A host has nothing to prepare or to close: both records are one fact.
      const sequence = session.state.lastSequence + 1;
      const receipt: EnvironmentReceipt = { type: 'result', output: null };
      await session.commit([...started, ...decideOperationEnd(reference, operation, sequence, receipt)]);
      return { receipt };
    }
    const appended = session.append(started, { barrier: true });
    const sequence = appended.lastSequence;
    await appended.durable;
    reach('after_sync_before_send', 'environment');
    const credential = session.findSecret(`environment:${instance.template ?? reference.name}`);
    const outcome = await this.#ports.client.send(this.#operation(session, instance, sequence, request), {
      url: declaration.url,
      ...(credential !== undefined && { credential }),
      timeoutMs: this.#ports.limits.maxEnvironmentMs,
      ...(signal && { signal }),
    });
    reach('after_reply_before_record', 'environment');
    const { receipt } = outcome;
    if (receipt && (receipt.type === 'result' || receipt.type === 'returned')) {
      await session.commit(decideOperationEnd(reference, operation, sequence, receipt));
      return { receipt };
    }
    const failed = toFailure(outcome, operation);
    const unreachable = !receipt && outcome.unreachable;
    const extra = unreachable
      ? [draft('environment_unreachable', { environment: reference, message: outcome.message.slice(0, 4096) })]
      : [];
    await session.commit([...decideOperationFail(reference, operation, sequence, failed), ...extra]);
    return { failed };
  }

  #operation(
    session: LiveSession,
    instance: EnvironmentInstance,
    sequence: number,
    request: EnvironmentOperationRequest,
  ): EnvironmentOperation['operation'] {
    const { reference, template, binding, configuration } = instance;
    return {
      session_id: session.sessionId,
      environment: reference,
      sequence,
      request,
      ...(binding !== undefined && { binding }),
      configuration,
      ...(template !== undefined && { template }),
      ...(request.type === 'setup' && {
        reporter: {
          url: `${this.#ports.publicUrl()}/v1/sessions/${session.sessionId}/executions/${reference.sequence}/call`,
          token: this.#reporterToken(session, instance),
          methods: ['observe'],
        },
      }),
    };
  }

  #reporterToken(session: LiveSession, { reference }: EnvironmentInstance): string {
    return this.#ports.deriveToken(`reporter ${session.sessionId} ${reference.name} ${reference.sequence}`);
  }
}

function toFailure(outcome: OperationOutcome, operation: EnvironmentOperationName): Failure {
  const code = operation === 'setup' ? 'environment_preparation_failed' : 'environment_error';
  const { receipt } = outcome;
  if (receipt?.type === 'failure') {
    return failure(code, `${receipt.code}: ${receipt.message}`, { retryable: receipt.retryable });
  }
  if (receipt?.type === 'unknown') return failure('unknown', receipt.message, { ambiguous: true });
  if (receipt)
    return failure('unknown', `The service answered ${receipt.type} and told no result.`, { ambiguous: true });
  if (!outcome.sent) return failure(code, `Nothing was sent: ${outcome.message}.`, { retryable: true });
  return failure(outcome.late ? 'timeout' : 'unknown', `The operation was sent; ${outcome.message}.`, {
    ambiguous: true,
  });
}

function refuseFailure(failed: Failure | undefined): void {
  if (!failed) return;
  const code = failed.ambiguous ? 'ambiguous' : 'environment_error';
  throw new Refusal(code, failed.message, { retryable: failed.retryable, ambiguous: failed.ambiguous });
}

/** Starts all of them at once and waits; gives the first failure. */
export async function operateAll(
  instances: readonly EnvironmentInstance[],
  operate: (instance: EnvironmentInstance) => Promise<Failure | undefined>,
): Promise<Failure | undefined> {
  const results = await Promise.all(instances.map((instance) => operate(instance)));
  return results.find((failed) => failed !== undefined);
}
