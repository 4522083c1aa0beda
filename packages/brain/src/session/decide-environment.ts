// Decisions about environments: grants, references, states, and the records of each operation. No driver is known here.
import type { EnvironmentControlRequest, EnvironmentMethod, EnvironmentView } from '@gbrain/brain-protocol/environment';
import type { EnvironmentOperationRequest, EnvironmentReceipt } from '@gbrain/brain-protocol/environment-wire';
import type { EnvironmentRef } from '@gbrain/brain-protocol/ids';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { Failure } from '@gbrain/brain-protocol/outcome';
import type { EnvironmentGrant, Permission } from '@gbrain/brain-protocol/tool';
import { draft } from './command.ts';
import type { CheckSchema } from './decide-tool.ts';
import { Refusal } from './refusal.ts';
import {
  type Draft,
  type EnvironmentInstance,
  type EnvironmentOperationName,
  openTools,
  type SessionState,
} from './state.ts';

/** Who asks: the session's owner may do everything, a loop or tool what it was granted. */
export type ControlCaller = { kind: 'owner' } | { kind: 'granted'; grants: readonly EnvironmentGrant[] };

/** The environment of a reference, when the caller may do that with it. An old reference controls nothing. */
export function findControlled(
  state: SessionState,
  reference: EnvironmentRef,
  caller: ControlCaller,
  permission: Permission,
): EnvironmentInstance {
  const instance = state.environments.get(reference.name);
  refuseUngranted(caller, [reference.name, instance?.template], permission);
  if (!instance) throw new Refusal('invalid_request', `The session has no environment ${reference.name}.`);
  if (instance.reference.sequence !== reference.sequence) {
    throw new Refusal(
      'invalid_request',
      `The current incarnation of ${reference.name} is ${instance.reference.sequence}.`,
      {
        details: { reason: 'stale_environment', environment: reference.name, sequence: instance.reference.sequence },
      },
    );
  }
  return instance;
}

/** True when a grant covers the environment, by its own name or by its template's. */
export function isGranted(
  caller: ControlCaller,
  names: readonly (string | undefined)[],
  permission: Permission,
): boolean {
  if (caller.kind === 'owner') return true;
  return caller.grants.some((grant) => names.includes(grant.environment) && grant.permissions.includes(permission));
}

function refuseUngranted(caller: ControlCaller, names: (string | undefined)[], permission: Permission): void {
  if (isGranted(caller, names, permission)) return;
  throw new Refusal('invalid_request', `The permission ${permission} on ${names[0]} was not granted.`, {
    details: { reason: 'not_granted', environment: names[0] ?? '', permission },
  });
}

/** Makes an instance of a template. */
export function decideCreateInstance(
  state: SessionState,
  request: Extract<EnvironmentControlRequest, { operation: 'create' }>,
  caller: ControlCaller,
  check: CheckSchema,
): Draft[] {
  const { template: name, name: environment, configuration = null } = request;
  refuseUngranted(caller, [name], 'create');
  const declaration = state.configuration?.environments.find((candidate) => candidate.name === name);
  if (!declaration?.template) throw new Refusal('invalid_request', `The session has no template ${name}.`);
  const taken =
    state.environments.has(environment) || state.configuration?.environments.some((one) => one.name === environment);
  if (taken) throw new Refusal('invalid_request', `The name ${environment} is taken.`);
  const living = [...state.environments.values()].filter((one) => one.template === name && one.state !== 'deleted');
  if (living.length >= declaration.template.max_instances) {
    throw new Refusal(
      'invalid_request',
      `The template ${name} allows ${declaration.template.max_instances} instances.`,
    );
  }
  const fault = check(declaration.template.configuration_schema ?? true, configuration);
  if (fault !== undefined) throw new Refusal('invalid_request', fault);
  return [draft('environment_created', { environment, template: name, configuration })];
}

/** Changes the configuration of an instance that was never set up. */
export function decideUpdate(instance: EnvironmentInstance, configuration: JsonValue): Draft[] {
  if (instance.state !== 'declared') {
    throw new Refusal(
      'invalid_request',
      `The environment is ${instance.state}; only one that was never set up is updated.`,
    );
  }
  return [draft('environment_updated', { environment: instance.reference, configuration })];
}

