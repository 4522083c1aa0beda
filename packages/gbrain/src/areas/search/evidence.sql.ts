// Statements of evidence and insights: chunks around hits, and how pages of a scope change over days.
import type { ReadScope } from '../../context.ts';
import { sql } from '../../store/sql.ts';
import type { Queryable } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';

/** A chunk near a hit; `hit` is the place of the hit in the request. */
export interface EvidenceRow {
  hit: number;
  title: string;
  type: string;
  trust_tier: string;
  content_origin: string | null;
  chunk_index: number;
  overlap_chars: number;
  heading_path: string[];
  text: string;
}

/** Chunks of the hit pages that the scope may see, up to `reach` chunks away from each hit. */
export function readEvidence(
  db: Queryable,
  scope: ReadScope,
  hits: readonly { source_id: string; slug: string; chunk_id: number }[],
  reach: number,
): Promise<EvidenceRow[]> {
  const rows = JSON.stringify(hits.map((hit, i) => ({ ...hit, hit: i })));
  return db.query<EvidenceRow>(sql`
    select h.hit, p.title, p.type, p.trust_tier, p.content_origin, c.chunk_index, c.overlap_chars, c.heading_path,
      c.text
    from jsonb_to_recordset(${rows}::text::jsonb) as h (hit integer, source_id text, slug text, chunk_id integer)
    join ${visible(scope)} p on p.source_id = h.source_id and p.slug = h.slug
    join page_chunks c on c.page_id = p.id and c.chunk_index between h.chunk_id - ${reach} and h.chunk_id + ${reach}
    order by h.hit, c.chunk_index`);
}

/** A page with how recently it changed and how many pages point to it. */
export interface SalienceRow {
  slug: string;
  source_id: string;
  title: string;
  type: string;
  updated_at: Date;
  backlinks: number;
}

/** Pages that changed since a time, most linked and newest first. */
export function readRecent(
  db: Queryable,
  scope: ReadScope,
  asked: { since: Date; prefix: string; limit: number },
): Promise<SalienceRow[]> {
  return db.query<SalienceRow>(sql`
    select p.slug, p.source_id, p.title, p.type, p.updated_at, (
      select count(distinct l.from_page_id)::int from links l join ${visible(scope)} f on f.id = l.from_page_id
      where l.to_page_id = p.id and l.from_page_id <> p.id) as backlinks
    from ${visible(scope)} p
    where p.updated_at >= ${asked.since} and starts_with(p.slug, ${asked.prefix})
    order by p.updated_at desc, p.slug limit ${asked.limit}`);
}

/** Pages made on one day in one cohort. */
export interface CohortDay {
  cohort_kind: 'type' | 'tag';
  cohort_value: string;
  day: string;
  count: number;
  slugs: string[];
}

/** Pages made a day, by type and by tag, between two days. */
export function readCohortDays(db: Queryable, scope: ReadScope, asked: { from: Date; to: Date }): Promise<CohortDay[]> {
  return db.query<CohortDay>(sql`
    with made as (
      select p.slug, p.type, p.tags, to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD') as day
      from ${visible(scope)} p where p.created_at >= ${asked.from} and p.created_at < ${asked.to})
    select 'type' as cohort_kind, type as cohort_value, day, count(*)::int as count,
      (array_agg(slug order by slug))[1:50] as slugs from made group by type, day
    union all
    select 'tag', t.tag, day, count(*)::int, (array_agg(slug order by slug))[1:50]
    from made cross join unnest(tags) t (tag) group by t.tag, day`);
}
