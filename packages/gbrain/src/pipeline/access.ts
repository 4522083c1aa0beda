// Step 2: may this caller use this operation. One predicate for listing tools and for calling them.
import type { Caller } from '../context.ts';
import type { Operation, Scope } from '../operation.ts';
import type { Registry } from '../registry.ts';

const RANK = { verbs: 0, starter: 1, full: 2, cli: 3 } as const;

const IMPLIED: Record<Scope, readonly Scope[]> = {
  read: ['read', 'write', 'admin'],
  write: ['write', 'admin'],
  admin: ['admin'],
  sources_admin: ['sources_admin', 'admin'],
  users_admin: ['users_admin', 'admin'],
  agent: ['agent'],
};

/** Why an operation cannot be called; `hidden` is a real tool outside the session's surface. */
export type Denial = 'unknown' | 'owner_only' | 'cli_only' | 'local_only' | 'hidden' | 'read_only' | 'scope' | 'gate';

/** The one predicate; `gates` are the publish gates that are open. Undefined means callable. */
export function denialOf(
  operation: Operation | undefined,
  caller: Caller,
  gates: ReadonlySet<string> = new Set(),
): Denial | undefined {
  if (!operation) return 'unknown';
  if (caller.transport === 'cli' || caller.transport === 'job') return undefined;
  if (operation.ownerOnly) return 'owner_only';
  if (operation.surface === 'cli') return 'cli_only';
  if (operation.localOnly && caller.transport === 'http') return 'local_only';
  if (RANK[operation.surface] > RANK[caller.surface]) return 'hidden';
  if (caller.access === 'read-only' && (operation.scope !== 'read' || operation.mutating)) return 'read_only';
  if (!IMPLIED[operation.scope].some((scope) => caller.scopes.includes(scope))) return 'scope';
  if (operation.gate && !gates.has(operation.gate)) return 'gate';
  return undefined;
}

/** Operations that a caller may call now, in registry order: what tools/list shows. */
export const callableOperations = (registry: Registry, caller: Caller, gates?: ReadonlySet<string>): Operation[] =>
  registry.operations.filter(
    (operation) => denialOf(operation, caller, gates) === undefined && operation.surface !== 'cli',
  );
