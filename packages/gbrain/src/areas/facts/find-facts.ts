// The facts arm: facts of an entity, a session, a time or a question, best first.
import type { ReadScope } from '../../context.ts';
import type { Queryable } from '../../store/store.ts';
import { decayedConfidence, factTerms } from './fact.ts';
import { countByEntity, type FactFilter, type FactRecord, readFacts, readFactsAfter } from './facts.sql.ts';

/** A fact as it is stored, for other areas. */
export type { FactRecord };

/** Facts that are looked at for a question before the best are taken. */
const CANDIDATES = 300;
/** Share of a question's weight that a fact must hold to count as an answer; a fact of the asked entity needs none. */
const MATCH_MIN = 0.34;

/** What is asked of the facts. */
export interface FactQuestion extends FactFilter {
  query?: string;
}

/** Facts for a question, best match first; without one, newest first. */
export async function findFacts(db: Queryable, scope: ReadScope, asked: FactQuestion): Promise<FactRecord[]> {
  const { query, ...filter } = asked;
  if (query === undefined) return readFacts(db, scope, filter);
  return (await rankedFacts(db, scope, { ...filter, query })).map(({ row }) => row);
}

/** Facts for a question with their scores, best match first. */
export async function rankedFacts(
  db: Queryable,
  scope: ReadScope,
  asked: FactFilter & { query: string },
): Promise<Ranked[]> {
  const { query, ...filter } = asked;
  const terms = factTerms(query);
  if (terms.length === 0 && filter.entity === undefined) return [];
  const isBound = filter.entity !== undefined || filter.sessionId !== undefined || filter.grep !== undefined;
  const rows = await readFacts(db, scope, { ...filter, ...(!isBound && { terms }), limit: CANDIDATES });
  return rankFacts(rows, terms, filter.now)
    .filter(({ share }) => isBound || share >= MATCH_MIN)
    .slice(0, filter.limit);
}

/** A fact with how well it answers. */
export interface Ranked {
  row: FactRecord;
  share: number;
  score: number;
}

/** Ranks by the rarity of the shared terms and what age has left of the confidence; newest first on ties. */
export function rankFacts(rows: readonly FactRecord[], terms: readonly string[], now: Date): Ranked[] {
  const holders = new Map(terms.map((term) => [term, 0]));
  for (const row of rows)
    for (const term of row.terms) if (holders.has(term)) holders.set(term, holders.get(term)! + 1);
  const weights = new Map(terms.map((term) => [term, Math.log(1 + (rows.length + 1) / (holders.get(term)! + 0.5))]));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0) || 1;
  return rows
    .map((row) => {
      const own = new Set(row.terms);
      const shared = terms.reduce((sum, term) => sum + (own.has(term) ? weights.get(term)! : 0), 0) / total;
      return { row, share: shared, score: shared * (0.7 + 0.3 * decayedConfidence(row, now)) };
    })
    .sort((a, b) => b.score - a.score);
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
