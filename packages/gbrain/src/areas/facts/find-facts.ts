// The facts arm: facts of an entity, a session, a time or a question, best first. The index in memory ranks; only the
// rows of the best are read, through the caller's own view, so a fact that changed since is never shown by what it was.
import type { ReadScope } from '../../context.ts';
import type { Queryable, Store } from '../../store/store.ts';
import { factTerms } from './fact.ts';
import type { RankedFact } from './fact-index.ts';
import {
  countByEntity,
  type FactFilter,
  type FactRecord,
  readFactIds,
  readFacts,
  readFactsAfter,
  readFactsOf,
} from './facts.sql.ts';
import { admission, currentFacts, currentFactVectors } from './live-facts.ts';
import { nearFacts } from './near-facts.ts';

/** A fact as it is stored, for other areas. */
export type { FactRecord };

/** Facts of an entity or a session that are ranked for a question; the newest. */
const CANDIDATES = 300;
/** Share of a question's weight that a fact must hold to count as an answer; a fact of the asked entity needs none. */
const MATCH_MIN = 0.34;
/** Facts that are ranked beyond the wanted ones, because some may be hidden or over by the time they are read. */
const SPARE = 10;

/** Facts by id, those that are over included, as far as the scope may see them. */
export const factsById = (db: Queryable, scope: ReadScope, ids: readonly number[], now: Date): Promise<FactRecord[]> =>
  readFactsOf(db, scope, ids, { expired: true, now });

/** What is asked of the facts. */
export interface FactQuestion extends FactFilter {
  query?: string;
  /** The query's vector, where facts are compared by meaning too. */
  vector?: Float32Array | undefined;
}

/** A fact with how well it answers. */
export interface Ranked extends Omit<RankedFact, 'id'> {
  row: FactRecord;
}

/** Facts for a question, best match first; without one, newest first. */
export async function findFacts(store: Store, scope: ReadScope, asked: FactQuestion): Promise<FactRecord[]> {
  const { query, vector, ...filter } = asked;
  if (query === undefined) return readFacts(store, scope, filter);
  return (await rankedFacts(store, scope, { ...filter, query, vector })).map(({ row }) => row);
}

/** Facts for a question with their scores, best match first. */
export async function rankedFacts(
  store: Store,
  scope: ReadScope,
  asked: FactQuestion & { query: string },
): Promise<Ranked[]> {
  const { query, vector, ...filter } = asked;
  const terms = factTerms(query);
  const isBound = filter.entity !== undefined || filter.sessionId !== undefined || filter.grep !== undefined;
  if (terms.length === 0 && !isBound && !vector) return [];
  const only = isBound ? await readFactIds(store, scope, { ...filter, limit: CANDIDATES }) : undefined;
  const index = await currentFacts(store);
  const admits = admission(scope, filter);
  const vectors = vector && (await currentFactVectors(store));
  const near = vectors ? nearFacts({ index, vectors }, vector, admits) : new Map<number, number>();
  const lookup = { terms, admits, near, now: filter.now, limit: filter.limit + SPARE };
  const ranked = only ? index.order(only, lookup) : index.rank({ ...lookup, shareMin: MATCH_MIN });
  if (ranked.length === 0) return [];
  const rows = await readFactsOf(
    store,
    scope,
    ranked.map(({ id }) => id),
    filter,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ranked
    .flatMap(({ id, share, score }) => (byId.has(id) ? [{ row: byId.get(id)!, share, score }] : []))
    .slice(0, filter.limit);
}

/** Facts of an entity that are read for a card; more are only counted. */
const CARD_FACTS = 100;

/** Facts of an entity that hold now, newest first, and how many there are. */
export async function factsOfEntity(
  db: Queryable,
  scope: ReadScope,
  slug: string,
  now: Date,
): Promise<{ facts: FactRecord[]; active: number }> {
  const facts = await readFacts(db, scope, { entity: [slug], now, limit: CARD_FACTS });
  if (facts.length < CARD_FACTS) return { facts, active: facts.length };
  return { facts, active: (await countByEntity(db, scope, [slug], now)).get(slug) ?? facts.length };
}

/** Facts that hold and were told after a place, oldest first. */
export const factsAfter = (
  db: Queryable,
  scope: ReadScope,
  by: { after: { at: Date; id: number }; until: Date; entities?: readonly string[]; limit: number },
): Promise<FactRecord[]> => readFactsAfter(db, scope, { ...by, now: by.until });
