// Statements of the commit path: what is read before a write is decided, and what one write puts down.
// Everything of one page write goes out in two batches, so its cost is independent of how much it derives.
import { join, raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import type { PageColumns } from './columns.ts';
import type { PageWrite, Provenance, Writer } from './page-write.ts';

/** First batch: the gate with an id for a new page, and the page under its slug, locked. */
export function readStatements({ sourceId, slug }: Pick<PageWrite, 'sourceId' | 'slug'>): Sql[] {
  return [
    sql`select b.min_writer_version, s.truth, s.archived_at is not null as is_archived,
        nextval('pages_id_seq') as new_id, (select page_id from page_aliases
          where source_id = ${sourceId} and alias = ${slug} and kind = 'moved') as moved_to
      from brain b left join sources s on s.id = ${sourceId}`,
    sql`select ${CURRENT} from pages where source_id = ${sourceId} and slug = ${slug} for update`,
  ];
}

/** The same for many slugs of one source: a gate for each, and the pages that exist, locked in slug order. */
export function readGroupStatements(sourceId: string, slugs: readonly string[]): Sql[] {
  return [
    sql`select b.min_writer_version, s.truth, s.archived_at is not null as is_archived,
        nextval('pages_id_seq') as new_id, a.page_id as moved_to, w.slug
      from brain b cross join unnest(${[...slugs]}::text[]) w (slug) left join sources s on s.id = ${sourceId}
        left join page_aliases a on a.source_id = ${sourceId} and a.alias = w.slug and a.kind = 'moved'`,
    sql`select ${CURRENT} from pages where source_id = ${sourceId} and slug = any (${[...slugs]}::text[])
      order by slug for update`,
  ];
}

/** The page to which a moved alias leads, locked. */
export const movedPage = (id: number): Sql => sql`select ${CURRENT} from pages where id = ${id} for update`;

const CURRENT = raw(`id, slug, text, revision, title, visibility = 'private' as is_private,
  deleted_at is not null as is_deleted, created_at, updated_at, frontmatter -> 'aliases' is not null as has_aliases`);

/** What decides whether a write may go on at all. */
export interface GateRow {
  min_writer_version: number;
  truth: 'database' | 'files' | null;
  is_archived: boolean;
}

/** The gate of one write, with what else its first batch brings. */
export interface WriteGateRow extends GateRow {
  /** Taken from the sequence for every write; used by the one that makes a page. */
  new_id: number;
  /** Page to which the slug leads as a moved alias. */
  moved_to: number | null;
}

/** The page as it stands, locked until the transaction ends. */
export interface CurrentRow {
  id: number;
  slug: string;
  text: string;
  revision: string;
  title: string;
  is_private: boolean;
  is_deleted: boolean;
  has_aliases: boolean;
  created_at: Date;
  updated_at: Date;
}

/** Who wrote a revision, and when. */
export interface Stamp {
  writer: Writer;
  at: Date;
  revision: string;
}

const sessionOf = (writer: Writer) => ({ id: writer.session?.id ?? null, at: writer.session?.sequence ?? null });

/** A page that did not exist. */
export interface NewPage {
  key: { id: number; sourceId: string; slug: string };
  columns: PageColumns;
  stamp: Stamp;
  from: Provenance;
}

function newRow({ key, columns: c, stamp, from }: NewPage): Sql {
  const session = sessionOf(stamp.writer);
  return sql`(${key.id}, ${key.sourceId}, ${key.slug}, ${c.text}, ${stamp.revision}, ${c.title}, ${c.type},
    ${c.pageKind}, ${JSON.stringify(c.frontmatter)}::jsonb, ${c.tags}, ${c.visibility}, ${c.contentHash},
    ${c.effectiveDate}, ${c.effectiveDateSource}, ${from.sourcePath ?? null}, ${c.foldedSlug}, ${c.sizeBytes},
    ${from.sourceKind ?? null}, ${from.sourceUri ?? null}, ${from.ingestedVia ?? null},
    ${from.contentOrigin ?? null}, ${stamp.writer.trustTier}, ${stamp.writer.principal}, ${session.id}, ${session.at},
    ${stamp.at}, ${stamp.at}, ${from.isEmbedHeld ?? false})`;
}

/** Pages that did not exist. Their ids were taken in the first batch, so nothing waits for them. */
export const insertPages = (pages: readonly NewPage[]): Sql =>
  sql`insert into pages (id, source_id, slug, text, revision, title, type, page_kind, frontmatter, tags,
      visibility, content_hash, effective_date, effective_date_source, source_path,
      folded_slug, size_bytes, source_kind, source_uri, ingested_via, content_origin, trust_tier,
      writer_principal, writer_session, writer_sequence, created_at, updated_at, embed_held)
    overriding system value
    values ${join(pages.map(newRow), ', ')}`;

/** New text of a page under the slug that it has from now on. Its path stays where the write brings none. */
export function updatePage(
  { id, slug }: { id: number; slug: string },
  c: PageColumns,
  stamp: Stamp,
  from: Provenance,
): Sql {
  const session = sessionOf(stamp.writer);
  return sql`update pages set slug = ${slug}, folded_slug = ${c.foldedSlug}, text = ${c.text},
      revision = ${stamp.revision}, title = ${c.title}, type = ${c.type},
      page_kind = ${c.pageKind}, frontmatter = ${JSON.stringify(c.frontmatter)}::jsonb, tags = ${c.tags},
      visibility = ${c.visibility}, content_hash = ${c.contentHash}, effective_date = ${c.effectiveDate},
      effective_date_source = ${c.effectiveDateSource}, source_path = coalesce(${from.sourcePath ?? null}, source_path),
      size_bytes = ${c.sizeBytes}, source_kind = ${from.sourceKind ?? null}, source_uri = ${from.sourceUri ?? null},
      ingested_via = ${from.ingestedVia ?? null}, content_origin = ${from.contentOrigin ?? null},
      trust_tier = ${stamp.writer.trustTier}, writer_principal = ${stamp.writer.principal},
      writer_session = ${session.id}, writer_sequence = ${session.at}, updated_at = ${stamp.at}, deleted_at = null,
      embed_held = ${from.isEmbedHeld ?? false}
    where id = ${id}`;
}

/** Keeps which files pages come from; it is no change of the pages. */
export const bindPaths = (pages: readonly { id: number; path: string }[]): Sql =>
  sql`update pages set source_path = f.path
    from unnest(${pages.map(({ id }) => id)}::bigint[], ${pages.map(({ path }) => path)}::text[]) f (id, path)
    where pages.id = f.id and pages.source_path is distinct from f.path`;

/** Sets or lifts the tombstone; the text stays as it is. */
export function markPage(id: number, isDeleted: boolean, stamp: Stamp): Sql {
  const session = sessionOf(stamp.writer);
  return sql`update pages set revision = ${stamp.revision}, writer_principal = ${stamp.writer.principal},
      writer_session = ${session.id}, writer_sequence = ${session.at}, updated_at = ${stamp.at},
      deleted_at = ${isDeleted ? stamp.at : null}
    where id = ${id}`;
}

/** Keeps pages as they stand as versions; goes before the statements that change them. */
export const keepVersions = (ids: readonly number[]): Sql =>
  sql`insert into page_versions (page_id, revision, text, title, type, frontmatter, deleted, writer_principal,
      writer_session, writer_sequence, created_at)
    select id, revision, text, title, type, frontmatter, deleted_at is not null, writer_principal, writer_session,
      writer_sequence, updated_at
    from pages where id = any (${[...ids]}::bigint[]) order by id`;

/** The slug that a page leaves leads to it from now on; the one that it takes leads to itself. */
export const setMovedAlias = (key: { id: number; sourceId: string; slug: string }, from: string): Sql[] => [
  sql`delete from page_aliases where source_id = ${key.sourceId} and kind = 'moved'
    and alias in (${key.slug}, ${from})`,
  sql`insert into page_aliases (source_id, alias, page_id, kind) values (${key.sourceId}, ${from}, ${key.id}, 'moved')`,
];

/** Declared aliases that a page has from now on. */
export interface PageAliases {
  key: { id: number; sourceId: string; isNew: boolean };
  aliases: readonly string[];
}

/** Makes the declared aliases of pages these. */
export function setAliases(pages: readonly PageAliases[]): Sql[] {
  const old = pages.filter(({ key }) => !key.isNew);
  const rows = pages.flatMap(({ key, aliases }) => aliases.map((alias) => ({ ...key, alias })));
  const deletions = old.map(
    ({ key, aliases }) => sql`delete from page_aliases
      where page_id = ${key.id} and kind = 'declared' and alias <> all (${[...aliases]}::text[])`,
  );
  if (rows.length === 0) return deletions;
  const columns = [rows.map((row) => row.sourceId), rows.map((row) => row.alias), rows.map((row) => row.id)];
  return [
    ...deletions,
    sql`insert into page_aliases (source_id, alias, page_id, kind)
      select *, 'declared' from unnest(${columns[0]}::text[], ${columns[1]}::text[], ${columns[2]}::bigint[])
      on conflict do nothing`,
  ];
}

/** Kinds of the change feed that pages write. */
export type PageChange = 'page_written' | 'page_deleted';

/** One change of the feed. */
export interface FeedEntry {
  kind: PageChange;
  key: { id: number; sourceId: string; slug: string };
  stamp: Pick<Stamp, 'revision' | 'at'>;
}

/** Rows of the change feed; their positions and transaction id are the server's. */
export const feedRows = (entries: readonly FeedEntry[]): Sql =>
  sql`insert into changes (kind, source_id, page_id, slug, revision, at) values ${join(
    entries.map(
      ({ kind, key, stamp }) => sql`(${kind}, ${key.sourceId}, ${key.id}, ${key.slug}, ${stamp.revision}, ${stamp.at})`,
    ),
    ', ',
  )}`;

/** An effect that follows the commit; of a page, or of none. */
export interface EffectRow {
  key: string;
  kind: string;
  payload: Record<string, unknown>;
  pageId?: number;
  at: Date;
}

/** Effects that follow the commit; an effect that is there already becomes due again. */
export function effectRows(effects: readonly EffectRow[]): Sql {
  const rows = [...new Map(effects.map((one) => [one.key, one])).values()].map(
    (one) =>
      sql`(${one.key}, ${one.kind}, ${one.pageId ?? null}::bigint, ${JSON.stringify(one.payload)}::jsonb,
        ${one.at}::timestamptz, ${one.at}::timestamptz)`,
  );
  return sql`insert into outbox (key, kind, page_id, payload, created_at, not_before) values ${join(rows, ', ')}
    on conflict (key) do update set kind = excluded.kind, page_id = excluded.page_id, payload = excluded.payload,
      attempts = 0, not_before = excluded.not_before, last_error = null`;
}

/** The outbox rows of a kind that were due before a time; all of them without one. */
export async function readEffects(
  db: Queryable,
  kind: string,
  before?: Date,
): Promise<{ key: string; payload: Record<string, unknown> }[]> {
  return db.query(sql`select key, payload from outbox
    where kind = ${kind} and created_at < coalesce(${before ?? null}::timestamptz, 'infinity') order by id`);
}

/** Takes effects away that are done. */
export const dropEffects = (keys: readonly string[]): Sql =>
  sql`delete from outbox where key = any (${[...keys]}::text[])`;
