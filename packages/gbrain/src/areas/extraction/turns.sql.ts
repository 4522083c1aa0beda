// Statements of turns whose facts were extracted.
import { sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';

/** A turn by its digest, in a source. */
export interface TurnKey {
  sourceId: string;
  turnHash: string;
}

/** What an extracted turn came to; undefined for one that was not extracted yet. */
export async function readExtracted(db: Queryable, of: TurnKey): Promise<Record<string, unknown> | undefined> {
  const [row] = await db.query<{ outcome: Record<string, unknown> }>(sql`
    select outcome from extracted_turns where source_id = ${of.sourceId} and turn_hash = ${of.turnHash}`);
  return row?.outcome;
}

/** Which of some turns were extracted already. */
export async function readExtractedHashes(
  db: Queryable,
  sourceId: string,
  hashes: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ turn_hash: string }>(sql`
    select turn_hash from extracted_turns where source_id = ${sourceId} and turn_hash = any (${[...hashes]}::text[])`);
  return new Set(rows.map(({ turn_hash }) => turn_hash));
}

/** Keeps that a turn was extracted; a second one at the same time fails, and is answered with the first. */
export const keepExtracted = (of: TurnKey, outcome: Record<string, unknown>, at: Date): Sql => sql`
  insert into extracted_turns (source_id, turn_hash, outcome, at)
  values (${of.sourceId}, ${of.turnHash}, ${JSON.stringify(outcome)}::text::jsonb, ${at})`;
