// Statements of embedding profiles: at most one is live and one is being built.
import { raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql, Tx } from '../../store/store.ts';

/** A profile as it is stored. */
export interface ProfileRow {
  id: number;
  /** `provider:model`. */
  model: string;
  dimensions: number;
  signature: string;
  state: 'building' | 'live';
  since: Date;
  fault: string | null;
  fault_at: Date | null;
  not_before: Date | null;
}

const PROFILE = raw('id, model, dimensions, signature, state, since, fault, fault_at, not_before');

/** The live profile and the one that is being built. */
export const readProfiles = (db: Queryable): Promise<ProfileRow[]> =>
  db.query<ProfileRow>(sql`select ${PROFILE} from embedding_profiles order by state desc`);

/** The live profile. */
export async function readLiveProfile(db: Queryable): Promise<ProfileRow | undefined> {
  const rows = await db.query<ProfileRow>(sql`select ${PROFILE} from embedding_profiles where state = 'live'`);
  return rows[0];
}

/** A profile as it is made. */
export interface NewProfile {
  model: string;
  dimensions: number;
  signature: string;
  since: Date;
  at: Date;
}

/**
 * Makes the profile of a signature where there is none: live when nothing is live, else one to be built, in place of
 * another that was not finished. Gives the profile as it is then.
 */
export async function ensureProfile(tx: Tx, profile: NewProfile): Promise<ProfileRow> {
  // Two processes that make a profile at once take turns.
  await tx.query(sql`lock table embedding_profiles in share row exclusive mode`);
  const all = await readProfiles(tx);
  const found = all.find(({ signature }) => signature === profile.signature);
  if (found) return found;
  const state = all.some((one) => one.state === 'live') ? 'building' : 'live';
  if (state === 'building') await tx.query(sql`delete from embedding_profiles where state = 'building'`);
  const rows = await tx.query<ProfileRow>(sql`
    insert into embedding_profiles (model, dimensions, signature, state, since, created_at, live_at)
    values (${profile.model}, ${profile.dimensions}, ${profile.signature}, ${state}, ${profile.since}, ${profile.at},
      ${state === 'live' ? profile.at : null})
    returning ${PROFILE}`);
  return rows[0]!;
}

/** The built profile takes the place of the live one, whose vectors go with it. */
export const swapComplete = (tx: Tx, buildingId: number, at: Date): Promise<unknown> =>
  tx.batch([
    sql`delete from embedding_profiles where state = 'live'
      and exists (select 1 from embedding_profiles b where b.id = ${buildingId} and b.state = 'building')`,
    sql`update embedding_profiles set state = 'live', live_at = ${at} where id = ${buildingId}`,
  ]);

/** Removes a profile that was not finished. */
export const dropBuilding = (): Sql => sql`delete from embedding_profiles where state = 'building'`;

/** Keeps how the last try ended; null where it went well. */
export const keepFault = (id: number, fault: { fault: string; at: Date; notBefore: Date } | null): Sql => sql`
  update embedding_profiles set fault = ${fault?.fault ?? null}, fault_at = ${fault?.at ?? null},
    not_before = ${fault?.notBefore ?? null} where id = ${id}`;
