// What an activation is told: the parameters of `run`, from the state and the journal. It sends nothing.
import { hash } from 'node:crypto';
import type { RunParams } from '@gbrain/brain-protocol/harness';
import type { ToolView } from '@gbrain/brain-protocol/tool';
import type { Providers } from '../effects/providers.ts';
import { toEvent } from '../journal/record.ts';
import type { LiveSession } from './live.ts';
import type { SessionState } from './state.ts';

/** Most events that an activation is given at once. Source: sessions facts A, pending events. */
const PENDING_EVENTS_MAX = 1000;

/** The parameters of `run`, and the last event that they hold or have passed over. */
export interface RunInputs {
  params: RunParams;
  deliveredThrough: number;
}

/** Builds them for an activation that is in the state already. `stateDir` is the session's folder. */
export function toRunInputs(session: LiveSession, stateDir: string, providers: Providers): RunInputs {
  const { state } = session;
  const { configuration, turn } = state;
  const sequence = turn?.activation?.sequence;
  if (!configuration || !turn || sequence === undefined) throw new Error(`${session.sessionId} has no activation`);
  const { provider, name } = configuration.model;
  const { id: _, ...known } = providers.findModel(provider, name) ?? { id: name };
  const dialect = providers.find(provider)?.dialect;
  const pending = state.observations.slice(0, PENDING_EVENTS_MAX);
  const more = state.observations.length > pending.length;
  const params: RunParams = {
    session_id: session.sessionId,
    sequence,
    state_dir: stateDir,
    model: { provider, name, ...(dialect && { dialect }), ...known },
    input: {
      ...(turn.input && { input: turn.input }),
      transcript: state.transcript,
      kv: Object.fromEntries(state.kv),
      events: session.readRecords(pending).map(toEvent),
      configuration: configuration.agentloop.configuration ?? {},
      system: configuration.system,
      tools: toToolViews(state),
      runtime: { logical_time_ms: sequence, deterministic_seed: toSeed(session.sessionId, sequence) },
    },
  };
  return { params, deliveredThrough: more ? (pending.at(-1) ?? 0) : sequence };
}

/** The session's tools with the environments that can run them now. */
function toToolViews(state: SessionState): ToolView[] {
  const instances = [...state.environments.values()].filter((one) => one.state !== 'deleted');
  return (state.configuration?.tools ?? []).map((tool) => {
    const placed = instances.filter(({ template, reference }) =>
      Object.hasOwn(tool.placements, template ?? reference.name),
    );
    const references = placed.map((one) => one.reference);
    return {
      name: tool.name,
      description: tool.description,
      input_schema: tool.input_schema,
      output_schema: tool.output_schema ?? {},
      environments: references.map(({ name }) => name),
      ...(references.some((one) => one.sequence !== 1) && { environment_refs: references }),
    };
  });
}

/** 32 bytes that are the same whenever the same activation is looked at. */
function toSeed(sessionId: string, position: number): number[] {
  const words = Buffer.from(`brain/runtime-seed/v1\n${sessionId}........`);
  words.writeBigUInt64BE(BigInt(position), words.length - 8);
  return [...hash('sha256', words, 'buffer')];
}
