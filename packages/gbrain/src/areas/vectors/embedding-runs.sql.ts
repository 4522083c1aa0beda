// Statements of runs of embedding that go on in the background.
import { raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import type { EmbedInput } from './embed-plan.ts';

/** A run as it is stored. */
export interface EmbeddingRun {
  id: number;
  signature: string;
  input: EmbedInput;
  group_id: string | null;
  embedded: number;
  asked_at: Date;
  ended_at: Date | null;
  outcome: string | null;
}

const RUN = raw('id, signature, input, group_id, embedded, asked_at, ended_at, outcome');

/** Stores a run that was agreed to; gives it as it stands. */
export async function addRun(
  db: Queryable,
  run: { signature: string; input: EmbedInput; groupId: string | null; at: Date },
): Promise<EmbeddingRun> {
  const rows = await db.query<EmbeddingRun>(sql`
    insert into embedding_runs (signature, input, group_id, asked_at)
    values (${run.signature}, ${JSON.stringify(run.input)}::text::jsonb, ${run.groupId}, ${run.at})
    returning ${RUN}`);
  return rows[0]!;
}

/** The oldest run that has not ended. */
export async function readOpenRun(db: Queryable): Promise<EmbeddingRun | undefined> {
  const rows = await db.query<EmbeddingRun>(
    sql`select ${RUN} from embedding_runs where ended_at is null order by id limit 1`,
  );
  return rows[0];
}

/** The run that was asked for last. */
export async function readLastRun(db: Queryable): Promise<EmbeddingRun | undefined> {
  const rows = await db.query<EmbeddingRun>(sql`select ${RUN} from embedding_runs order by id desc limit 1`);
  return rows[0];
}

/** Counts what a run embedded, and ends it where an outcome is given. */
export const keepRun = (id: number, done: { embedded: number; outcome?: string; at: Date }): Sql => sql`
  update embedding_runs set embedded = embedded + ${done.embedded}, outcome = ${done.outcome ?? null},
    ended_at = ${done.outcome === undefined ? null : done.at}
  where id = ${id} and ended_at is null`;
