// Statements of facts. Every read for a caller starts from `visibleFacts`, which asks for a ReadScope.
import type { ReadScope } from '../../context.ts';
import { join, raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';

/** A fact as it is stored. `entity_slug` is null for a reader who may not see the page that it names. */
export interface FactRecord {
  id: number;
  source_id: string;
  entity_slug: string | null;
  fact: string;
  terms: string[];
  kind: 'event' | 'preference' | 'commitment' | 'belief' | 'fact';
  visibility: 'private' | 'world';
  notability: 'high' | 'medium' | 'low';
  context: string | null;
  valid_from: Date;
  valid_until: Date | null;
  expired_at: Date | null;
  expired_reason: string | null;
  superseded_by: number | null;
  consolidated_at: Date | null;
  consolidated_into: number | null;
  source: string;
  source_session: string | null;
  confidence: number;
  page_id: number | null;
  row_num: number | null;
  content_origin: string | null;
  trust_tier: string;
  attributed_to: string | null;
  created_at: Date;
}

const COLUMNS = `f.id, f.source_id, f.fact, f.fingerprint, f.terms, f.kind, f.visibility, f.notability, f.context,
  f.valid_from, f.valid_until, f.expired_at, f.expired_reason, f.superseded_by, f.consolidated_at, f.consolidated_into,
  f.source, f.source_session, f.confidence, f.page_id, f.row_num, f.content_origin, f.trust_tier, f.attributed_to,
  f.created_at`;

/** Facts that a caller may see: of live sources and live pages; for others than the owner only `world` ones. */
export function visibleFacts(scope: ReadScope): Sql {
  const isOwner = scope.visibility === 'all';
  const world = isOwner ? raw('') : raw(` and f.visibility = 'world'`);
  const entity = isOwner
    ? raw('f.entity_slug')
    : raw(`case when exists (select 1 from pages h where h.source_id = f.source_id and h.slug = f.entity_slug
        and h.visibility = 'private') then null else f.entity_slug end as entity_slug`);
  return sql`(select ${raw(COLUMNS)}, ${entity} from facts f
    join sources s on s.id = f.source_id and s.archived_at is null
    where f.source_id = any (${[...scope.sources]}::text[])${world}
      and (f.page_id is null or exists (select 1 from ${visible(scope)} p where p.id = f.page_id)))`;
}

/** What a list of facts is narrowed to. */
export interface FactFilter {
  entity?: readonly string[];
  since?: Date;
  sessionId?: string;
  grep?: string;
  /** Any of these terms. */
  terms?: readonly string[];
  /** Also facts that are over. */
  expired?: boolean;
  /** Only facts that another one took the place of. */
  superseded?: boolean;
  now: Date;
  limit: number;
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** A fact that holds at a moment. */
const holds = (now: Date): Sql =>
  sql`f.expired_at is null and f.superseded_by is null and (f.valid_until is null or f.valid_until > ${now})`;

function whereOf(filter: FactFilter): Sql {
  const where: Sql[] = [];
  if (filter.superseded) where.push(raw('f.superseded_by is not null'));
  else if (!filter.expired) where.push(holds(filter.now));
  if (filter.entity) where.push(sql`f.entity_slug = any (${[...filter.entity]}::text[])`);
  if (filter.since) where.push(sql`f.created_at >= ${filter.since}`);
  if (filter.sessionId !== undefined) where.push(sql`f.source_session = ${filter.sessionId}`);
  if (filter.grep !== undefined) where.push(sql`f.fact ilike ${`%${escapeLike(filter.grep)}%`}`);
  if (filter.terms) where.push(sql`f.terms && ${[...filter.terms]}::text[]`);
  return join(where, ' and ');
}

/** Facts, newest first; with terms those that share most of them first. */
export function readFacts(db: Queryable, scope: ReadScope, filter: FactFilter): Promise<FactRecord[]> {
  const shared = filter.terms
    ? sql`(select count(*) from unnest(f.terms) t where t = any (${[...filter.terms]}::text[])) desc, `
    : raw('');
  return db.query<FactRecord>(sql`select f.* from ${visibleFacts(scope)} f where ${whereOf(filter)}
    order by ${shared}f.created_at desc, f.id desc limit ${filter.limit}`);
}

/** One fact that the caller may see. */
export async function readFact(db: Queryable, scope: ReadScope, id: number): Promise<FactRecord | undefined> {
  const [row] = await db.query<FactRecord>(sql`select f.* from ${visibleFacts(scope)} f where f.id = ${id}`);
  return row;
}

/** How many facts hold, how many of them are not consolidated, and how many each term has among them. */
export async function countActive(
  db: Queryable,
  scope: ReadScope,
  now: Date,
): Promise<{ active: number; pending: number }> {
  const [row] = await db.query<{ active: number; pending: number }>(sql`
    select count(*) as active, count(*) filter (where f.consolidated_at is null) as pending
    from ${visibleFacts(scope)} f where ${holds(now)}`);
  return { active: Number(row?.active ?? 0), pending: Number(row?.pending ?? 0) };
}

/** Active facts of entities, by slug. */
export async function countByEntity(
  db: Queryable,
  scope: ReadScope,
  slugs: readonly string[],
  now: Date,
): Promise<Map<string, number>> {
  const rows = await db.query<{ entity_slug: string; count: number }>(sql`
    select f.entity_slug, count(*) as count from ${visibleFacts(scope)} f
    where f.entity_slug = any (${[...slugs]}::text[]) and ${holds(now)} group by f.entity_slug`);
  return new Map(rows.map((row) => [row.entity_slug, Number(row.count)]));
}

/** Facts told after a place, oldest first; what may still be committed below is left for the next call. */
export function readFactsAfter(
  db: Queryable,
  scope: ReadScope,
  by: { after: { at: Date; id: number }; until: Date; entities?: readonly string[]; now: Date; limit: number },
): Promise<FactRecord[]> {
  const entity = by.entities ? sql` and f.entity_slug = any (${[...by.entities]}::text[])` : raw('');
  return db.query<FactRecord>(sql`select f.* from ${visibleFacts(scope)} f
    where (f.created_at, f.id) > (${by.after.at}::timestamptz(3), ${by.after.id}::bigint)
      and f.created_at <= ${by.until} and ${holds(by.now)}${entity}
    order by f.created_at, f.id limit ${by.limit}`);
}

/** What decides whether a fact may be written at all. */
export interface FactGate {
  min_writer_version: number;
  is_source: boolean;
  new_id: number;
}

/** The gate of a write, with an id for a new fact. */
export const factGate = (sourceId: string): Sql => sql`
  select b.min_writer_version, s.id is not null as is_source,
    nextval(pg_get_serial_sequence('facts', 'id')) as new_id
  from brain b left join sources s on s.id = ${sourceId} and s.archived_at is null`;

/** A text about an entity, as duplicates and withdrawals are looked for. */
export interface FactIdentity {
  sourceId: string;
  fingerprint: string;
  entitySlug: string | null;
}

/** Active facts of the same text, entity and visibility, the oldest first, locked. */
export const sameFacts = (of: FactIdentity & { visibility: string; now: Date }): Sql => sql`
  select f.id, f.valid_until, f.page_id from facts f left join pages p on p.id = f.page_id
  where f.source_id = ${of.sourceId} and f.fingerprint = ${of.fingerprint} and f.visibility = ${of.visibility}
    and coalesce(f.entity_slug, '') = ${of.entitySlug ?? ''} and f.expired_at is null
    and (p.id is null or p.deleted_at is null)
  order by f.id for update of f`;

/** The withdrawal of a text, if it was withdrawn. */
export const withdrawalOf = (of: FactIdentity): Sql => sql`
  select fact_id, at from fact_withdrawals where source_id = ${of.sourceId} and fingerprint = ${of.fingerprint}
    and entity_slug = ${of.entitySlug ?? ''}`;

/** A fact by its id, locked, for the write that changes it; visible to the scope. */
export const factForUpdate = (scope: ReadScope, id: number): Sql => sql`
  select o.id, o.entity_slug, o.fingerprint, o.visibility, o.page_id, o.row_num, o.superseded_by, o.expired_at,
    o.expired_reason, o.valid_until, o.source_id,
    exists (select 1 from fact_withdrawals w where w.fact_id = o.id) as is_withdrawn
  from facts o where o.id = ${id} and o.id in (select f.id from ${visibleFacts(scope)} f where f.id = ${id})
  for update of o`;

/** A fact as `factForUpdate` gives it. */
export interface LockedFact {
  id: number;
  source_id: string;
  entity_slug: string | null;
  fingerprint: string;
  visibility: string;
  page_id: number | null;
  row_num: number | null;
  superseded_by: number | null;
  expired_at: Date | null;
  expired_reason: string | null;
  valid_until: Date | null;
  is_withdrawn: boolean;
}

/** A free fact as it is written. */
export interface NewFact extends FactIdentity {
  id: number;
  fact: string;
  terms: readonly string[];
  kind: string;
  visibility: string;
  validUntil: Date | null;
  source: string;
  contentOrigin: string | null;
  trustTier: string;
  principal: string;
  session?: { id: string; sequence: number };
  at: Date;
}

/** A new free fact. */
export const insertFact = (f: NewFact): Sql => sql`
  insert into facts (id, source_id, entity_slug, fact, fingerprint, terms, kind, visibility, valid_from, valid_until,
    source, source_session, content_origin, trust_tier, writer_principal, writer_session, writer_sequence, seen_at,
    created_at)
  overriding system value
  values (${f.id}, ${f.sourceId}, ${f.entitySlug}, ${f.fact}, ${f.fingerprint}, ${[...f.terms]}, ${f.kind},
    ${f.visibility}, ${f.at}, ${f.validUntil}, ${f.source}, ${f.session?.id ?? null}, ${f.contentOrigin},
    ${f.trustTier}, ${f.principal}, ${f.session?.id ?? null}, ${f.session?.sequence ?? null}, ${f.at}, ${f.at})`;

/** The same text was told again: it is seen anew and holds as long as the longer of the two. */
export const seeAgain = (id: number, validUntil: Date | null, at: Date): Sql => sql`
  update facts set seen_count = seen_count + 1, seen_at = ${at}, valid_until = ${validUntil} where id = ${id}`;

/** A fact ends; `by` is the one that took its place. */
export const endFact = (id: number, at: Date, how: { by?: number; reason?: string }): Sql => sql`
  update facts set expired_at = ${at}, superseded_by = coalesce(${how.by ?? null}::bigint, superseded_by),
    expired_reason = ${how.reason ?? null}, valid_until = least(valid_until, ${at}) where id = ${id}`;

/** Withdraws a text: nothing brings it back. */
export const withdraw = (
  of: FactIdentity,
  by: { factId: number; reason?: string; principal: string; at: Date },
): Sql => sql`
  insert into fact_withdrawals (source_id, fingerprint, entity_slug, fact_id, reason, principal, at)
  values (${of.sourceId}, ${of.fingerprint}, ${of.entitySlug ?? ''}, ${by.factId}, ${by.reason ?? null},
    ${by.principal}, ${by.at})
  on conflict do nothing`;
