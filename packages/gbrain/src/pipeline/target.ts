// Step 4: which brain and source a call acts on, resolved once and handed down as a value.
import type { OpenBrain } from '../brain.ts';
import type { Call } from '../call.ts';
import type { Caller, ReadScope, Target } from '../context.ts';
import { raise } from '../failure.ts';
import type { Host } from '../host.ts';
import type { Operation } from '../operation.ts';

const DEFAULT_BRAIN = 'host';
const DEFAULT_SOURCE = 'default';
const SOURCE_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

/** The word for every source, where an operation takes it. Source: facts/contract G.7 (`get_page`). */
export const ALL_SOURCES = '__all__';

const isAll = (operation: Operation, source: unknown): boolean =>
  operation.readsAllSources === true && source === ALL_SOURCES;

/** The brain id of a call: its own, else the ambient one, else `host`. */
export const brainIdOf = (call: Call, host: Host): string => call.brain ?? host.ambient.brain ?? DEFAULT_BRAIN;

/** Where a call means to act, before anything is opened: what a fix for a refused call is pinned to. */
export function meantTarget(operation: Operation, call: Call, host: Host): Target {
  const named = call.args.source_id ?? call.source ?? host.ambient.source;
  const isName =
    operation.routesSource && typeof named === 'string' && (SOURCE_ID.test(named) || isAll(operation, named));
  return { brain: brainIdOf(call, host), source: isName ? named : DEFAULT_SOURCE };
}

/** Whether a call of an operation acts on a brain: beside it, or from a process that asks the one that has it open. */
export const reachesBrain = ({ where, cli }: Operation): boolean => where === 'brain' || cli.opensBrain !== undefined;

/** Source of a call: the argument, else the call's, else the ambient one, else `default`. Raises `unknown_source`. */
export async function resolveTarget(
  operation: Operation,
  call: Call,
  input: Record<string, unknown>,
  at: { host: Host; brain: OpenBrain },
): Promise<Target> {
  if (!operation.routesSource) return { brain: at.brain.id, source: DEFAULT_SOURCE };
  const source = String(input.source_id ?? call.source ?? at.host.ambient.source ?? DEFAULT_SOURCE);
  if (isAll(operation, source)) {
    return { brain: at.brain.id, source: ALL_SOURCES, sources: await at.brain.sourceIds() };
  }
  if (!SOURCE_ID.test(source)) raise('invalid_source', { source: source.slice(0, 64) });
  if (!(await at.brain.hasSource(source))) raise('unknown_source', { source });
  return { brain: at.brain.id, source };
}

/** What this caller may read of the target. */
export const scopeOf = (caller: Caller, target: Target): ReadScope => ({
  sources: target.sources ?? [target.source],
  visibility: caller.owner ? 'all' : 'world',
});
