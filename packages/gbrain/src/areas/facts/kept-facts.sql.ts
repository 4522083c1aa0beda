// Statements of an export of free facts and withdrawn texts, and of putting them back. No caller reads through these.
import { sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';

/** A free fact as an export keeps it; moments are ISO texts. */
export interface KeptFact {
  uid: string;
  /** Number that it has here; it is kept where it is free. */
  id: number;
  entity_slug: string | null;
  fact: string;
  kind: string;
  visibility: string;
  notability: string;
  context: string | null;
  valid_from: string;
  valid_until: string | null;
  expired_at: string | null;
  expired_reason: string | null;
  superseded_by: string | null;
  source: string;
  source_session: string | null;
  confidence: string;
  attributed_to: string | null;
  content_origin: string | null;
  trust_tier: string;
  writer_principal: string | null;
  writer_session: string | null;
  writer_sequence: number | null;
  seen_count: number;
  seen_at: string;
  created_at: string;
  gist: string | null;
  dimension: string | null;
  value: string | null;
  claim_metric: string | null;
  claim_value: string | null;
  claim_unit: string | null;
  claim_period: string | null;
  /** When its words were taken away; it is kept for what refers to it. */
  purged_at: string | null;
  /** The facts that it was concluded from, with a space between: `uid`, or `slug#row` of a page's fence. */
  premises: string | null;
}

/** A kept fact with what is worked out from its text. */
export interface RestoredFact extends KeptFact {
  fingerprint: string;
  terms: readonly string[];
}

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const moment = (column: string): string => `to_char(f.${column} at time zone 'UTC', ${ISO}) as ${column}`;

/** Free facts of a source above an id. */
export const readKeptFacts = (db: Queryable, sourceId: string, after: number): Promise<KeptFact[]> =>
  db.query<KeptFact>({
    text: `select f.uid, f.id, f.entity_slug, f.fact, f.kind, f.visibility, f.notability, f.context,
        ${['valid_from', 'valid_until', 'expired_at', 'seen_at', 'created_at', 'purged_at'].map(moment).join(', ')},
        f.expired_reason, n.uid as superseded_by, f.source, f.source_session, f.confidence::text as confidence,
        f.attributed_to, f.content_origin, f.trust_tier, f.writer_principal, f.writer_session, f.writer_sequence,
        f.seen_count, f.gist, f.dimension, f.value, f.claim_metric, f.claim_value, f.claim_unit, f.claim_period,
        (select string_agg(case when o.page_id is null then o.uid::text else p.slug || '#' || o.row_num end, ' '
            order by o.id)
          from facts o left join pages p on p.id = o.page_id where o.id = any (f.premises)) as premises
      from facts f left join facts n on n.id = f.superseded_by
      where f.source_id = $1 and f.page_id is null and f.id > $2 order by f.id limit 500`,
    params: [sourceId, after],
  });

const RECORD = `(uid uuid, id bigint, entity_slug text, fact text, fingerprint text, terms text[], kind text,
  visibility text, notability text, context text, valid_from timestamptz(3), valid_until timestamptz(3),
  expired_at timestamptz(3), expired_reason text, superseded_by uuid, source text, source_session text,
  confidence double precision, attributed_to text, content_origin text, trust_tier text, writer_principal text,
  writer_session text, writer_sequence bigint, seen_count integer, seen_at timestamptz(3), created_at timestamptz(3),
  gist text, dimension text, value text, claim_metric text, claim_value text, claim_unit text, claim_period text,
  premises text, purged_at timestamptz(3))`;

/**
 * Puts free facts back. A fact that is there already is left alone, and so is one whose text stands under another id;
 * a number that is taken becomes a new one.
 */
export function restoreKeptFacts(sourceId: string, rows: readonly RestoredFact[]): Sql[] {
  const json = JSON.stringify(rows);
  const insert: Sql = {
    text: `insert into facts (uid, id, source_id, entity_slug, fact, fingerprint, terms, kind, visibility, notability,
        context, valid_from, valid_until, expired_at, expired_reason, source, source_session, confidence, attributed_to,
        content_origin, trust_tier, writer_principal, writer_session, writer_sequence, seen_count, seen_at, created_at,
        gist, dimension, value, claim_metric, claim_value, claim_unit, claim_period, purged_at)
      overriding system value
      select r.uid, case when exists (select 1 from facts o where o.id = r.id)
          then nextval(pg_get_serial_sequence('facts', 'id')) else r.id end,
        $1, r.entity_slug, r.fact, r.fingerprint, r.terms, r.kind, r.visibility, r.notability, r.context, r.valid_from,
        r.valid_until, r.expired_at, r.expired_reason, r.source, r.source_session, r.confidence, r.attributed_to,
        r.content_origin, r.trust_tier, r.writer_principal, r.writer_session, r.writer_sequence, r.seen_count,
        r.seen_at, r.created_at, r.gist, r.dimension, r.value, r.claim_metric, r.claim_value, r.claim_unit,
        r.claim_period, r.purged_at
      from jsonb_to_recordset($2::text::jsonb) as r ${RECORD}
      where not exists (select 1 from facts o where o.uid = r.uid)
      on conflict do nothing`,
    params: [sourceId, json],
  };
  return [
    insert,
    sql`update facts f set superseded_by = n.id
      from jsonb_to_recordset(${json}::text::jsonb) as r (uid uuid, superseded_by uuid)
      join facts n on n.uid = r.superseded_by
      where f.uid = r.uid and f.source_id = ${sourceId} and f.superseded_by is null and n.id <> f.id`,
    sql`update facts f set premises = array(
          select o.id from unnest(string_to_array(r.premises, ' ')) t (ref)
          join facts o on o.uid = case when t.ref ~ '^[0-9a-f-]{36}$' then t.ref::uuid end
          union select o.id from unnest(string_to_array(r.premises, ' ')) t (ref)
          join pages p on p.source_id = f.source_id and p.slug = split_part(t.ref, '#', 1)
          join facts o on o.page_id = p.id and o.row_num::text = split_part(t.ref, '#', 2) order by 1)
      from jsonb_to_recordset(${json}::text::jsonb) as r (uid uuid, premises text)
      where f.uid = r.uid and f.source_id = ${sourceId} and r.premises is not null and f.premises = '{}'`,
    sql`select setval(pg_get_serial_sequence('facts', 'id'), greatest((select max(id) from facts),
      nextval(pg_get_serial_sequence('facts', 'id'))))`,
  ];
}

/** Moments of a fact that a page's fence states. */
export interface FenceFact {
  slug: string;
  row_num: number;
  fingerprint: string;
  valid_from: string;
  expired_at: string | null;
  seen_at: string;
  created_at: string;
}

/** Facts of fences of live pages of a source above a place. */
export const readFenceFacts = (
  db: Queryable,
  sourceId: string,
  after: { slug: string; row: number },
): Promise<FenceFact[]> =>
  db.query<FenceFact>({
    text: `select p.slug, f.row_num, f.fingerprint,
        ${['valid_from', 'expired_at', 'seen_at', 'created_at'].map(moment).join(', ')}
      from facts f join pages p on p.id = f.page_id
      where p.source_id = $1 and p.deleted_at is null and (p.slug, f.row_num) > ($2::text collate "C", $3::integer)
      order by p.slug, f.row_num limit 500`,
    params: [sourceId, after.slug, after.row],
  });

/** Puts their moments back where the fence states the same; whether a fact is over is the fence's to say. */
export const restoreFenceFacts = (sourceId: string, rows: readonly FenceFact[]): Sql => sql`
  update facts f set valid_from = r.valid_from, seen_at = r.seen_at, created_at = r.created_at,
    expired_at = case when f.expired_at is not null then coalesce(r.expired_at, f.expired_at) end
  from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (slug text, row_num integer, fingerprint text,
    valid_from timestamptz(3), expired_at timestamptz(3), seen_at timestamptz(3), created_at timestamptz(3))
  join pages p on p.source_id = ${sourceId} and p.slug = r.slug
  where f.page_id = p.id and f.row_num = r.row_num and f.fingerprint = r.fingerprint`;

/** A withdrawn text as an export keeps it. */
export interface KeptWithdrawal {
  fingerprint: string;
  entity_slug: string;
  reason: string | null;
  principal: string;
  at: string;
}

/** Withdrawn texts of a source above a key. */
export const readKeptWithdrawals = (
  db: Queryable,
  sourceId: string,
  after: { fingerprint: string; entitySlug: string },
): Promise<KeptWithdrawal[]> =>
  db.query<KeptWithdrawal>({
    text: `select f.fingerprint, f.entity_slug, f.reason, f.principal, ${moment('at')} from fact_withdrawals f
      where f.source_id = $1 and (f.fingerprint, f.entity_slug) > ($2::text collate "C", $3::text collate "C")
      order by f.fingerprint, f.entity_slug limit 500`,
    params: [sourceId, after.fingerprint, after.entitySlug],
  });

/** Puts withdrawn texts back and ends the facts that state them. */
export function restoreKeptWithdrawals(sourceId: string, rows: readonly KeptWithdrawal[]): Sql[] {
  const json = JSON.stringify(rows);
  const record = sql`jsonb_to_recordset(${json}::text::jsonb) as r (fingerprint text, entity_slug text, reason text,
    principal text, at timestamptz(3))`;
  return [
    sql`insert into fact_withdrawals (source_id, fingerprint, entity_slug, reason, principal, at)
      select ${sourceId}, r.fingerprint, r.entity_slug, r.reason, r.principal, r.at from ${record}
      on conflict do nothing`,
    sql`update facts f set expired_at = r.at, expired_reason = r.reason from ${record}
      where f.source_id = ${sourceId} and f.fingerprint = r.fingerprint and coalesce(f.entity_slug, '') = r.entity_slug
        and f.expired_at is null`,
  ];
}
