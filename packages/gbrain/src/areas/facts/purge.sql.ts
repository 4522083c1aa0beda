// Statements of purging a fact: where its words stand, and taking them away.
import { raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';

/** A row that holds the words of a fact. */
export interface WordsRow {
  id: number;
  uid: string;
  fact: string;
  fingerprint: string;
  entity_slug: string | null;
  embed_hash: string | null;
  /** The page whose fence states it; null for a free fact. */
  page_slug: string | null;
  created_at: Date;
  purged_at: Date | null;
}

const COLUMNS = raw(`f.id, f.uid, f.fact, f.fingerprint, f.entity_slug, f.embed_hash, p.slug as page_slug,
  f.created_at, f.purged_at`);

/** A fact of a source by its id, purged or not. */
export async function readWords(db: Queryable, sourceId: string, id: number): Promise<WordsRow | undefined> {
  const [row] = await db.query<WordsRow>(sql`
    select ${COLUMNS} from facts f left join pages p on p.id = f.page_id
    where f.id = ${id} and f.source_id = ${sourceId}`);
  return row;
}

/** Every row of a source with the same text, over or not, whomever it is about. */
export const sameWords = (sourceId: string, fingerprint: string): Sql => sql`
  select ${COLUMNS} from facts f left join pages p on p.id = f.page_id
  where f.source_id = ${sourceId} and f.fingerprint = ${fingerprint} and f.purged_at is null
  order by f.id for update of f`;

/** Pages of a source whose text or an earlier version of it holds these words, deleted ones included. */
export async function readQuotingPages(
  db: Queryable,
  sourceId: string,
  text: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ slug: string }>(sql`
    select p.slug from pages p
    where p.source_id = ${sourceId} and (position(lower(${text}) in lower(p.text)) > 0
      or exists (select 1 from page_versions v where v.page_id = p.id
        and position(lower(${text}) in lower(v.text)) > 0))
    order by p.slug limit ${limit}`);
  return rows.map(({ slug }) => slug);
}

/** Takes the words out of rows; `blank` stands in their place. */
export const blankFacts = (ids: readonly number[], blank: { text: string; fingerprint: string }, at: Date): Sql => sql`
  update facts set fact = ${blank.text}, fingerprint = ${blank.fingerprint}, source = ${blank.text}, terms = '{}',
    entity_slug = null, context = null, source_session = null, attributed_to = null, gist = null, dimension = null,
    value = null, premises = '{}', claim_metric = null, claim_value = null, claim_unit = null, claim_period = null,
    event_type = null, expired_at = coalesce(expired_at, ${at}), expired_reason = 'purged', purged_at = ${at}
  where id = any (${[...ids]}::bigint[])`;

/** Withdrawals of a text lose the reason that somebody gave: it may say what the text said. */
export const blankWithdrawals = (sourceId: string, fingerprint: string): Sql => sql`
  update fact_withdrawals set reason = null where source_id = ${sourceId} and fingerprint = ${fingerprint}`;