/** States in which an operation may begin. */
const ALLOWED: Record<EnvironmentOperationName, EnvironmentInstance['state'][]> = {
  setup: ['declared', 'failed'],
  call: ['ready'],
  detach: ['ready', 'failed', 'unknown'],
  teardown: ['declared', 'ready', 'failed', 'unknown', 'detached'],
};

/** Throws unless the operation may begin now. An uncertain operation holds its slot until it is resolved. */
export function refuseOperation(instance: EnvironmentInstance, operation: EnvironmentOperationName): void {
  const { name } = instance.reference;
  if (instance.pending) {
    throw new Refusal('conflict', `The ${instance.pending.operation} of ${name} has not ended.`, {
      details: { reason: 'environment_busy', environment: name, sequence: instance.pending.sequence },
    });
  }
  if (!ALLOWED[operation].includes(instance.state)) {
    throw new Refusal('invalid_request', `The environment ${name} is ${instance.state}.`, {
      details: { reason: 'environment_state', environment: name, state: instance.state },
    });
  }
}

/** The method of a call, when the grants cover it, the input fits, and a replacement finds the session at rest. */
export function findMethod(
  state: SessionState,
  instance: EnvironmentInstance,
  call: { method: string; input: JsonValue; caller: ControlCaller },
  check: CheckSchema,
): EnvironmentMethod {
  const { caller } = call;
  const { name } = instance.reference;
  const method = instance.declaration.methods?.find((candidate) => candidate.name === call.method);
  if (!method) throw new Refusal('invalid_request', `The environment ${name} has no method ${call.method}.`);
  if (caller.kind === 'granted') {
    const names = [name, instance.template];
    const covers = (grant: EnvironmentGrant) => !grant.methods || grant.methods.includes(call.method);
    const grants = caller.grants.filter((grant) => names.includes(grant.environment) && covers(grant));
    refuseUngranted({ kind: 'granted', grants }, names, 'call');
  }
  const fault = check(method.input_schema ?? true, call.input);
  if (fault !== undefined) throw new Refusal('invalid_request', fault);
  const busy = state.turn !== undefined || openTools(state).some((tool) => tool.environment.name === name);
  if (method.effect === 'replace' && busy) {
    throw new Refusal('conflict', 'An environment is replaced only while the session is at rest.', {
      details: { reason: 'session_busy' },
    });
  }
  return method;
}

/** The intent of an operation. */
export function decideOperation(
  instance: EnvironmentInstance,
  operation: EnvironmentOperationName,
  request: EnvironmentOperationRequest,
): Draft[] {
  refuseOperation(instance, operation);
  return [draft(`environment_${operation}_started`, { environment: instance.reference, request })];
}

/** The outcome of an operation that was taken. */
export function decideOperationEnd(
  environment: EnvironmentRef,
  operation: EnvironmentOperationName,
  sequence: number,
  receipt: EnvironmentReceipt,
): Draft[] {
  const ended = draft(`environment_${operation}_ended`, { environment, sequence, receipt });
  if (operation === 'detach') return [ended, draft('environment_closed', { environment, state: 'detached' })];
  if (operation === 'teardown') return [ended, draft('environment_closed', { environment, state: 'deleted' })];
  return [ended];
}

/** The outcome of an operation that failed, or that nobody knows the outcome of. */
export function decideOperationFail(
  environment: EnvironmentRef,
  operation: EnvironmentOperationName,
  sequence: number,
  failed: Failure,
): Draft[] {
  return [draft(`environment_${operation}_failed`, { ...failed, environment, sequence })];
}

/** One environment as the control service shows it. */
export function toEnvironmentView(state: SessionState, instance: EnvironmentInstance): EnvironmentView {
  const { reference, template, declaration, pending, availability, observedAtMs, observation } = instance;
  const place = template ?? reference.name;
  return {
    reference,
    ...(template !== undefined && { template }),
    lifecycle: declaration.lifecycle ?? 'automatic',
    state: instance.state,
    configuration: instance.configuration,
    methods: declaration.methods ?? [],
    tools: (state.configuration?.tools ?? [])
      .filter((tool) => Object.hasOwn(tool.placements, place))
      .map((tool) => tool.name),
    ...(pending && { pending_operation: pending }),
    ...(availability && { availability }),
    ...(observedAtMs !== undefined && { observed_at_ms: observedAtMs }),
    ...(observation && { observation }),
  };
}
