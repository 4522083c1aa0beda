// The reader's connection as rendering needs it: what is callable, what its commands take, what to pin.
import type { Connection, Preapproval } from '@gbrain/wire/action';
import type { Caller, Target } from '../context.ts';
import type { Host } from '../host.ts';
import { denialOf } from '../pipeline/access.ts';
import { ALL_SOURCES } from '../pipeline/target.ts';
import type { Registry } from '../registry.ts';

/** Facts of the command that an argv of ours names: whether it opens a brain and resolves a source. */
export function commandFacts(registry: Registry, argv: readonly string[]): ReturnType<Connection['command']> {
  const found = registry.command(argv.slice(1));
  if (!found) return undefined;
  const { where, routesSource, cli } = found.operation;
  const opensBrain = cli.opensBrain?.(found.rest) ?? where === 'brain';
  return { opensBrain, routesSource, sourceFlag: '--source' };
}

/** What a printed command is pinned to: a read over every source pins none. */
const pinned = ({ brain, source }: Target) => ({ brain, ...(source !== ALL_SOURCES && { source }) });

/** Connection of a caller for one outcome; nothing is pinned where no target was resolved. */
export function connectionOf(
  host: Host,
  caller: Caller,
  preapproval: Preapproval,
  at: { target?: Target; gates?: ReadonlySet<string> } = {},
): Connection {
  const { registry } = host;
  const transport = caller.transport === 'job' ? 'cli' : caller.transport;
  return {
    transport,
    isCallable: (tool) => denialOf(registry.operation(tool), caller, at.gates) === undefined,
    command: (argv) => commandFacts(registry, argv),
    ...(at.target && { target: pinned(at.target) }),
    preapproval,
    ...(host.docsBase && { docsBase: host.docsBase }),
  };
}
