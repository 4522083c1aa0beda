// The vector of one text before it is written, where the brain compares by meaning: from the rows where it has one,
// else from the provider within a short bound. Whatever fails gives none, and then nobody is asked for a while.
import { Raised } from '../../failure.ts';
import type { Host } from '../../host.ts';
import { decodeVector } from '../../index/vectors/code.ts';
import { ProviderFault } from '../../providers/provider-fault.ts';
import { NO_PURSE } from '../../providers/purse.ts';
import type { Sql, Store } from '../../store/store.ts';
import { currentModel } from '../models/find-model.ts';
import { openDayPurse } from '../spend/purse.ts';
import { embedHash, embedInput } from './embed-input.ts';
import { stayAway } from './embed-on-write.ts';
import { callEmbedder, profileEmbedder, sentText } from './embedder.ts';
import { packVector, toUnit, unpackVector } from './packed-vector.ts';
import { type ProfileRow, readLiveProfile } from './profiles.sql.ts';
import { insertVectors, readVectorOf } from './vectors.sql.ts';

/** The longest that a write waits for a vector. */
const WAIT_MS = 1_500;

/** A vector with what puts it beside its text, in the transaction that writes the text. */
export interface AheadVector {
  vector: Float32Array;
  keep: readonly Sql[];
}

/** The vector of a text; undefined where none is made or none came in time. Without a model nobody is asked. */
export async function embedAhead(
  brain: { store: Store; host: Host },
  text: string,
  signal: AbortSignal,
): Promise<AheadVector | undefined> {
  const { store, host } = brain;
  if ((await host.setting('embedding.on_write')).value === false) return undefined;
  if ('none' in (await currentModel(host, 'embedding'))) return undefined;
  const profile = await readLiveProfile(store);
  if (!profile) return undefined;
  const chunk = { title: '', headingPath: [], text };
  const known = await readVectorOf(store, profile.id, embedHash(chunk));
  if (known) return { vector: decodeVector(unpackVector(known, profile.dimensions)), keep: [] };
  if (profile.not_before && profile.not_before > host.now()) return undefined;
  return ask(brain, profile, chunk, signal);
}

async function ask(
  brain: { store: Store; host: Host },
  profile: ProfileRow,
  chunk: Parameters<typeof embedInput>[0],
  signal: AbortSignal,
): Promise<AheadVector | undefined> {
  const { store, host } = brain;
  const embedder = await profileEmbedder(host, profile);
  if ('none' in embedder) return undefined;
  try {
    const purse = embedder.model.isFree ? NO_PURSE : await openDayPurse(brain, 'embed_on_write');
    const { value } = await callEmbedder(embedder, [sentText(embedder, embedInput(chunk))], 'document', {
      purse,
      purpose: 'embed',
      timeoutMs: WAIT_MS,
      signal,
    });
    const vector = toUnit(value[0], profile.dimensions);
    if (!(vector instanceof Float32Array)) return undefined;
    const row = { hash: embedHash(chunk), vector: packVector(vector), refusal: null };
    return { vector, keep: [insertVectors(profile.id, [row], host.now())] };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof ProviderFault) await stayAway(store, profile, { fault: error.kind, at: host.now() });
    else if (error instanceof Raised) await stayAway(store, profile, { fault: error.code, at: host.now() });
    else throw error;
    return undefined;
  }
}
