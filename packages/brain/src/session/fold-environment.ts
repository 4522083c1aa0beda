// Applies the records of environments to a session's state. No I/O, no clock, no decisions.
import type { PublicEnvironment } from '@gbrain/brain-protocol/environment';
import type { PayloadOf } from '@gbrain/brain-protocol/record';
import type { EnvironmentInstance, EnvironmentOperationName, SessionRecord, SessionState } from './state.ts';

/** Applies a record whose kind begins with `environment_`. */
export function foldEnvironmentRecord(state: SessionState, record: SessionRecord): void {
  const [, operation, phase] =
    /^environment_(setup|call|detach|teardown)_(started|ended|failed)$/.exec(record.kind) ?? [];
  if (operation && phase) foldOperation(state, record, operation as EnvironmentOperationName, phase);
  else foldOther(state, record);
}

function foldOperation(
  state: SessionState,
  record: SessionRecord,
  operation: EnvironmentOperationName,
  phase: string,
): void {
  const payload = record.payload as PayloadOf<'environment_setup_started'> & PayloadOf<'environment_setup_ended'>;
  const instance = findInstance(state, payload.environment);
  if (phase === 'started') {
    const { sequence } = record;
    state.open.set(sequence, { type: 'environment', sequence, operation, environment: payload.environment });
    if (!instance) return;
    instance.pending = { operation, sequence };
    if (operation === 'setup') instance.state = 'starting';
    if (operation === 'teardown') instance.state = 'deleting';
    return;
  }
  state.open.delete(payload.sequence);
  if (!instance) return;
  if (phase === 'ended') {
    delete instance.pending;
    if (operation !== 'setup') return;
    instance.state = 'ready';
    if (payload.receipt.type === 'result') instance.binding = payload.receipt.output;
    return;
  }
  const { ambiguous } = record.payload as PayloadOf<'environment_setup_failed'>;
  if (operation === 'call') delete instance.pending;
  else if (ambiguous) instance.state = 'unknown';
  else {
    instance.state = 'failed';
    delete instance.pending;
  }
}

function foldOther(state: SessionState, record: SessionRecord): void {
  if (record.kind === 'environment_created') {
    createInstance(state, record, record.payload as PayloadOf<'environment_created'>);
    return;
  }
  const payload = record.payload as { environment: EnvironmentInstance['reference'] };
  const instance = findInstance(state, payload.environment);
  if (!instance) return;
  switch (record.kind) {
    case 'environment_updated':
      instance.configuration = (record.payload as PayloadOf<'environment_updated'>).configuration;
      return;
    case 'environment_replaced':
      instance.reference = { name: instance.reference.name, sequence: record.sequence };
      return;
    case 'environment_closed':
      instance.state = (record.payload as PayloadOf<'environment_closed'>).state;
      delete instance.pending;
      return;
    case 'environment_unreachable':
      instance.availability = 'unavailable';
      instance.observedAtMs = record.recordedAtMs;
      return;
    case 'environment_observed':
      observe(state, instance, record);
  }
}

function observe(state: SessionState, instance: EnvironmentInstance, record: SessionRecord): void {
  const { observation } = record.payload as PayloadOf<'environment_observed'>;
  instance.observation = observation;
  instance.observedAtMs = record.recordedAtMs;
  if (observation.scope === 'environment') instance.availability = observation.availability;
  if (observation.scope === 'operation' && instance.pending?.sequence === observation.sequence) {
    const ended = observation.resolution === 'ended';
    if (instance.pending.operation === 'setup') instance.state = ended ? 'ready' : 'failed';
    if (instance.pending.operation === 'teardown') instance.state = ended ? 'deleted' : 'failed';
    if (instance.pending.operation === 'detach') instance.state = ended ? 'detached' : 'failed';
    delete instance.pending;
  }
  state.observations.push(record.sequence);
}

function createInstance(state: SessionState, record: SessionRecord, payload: PayloadOf<'environment_created'>): void {
  const template = state.configuration?.environments.find((candidate) => candidate.name === payload.template);
  if (!template) throw new Error(`${state.sessionId}: record ${record.sequence} names template ${payload.template}`);
  const { template: _, ...rest } = template;
  state.environments.set(payload.environment, {
    reference: { name: payload.environment, sequence: record.sequence },
    declaration: { ...rest, name: payload.environment } as PublicEnvironment,
    template: payload.template,
    state: 'declared',
    configuration: payload.configuration,
  });
}

function findInstance(
  state: SessionState,
  reference: EnvironmentInstance['reference'] | undefined,
): EnvironmentInstance | undefined {
  const instance = reference && state.environments.get(reference.name);
  return instance?.reference.sequence === reference?.sequence ? instance : undefined;
}
