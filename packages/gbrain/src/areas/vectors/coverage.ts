// How much of a brain has vectors, and how making them goes. It calls nobody.
import type { Host } from '../../host.ts';
import type { Store } from '../../store/store.ts';
import { currentModel } from '../models/find-model.ts';
import { readProfiles } from './profiles.sql.ts';
import { countChunks, countVectors, countWaiting, type WaitingCount } from './vectors.sql.ts';

/** Vectors of a brain. */
export interface Coverage {
  /** An embedding model can be called. */
  isConfigured: boolean;
  /** Model of the vectors that are searched; absent where nothing was embedded. */
  live?: string;
  /** Model that is built beside it. */
  building?: string;
  /** Chunks of live pages, with a vector or without. */
  chunks: number;
  waiting: Omit<WaitingCount, 'bytes'>;
  /** Texts that the provider gave no usable vector for. */
  refused: number;
  /** How the last try ended, when it failed. */
  fault?: string;
  fault_at?: string;
}

/** Reads the coverage of the live profile; without one, everything waits. */
export async function readCoverage(store: Store, host: Host): Promise<Coverage> {
  const profiles = await readProfiles(store);
  const live = profiles.find(({ state }) => state === 'live');
  const building = profiles.find(({ state }) => state === 'building');
  const id = live?.id ?? 0;
  const { bytes: _, ...waiting } = await countWaiting(store, id, {});
  const { refused } = await countVectors(store, id);
  const failed = building?.fault ? building : live;
  return {
    isConfigured: !('none' in (await currentModel(host, 'embedding'))),
    ...(live && { live: live.model }),
    ...(building && { building: building.model }),
    chunks: await countChunks(store),
    waiting,
    refused,
    ...(failed?.fault && { fault: failed.fault }),
    ...(failed?.fault_at && { fault_at: failed.fault_at.toISOString() }),
  };
}
