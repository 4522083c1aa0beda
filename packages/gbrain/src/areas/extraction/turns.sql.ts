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

/** An extracted turn as an export keeps it. */
export interface KeptTurn {
  turn_hash: string;
  at: string;
}

/** Extracted turns of a source above a digest. */
export const readKeptTurns = (db: Queryable, sourceId: string, after: string): Promise<KeptTurn[]> =>
  db.query<KeptTurn>(sql`
    select turn_hash, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from extracted_turns
    where source_id = ${sourceId} and turn_hash > ${after}::text collate "C" order by turn_hash limit 500`);

/** Puts the marks back; which facts came of a turn is told by the facts. */
export const restoreKeptTurns = (sourceId: string, rows: readonly KeptTurn[]): Sql => sql`
  insert into extracted_turns (source_id, turn_hash, outcome, at)
  select ${sourceId}, r.turn_hash, '{"facts": [], "dropped": {}}'::jsonb, r.at
  from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (turn_hash text, at timestamptz(3))
  on conflict do nothing`;
