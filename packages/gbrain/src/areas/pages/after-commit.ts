// Who is told that pages of a store have changed, once the change is on disk: what follows commits in the background.
// It carries no data: a follower reads the outbox or the change feed.
import type { Store } from '../../store/store.ts';

const listeners = new WeakMap<Store, Set<() => void>>();

/** Calls `listener` after every commit of pages through this process; gives what ends that. It must not throw. */
export function onCommit(store: Store, listener: () => void): () => void {
  const told = listeners.get(store) ?? new Set();
  listeners.set(store, told);
  told.add(listener);
  return () => void told.delete(listener);
}

/** Tells that a transaction with page writes was committed. */
export function tellCommit(store: Store): void {
  for (const listener of listeners.get(store) ?? []) listener();
}
