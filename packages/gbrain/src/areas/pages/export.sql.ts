// Rows of pages that their texts do not hold, for an export and back: facts of the row, versions, old slugs,
// tombstones.
import { raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';

const READ_ROWS = 500;

/** Facts of a page beside its text; times as ISO instants. */
export interface PageFacts {
  slug: string;
  text_hash: string;
  source_path: string | null;
  revision: string;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
  trust_tier: string;
  content_origin: string | null;
  source_kind: string | null;
  source_uri: string | null;
  ingested_via: string | null;
  writer_principal: string | null;
  writer_session: string | null;
  writer_sequence: number | null;
}

const iso = (column: string): Sql => raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** Facts of every page of a source, tombstones included, in slug order. */
export const readPageFacts = (db: Queryable, sourceId: string, after: string): Promise<PageFacts[]> =>
  db.query<PageFacts>(sql`
    select slug, encode(sha256(convert_to(text, 'UTF8')), 'hex') as text_hash, source_path, revision,
      ${iso('created_at')} as created_at, ${iso('updated_at')} as updated_at, ${iso('deleted_at')} as deleted_at,
      trust_tier, content_origin, source_kind, source_uri, ingested_via, writer_principal, writer_session,
      writer_sequence
    from pages where source_id = ${sourceId} and slug > ${after} order by slug limit ${READ_ROWS}`);

/** Puts facts back on pages that an import has just made from the very texts that the facts are of. */
export const restorePageFacts = (sourceId: string, rows: readonly PageFacts[]): Sql => sql`
  update pages p set source_path = r.source_path, revision = r.revision, created_at = r.created_at,
    updated_at = r.updated_at, deleted_at = r.deleted_at, trust_tier = r.trust_tier,
    content_origin = r.content_origin, source_kind = r.source_kind, source_uri = r.source_uri,
    ingested_via = r.ingested_via, writer_principal = r.writer_principal, writer_session = r.writer_session,
    writer_sequence = r.writer_sequence,
    effective_date = case when p.effective_date_source = 'fallback' then r.created_at else p.effective_date end
  from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (slug text, text_hash text, source_path text,
    revision uuid, created_at timestamptz(3), updated_at timestamptz(3), deleted_at timestamptz(3), trust_tier text,
    content_origin text, source_kind text, source_uri text, ingested_via text, writer_principal text,
    writer_session text, writer_sequence bigint)
  where p.source_id = ${sourceId} and p.slug = r.slug and p.ingested_via = 'import'
    and encode(sha256(convert_to(p.text, 'UTF8')), 'hex') = r.text_hash`;

/** An earlier state of a page. */
export interface KeptVersion {
  slug: string;
  revision: string;
  text: string;
  title: string;
  type: string;
  frontmatter: Record<string, unknown>;
  deleted: boolean;
  writer_principal: string | null;
  writer_session: string | null;
  writer_sequence: number | null;
  created_at: string;
}

/** Versions of every page of a source, oldest first. */
export const readKeptVersions = (
  db: Queryable,
  sourceId: string,
  after: number,
): Promise<(KeptVersion & { id: number })[]> =>
  db.query(sql`
    select v.id, p.slug, v.revision, v.text, v.title, v.type, v.frontmatter, v.deleted, v.writer_principal,
      v.writer_session, v.writer_sequence, ${iso('v.created_at')} as created_at
    from page_versions v join pages p on p.id = v.page_id
    where p.source_id = ${sourceId} and v.id > ${after} order by v.id limit 200`);

/** Puts versions back that their pages do not have. */
export const restoreVersions = (sourceId: string, rows: readonly KeptVersion[]): Sql => sql`
  insert into page_versions (page_id, revision, text, title, type, frontmatter, deleted, writer_principal,
    writer_session, writer_sequence, created_at)
  select p.id, r.revision, r.text, r.title, r.type, r.frontmatter, r.deleted, r.writer_principal, r.writer_session,
    r.writer_sequence, r.created_at
  from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as (slug text, revision uuid, text text,
    title text, type text, frontmatter jsonb, deleted boolean, writer_principal text, writer_session text,
    writer_sequence bigint, created_at timestamptz(3))) with ordinality as r (slug, revision, text, title, type,
    frontmatter, deleted, writer_principal, writer_session, writer_sequence, created_at, n)
    join pages p on p.source_id = ${sourceId} and p.slug = r.slug
  where not exists (select 1 from page_versions v
    where v.page_id = p.id and v.revision = r.revision and v.created_at = r.created_at)
  order by r.n`;

/** An old slug of a page. */
export interface MovedSlug {
  alias: string;
  slug: string;
}

/** Old slugs of a source's pages, in their order. */
export const readMovedSlugs = (db: Queryable, sourceId: string, after: string): Promise<MovedSlug[]> =>
  db.query<MovedSlug>(sql`
    select a.alias, p.slug from page_aliases a join pages p on p.id = a.page_id
    where a.source_id = ${sourceId} and a.kind = 'moved' and a.alias > ${after} order by a.alias limit ${READ_ROWS}`);

/** Puts old slugs back that lead nowhere yet. */
export const restoreMovedSlugs = (sourceId: string, rows: readonly MovedSlug[]): Sql => sql`
  insert into page_aliases (source_id, alias, page_id, kind)
  select ${sourceId}, r.alias, p.id, 'moved'
  from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (alias text, slug text)
    join pages p on p.source_id = ${sourceId} and p.slug = r.slug
  on conflict do nothing`;

/** The text of a page that has a tombstone. */
export interface DeletedText {
  slug: string;
  text: string;
}

/** Texts of deleted pages of a source, in slug order. */
export const readDeletedTexts = (db: Queryable, sourceId: string, after: string): Promise<DeletedText[]> =>
  db.query<DeletedText>(sql`
    select slug, text from pages where source_id = ${sourceId} and deleted_at is not null and slug > ${after}
    order by slug limit 200`);
