// An open brain: its store and who it is. Opening and closing is the owner's affair.
import type { LiveIndex } from './areas/search/live-index.ts';
import type { Store } from './store/store.ts';

/** A brain that this process has open. */
export interface OpenBrain {
  /** Name on the command line: `host`. */
  readonly id: string;
  /** Folder of the embedded engine, or the server's URL without its password. */
  readonly path: string;
  readonly brainId: string;
  /** Changes whenever the content was replaced as a whole; a snapshot of another incarnation is stale. */
  readonly incarnation: string;
  readonly store: Store;
  /** The index of the brain, opened at the first search. */
  index(): Promise<LiveIndex>;
  /** Saves the index and closes the store. */
  close(): Promise<void>;
  /** What the kernel says of the lock on an embedded brain; absent where there is none. */
  checkLock?(): 'held' | 'lost' | 'unknown';
  /** Whether a source of this id exists and is not archived. */
  hasSource(id: string): Promise<boolean>;
  /** Ids of every source that is not archived. */
  sourceIds(): Promise<string[]>;
}
