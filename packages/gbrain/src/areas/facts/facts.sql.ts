// Statements of facts. Every read for a caller starts from `visibleFacts`, which asks for a ReadScope.
import type { ReadScope } from '../../context.ts';
import type { PageKey } from '../../part.ts';
import { isOneOf, join, planOnce, raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';
import type { PageFact } from './page-facts.ts';

/** A fact as it is stored. `entity_slug` is null for a reader who may not see the page that it names. */
export interface FactRecord {
  id: number;
  source_id: string;
  entity_slug: string | null;
  fact: string;
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
  dimension: string | null;
  value: string | null;
  premises: number[];
  claim_metric: string | null;
  claim_value: string | null;
  claim_unit: string | null;
  claim_period: string | null;
}

const COLUMNS = `f.id, f.source_id, f.fact, f.fingerprint, f.kind, f.visibility, f.notability, f.context,
  f.valid_from, f.valid_until, f.expired_at, f.expired_reason, f.superseded_by, f.consolidated_at, f.consolidated_into,
  f.source, f.source_session, f.confidence, f.page_id, f.row_num, f.content_origin, f.trust_tier, f.attributed_to,
  f.created_at, f.dimension, f.value, f.premises, f.claim_metric, f.claim_value, f.claim_unit, f.claim_period`;

/**
 * Facts that a caller may see: of live sources and live pages; for others than the owner only `world` ones. `narrow`
 * is a condition on the stored columns, for an index to serve: the entity as it is shown is worked out row by row.
 */
export function visibleFacts(scope: ReadScope, narrow: Sql = raw('true')): Sql {
  const isOwner = scope.visibility === 'all';
  const world = isOwner ? raw('') : raw(` and f.visibility = 'world'`);
  const worldPage = isOwner ? raw('') : raw(` and p.visibility = 'world'`);
  // Joins, not subqueries: half of what such a read costs is its planning.
  const home = isOwner ? raw('') : raw('left join pages h on h.source_id = f.source_id and h.slug = f.entity_slug');
  const entity = isOwner
    ? raw('f.entity_slug')
    : raw(`case when h.visibility = 'private' then null else f.entity_slug end as entity_slug`);
  return sql`(select ${raw(COLUMNS)}, ${entity} from facts f
    join sources s on s.id = f.source_id and s.archived_at is null
    ${home} left join pages p on p.id = f.page_id
    where ${isOneOf('f.source_id', scope.sources)}${world} and f.purged_at is null and ${narrow}
      and (f.page_id is null or (p.deleted_at is null${worldPage})))`;
}

/** What a list of facts is narrowed to. */
export interface FactFilter {
  entity?: readonly string[];
  since?: Date;
  sessionId?: string;
  grep?: string;
  /** Also facts that are over. */
  expired?: boolean;
  /** Only facts that another one took the place of. */
  superseded?: boolean;
  /** Facts that held at this moment, as far as is known today. */
  asOf?: Date;
  now: Date;
  limit: number;
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** A fact that holds at a moment. */
export const holds = (now: Date): Sql =>
  sql`f.expired_at is null and f.superseded_by is null and (f.valid_until is null or f.valid_until > ${now})`;

/** A fact that held at a moment: what was forgotten since never did, what was replaced did until then. */
const heldAt = (at: Date): Sql => sql`f.valid_from <= ${at} and (f.valid_until is null or f.valid_until > ${at})
  and (f.expired_at is null or f.expired_at > ${at} or f.superseded_by is not null)
  and not exists (select 1 from fact_withdrawals w where w.source_id = f.source_id and w.fingerprint = f.fingerprint
    and w.entity_slug = coalesce(f.entity_slug, ''))`;

function whereOf(filter: Omit<FactFilter, 'limit'>): Sql {
  const where: Sql[] = [];
  if (filter.asOf) where.push(heldAt(filter.asOf));
  else if (filter.superseded) where.push(raw('f.superseded_by is not null'));
  else if (!filter.expired) where.push(holds(filter.now));
  if (filter.entity) where.push(isOneOf('f.entity_slug', filter.entity));
  if (filter.since) where.push(sql`f.created_at >= ${filter.since}`);
  if (filter.sessionId !== undefined) where.push(sql`f.source_session = ${filter.sessionId}`);
  if (filter.grep !== undefined) where.push(sql`f.fact ilike ${`%${escapeLike(filter.grep)}%`}`);
  return join(where, ' and ');
}

/** A condition on the entity as it is stored. */
const ofEntity = (slugs: readonly string[] | undefined): Sql => (slugs ? isOneOf('f.entity_slug', slugs) : raw('true'));

/** Facts, newest first. */
export const readFacts = (db: Queryable, scope: ReadScope, filter: FactFilter): Promise<FactRecord[]> =>
  db.query<FactRecord>(sql`select f.* from ${visibleFacts(scope, ofEntity(filter.entity))} f
    where ${whereOf(filter)} order by f.created_at desc, f.id desc limit ${filter.limit}`);

/** Ids of facts, newest first. */
export async function readFactIds(db: Queryable, scope: ReadScope, filter: FactFilter): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select f.id from ${visibleFacts(scope, ofEntity(filter.entity))} f
    where ${whereOf(filter)} order by f.created_at desc, f.id desc limit ${filter.limit}`);
  return rows.map(({ id }) => id);
}

/** Those of some facts that the filter takes, in no order. */
export const readFactsOf = (
  db: Queryable,
  scope: ReadScope,
  ids: readonly number[],
  filter: Omit<FactFilter, 'limit'>,
): Promise<FactRecord[]> => {
  const these = sql`f.id = any (${[...ids]}::bigint[])`;
  return db.query<FactRecord>(sql`select f.* from ${visibleFacts(scope, these)} f where ${whereOf(filter)}`);
};

/** One fact that the caller may see. */
export async function readFact(db: Queryable, scope: ReadScope, id: number): Promise<FactRecord | undefined> {
  const [row] = await db.query<FactRecord>(sql`
    select f.* from ${visibleFacts(scope, sql`f.id = ${id}`)} f`);
  return row;
}

/** Which of these slugs have a page that the caller may read, as `source`, a line break and `slug`. */
export async function readEntityPages(db: Queryable, scope: ReadScope, slugs: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ source_id: string; slug: string }>(sql`
    select p.source_id, p.slug from ${visible(scope)} p where p.slug = any (${[...slugs]}::text[])`);
  return rows.map(({ source_id, slug }) => `${source_id}\n${slug}`);
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
    select f.entity_slug, count(*) as count from ${visibleFacts(scope, ofEntity(slugs))} f
    where ${isOneOf('f.entity_slug', slugs)} and ${holds(now)} group by f.entity_slug`);
  return new Map(rows.map((row) => [row.entity_slug, Number(row.count)]));
}

/** Facts told after a place, oldest first; what may still be committed below is left for the next call. */
export function readFactsAfter(
  db: Queryable,
  scope: ReadScope,
  by: { after: { at: Date; id: number }; until: Date; entities?: readonly string[]; now: Date; limit: number },
): Promise<FactRecord[]> {
  const entity = by.entities ? sql` and ${isOneOf('f.entity_slug', by.entities)}` : raw('');
  return db.query<FactRecord>(sql`select f.* from ${visibleFacts(scope, ofEntity(by.entities))} f
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

/** Opens a write: all that it reads and writes is found by keys, so each of its statements is planned once. */
export const openWrite = planOnce;

/** A text about an entity, as duplicates and withdrawals are looked for. */
export interface FactIdentity {
  sourceId: string;
  fingerprint: string;
  entitySlug: string | null;
}

/** What a text says, as standing facts are looked for that say the same or otherwise. */
export interface FactSays extends FactIdentity {
  /** Empty for one that says nothing in words. */
  gist: string;
  dimension: string | null;
  value: string | null;
  /** Visibilities that the writer may know of. */
  visibilities: readonly string[];
  now: Date;
}

/** Writers of the same statement or attribute take turns, so that two at once see each other. */
export const lockMatter = ({ sourceId, gist, dimension }: FactSays): Sql => sql`
  select pg_advisory_xact_lock(hashtextextended(${`facts\n${sourceId}\n${dimension ?? gist}`}, 0))`;

/** A fact that says the same or something of the same attribute. */
export interface RelatedFact {
  id: number;
  entity_slug: string | null;
  fingerprint: string;
  kind: string;
  gist: string | null;
  dimension: string | null;
  value: string | null;
  visibility: string;
  valid_from: Date;
  valid_until: Date | null;
  page_id: number | null;
  source: string;
  trust_tier: string;
  superseded_by: number | null;
  expired_at: Date | null;
  is_withdrawn: boolean;
}

/** Facts of the same text or statement, over or not, and those that hold of the same attribute; the oldest first. */
export const relatedFacts = (of: FactSays): Sql => sql`
  select f.id, f.entity_slug, f.fingerprint, f.kind, f.gist, f.dimension, f.value, f.visibility, f.valid_from,
    f.valid_until, f.page_id, f.source, f.trust_tier, f.superseded_by, f.expired_at,
    exists (select 1 from fact_withdrawals w where w.source_id = f.source_id and w.fingerprint = f.fingerprint
      and w.entity_slug = coalesce(f.entity_slug, '')) as is_withdrawn
  from facts f left join pages p on p.id = f.page_id
  where f.source_id = ${of.sourceId} and (p.id is null or p.deleted_at is null)
    and ${isOneOf('f.visibility', of.visibilities)}
    and ((f.fingerprint = ${of.fingerprint} and coalesce(f.entity_slug, '') = ${of.entitySlug ?? ''})
      or (f.gist = ${of.gist} and ${of.gist}::text <> '')
      or (f.dimension = ${of.dimension}::text
        and (f.expired_at is null or (f.superseded_by is not null and f.value = ${of.value}))))
  order by f.id for update of f`;

/** Free facts that hold, of one entity, by their ids. */
export const nearFacts = (
  of: { sourceId: string; entitySlug: string | null; now: Date },
  ids: readonly number[],
): Sql => sql`
  select f.id, f.fact, f.entity_slug, f.fingerprint, f.kind, f.gist, f.dimension, f.value, f.visibility, f.valid_from,
    f.valid_until, f.page_id, f.source, f.trust_tier, f.superseded_by, f.expired_at, false as is_withdrawn
  from facts f where f.id = any (${[...ids]}::bigint[]) and f.source_id = ${of.sourceId}
    and f.entity_slug is not distinct from ${of.entitySlug}::text and f.page_id is null and ${holds(of.now)}
  order by array_position(${[...ids]}::bigint[], f.id) for update of f`;

/** The fact that holds now in place of one that was replaced, along all that replaced each other, if one does. */
export const heirOf = (id: number, now: Date): Sql => sql`
  with recursive heirs as (
    select f.id, f.superseded_by from facts f where f.id = ${id}
    union select f.id, f.superseded_by from heirs h join facts f on f.id = h.superseded_by)
  select f.id from heirs h join facts f on f.id = h.id
  where f.id <> ${id} and ${holds(now)} limit 1`;

/** Which of these ids are no facts that the scope may see. */
export async function unknownFacts(db: Queryable, scope: ReadScope, ids: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select i.id from unnest(${[...ids]}::bigint[]) i (id)
    where i.id not in (select f.id from ${visibleFacts(scope)} f where f.id = any (${[...ids]}::bigint[]))`);
  return rows.map(({ id }) => id);
}

/** For each fact the premises that do not hold any more, those of its premises included. */
export async function changedPremises(
  db: Queryable,
  ids: readonly number[],
  now: Date,
): Promise<{ id: number; premise: number }[]> {
  return db.query(sql`
    with recursive chain as (
      select f.id, u.premise from facts f cross join unnest(f.premises) u (premise)
      where f.id = any (${[...ids]}::bigint[])
      union
      select c.id, u.premise from chain c join facts f on f.id = c.premise cross join unnest(f.premises) u (premise))
    select distinct c.id, c.premise from chain c left join facts f on f.id = c.premise and ${holds(now)}
    where f.id is null order by c.id, c.premise`);
}

/** The withdrawal of a text, if it was withdrawn. */
export const withdrawalOf = (of: FactIdentity): Sql => sql`
  select fact_id, at from fact_withdrawals where source_id = ${of.sourceId} and fingerprint = ${of.fingerprint}
    and entity_slug = ${of.entitySlug ?? ''}`;

/** A fact by its id, locked, for the write that changes it; visible to the scope. */
export const factForUpdate = (scope: ReadScope, id: number): Sql => sql`
  select o.id, o.entity_slug, o.fingerprint, o.visibility, o.page_id, o.row_num, o.superseded_by, o.expired_at,
    o.expired_reason, o.valid_until, o.source_id,
    exists (select 1 from fact_withdrawals w where w.fact_id = o.id) as is_withdrawn
  from facts o where o.id = ${id} and o.id in (select f.id from ${visibleFacts(scope, sql`f.id = ${id}`)} f)
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
  /** The same fact in every brain; in the order of time, so that neighbours in time stand together in the index. */
  uid: string;
  /** Hash of the text that is embedded. */
  embedHash: string;
  gist: string;
  said: { dimension: string; value: string } | undefined;
  number: { metric: string; value: string; unit: string | null; period: string | null } | undefined;
  premises: readonly number[];
  validFrom: Date;
  /** The fact that held after it, for news of an earlier time. */
  supersededBy: number | null;
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
  /** The conversation that it was said in. */
  sourceSession: string | null;
  reading?: { notability: string; confidence: number; attributedTo: string };
  at: Date;
}

/** A new free fact. */
export const insertFact = (f: NewFact): Sql => sql`
  insert into facts (id, uid, embed_hash, source_id, entity_slug, fact, fingerprint, terms, kind, visibility,
    valid_from, valid_until, source, source_session, content_origin, trust_tier, writer_principal,
    writer_session, writer_sequence, seen_at,
    created_at, gist, dimension, value, premises, claim_metric, claim_value, claim_unit, claim_period, superseded_by,
    expired_at, expired_reason, notability, confidence, attributed_to)
  overriding system value
  values (${f.id}, ${f.uid}, ${f.embedHash}, ${f.sourceId}, ${f.entitySlug}, ${f.fact}, ${f.fingerprint},
    ${[...f.terms]}, ${f.kind}, ${f.visibility}, ${f.validFrom}, ${f.validUntil}, ${f.source}, ${f.sourceSession},
    ${f.contentOrigin},
    ${f.trustTier}, ${f.principal}, ${f.session?.id ?? null}, ${f.session?.sequence ?? null}, ${f.at}, ${f.at},
    ${f.gist || null}, ${f.said?.dimension ?? null}, ${f.said?.value ?? null}, ${[...f.premises]}::bigint[],
    ${f.number?.metric ?? null}, ${f.number?.value ?? null}, ${f.number?.unit ?? null}, ${f.number?.period ?? null},
    ${f.supersededBy}, ${f.supersededBy === null ? null : f.at}, ${f.supersededBy === null ? null : 'superseded'},
    ${f.reading?.notability ?? 'medium'}, ${f.reading?.confidence ?? 1}, ${f.reading?.attributedTo ?? null})`;

/** The same text was told again: it is seen anew and holds as long as the longer of the two. */
export const seeAgain = (id: number, validUntil: Date | null, at: Date): Sql => sql`
  update facts set seen_count = seen_count + 1, seen_at = ${at}, valid_until = ${validUntil} where id = ${id}`;

/** A fact ends; `by` is the one that took its place, which holds `since` a moment that may lie before this one. */
export const endFact = (id: number, at: Date, how: { by?: number; reason?: string; since?: Date }): Sql => sql`
  update facts set expired_at = ${at}, superseded_by = coalesce(${how.by ?? null}::bigint, superseded_by),
    expired_reason = ${how.reason ?? null},
    valid_until = least(valid_until, greatest(valid_from, ${how.since ?? at}::timestamptz(3)))
    where id = ${id}`;

/** Withdraws a text: nothing brings it back. */
export const withdraw = (
  of: FactIdentity,
  by: { factId: number; reason?: string; principal: string; at: Date },
): Sql => sql`
  insert into fact_withdrawals (source_id, fingerprint, entity_slug, fact_id, reason, principal, at)
  values (${of.sourceId}, ${of.fingerprint}, ${of.entitySlug ?? ''}, ${by.factId}, ${by.reason ?? null},
    ${by.principal}, ${by.at})
  on conflict do nothing`;

/**
 * Makes the rows of a page those of its fence. A row keeps its id under its number; one that the fence no longer
 * states is over, and so is one whose text was withdrawn.
 */
export function replacePageFacts(key: PageKey, facts: readonly PageFact[], at: Date): Sql[] {
  const nums = facts.map((fact) => fact.row_num);
  const gone = sql`update facts set expired_at = ${at}, expired_reason = 'removed from its page'
    where page_id = ${key.id} and expired_at is null and row_num <> all (${nums}::integer[])`;
  const statements = key.isNew ? [] : [gone];
  if (facts.length === 0) return statements;
  const upsert = sql`insert into facts (source_id, entity_slug, page_id, row_num, fact, fingerprint, terms, kind,
      visibility, notability, context, valid_from, valid_until, source, confidence, claim_metric, claim_value,
      claim_unit, claim_period, gist, dimension, value, attributed_to, expired_at, expired_reason, content_origin,
      trust_tier,
      writer_principal, writer_session, writer_sequence, seen_at, created_at)
    select ${key.sourceId}, ${key.slug}, p.id, r.row_num, r.fact, r.fingerprint, r.terms, r.kind, r.visibility,
      r.notability, r.context, coalesce(r.valid_from, p.effective_date, ${at}::timestamptz(3)), r.valid_until, r.source,
      r.confidence, r.claim_metric, r.claim_value, r.claim_unit, r.claim_period, r.gist, r.dimension, r.value,
      r.attributed_to,
      case when r.is_over or w.at is not null then coalesce(w.at, ${at}::timestamptz(3)) end,
      case when r.is_over or w.at is not null then coalesce(r.reason, w.reason) end, p.content_origin, p.trust_tier,
      p.writer_principal, p.writer_session, p.writer_sequence, ${at}::timestamptz(3), ${at}::timestamptz(3)
    from jsonb_to_recordset(${JSON.stringify(facts)}::text::jsonb) as r (row_num integer, fact text, fingerprint text,
      terms text[], kind text, visibility text, notability text, context text, valid_from timestamptz,
      valid_until timestamptz, source text, confidence double precision, claim_metric text, claim_value text,
      claim_unit text, claim_period text, gist text, dimension text, value text, attributed_to text, is_over boolean,
      reason text)
    join pages p on p.id = ${key.id}
    left join fact_withdrawals w on w.source_id = ${key.sourceId} and w.fingerprint = r.fingerprint
      and w.entity_slug = ${key.slug}
    on conflict (page_id, row_num) do update set entity_slug = excluded.entity_slug, fact = excluded.fact,
      fingerprint = excluded.fingerprint, terms = excluded.terms, kind = excluded.kind,
      visibility = excluded.visibility, notability = excluded.notability, context = excluded.context,
      valid_from = excluded.valid_from, valid_until = excluded.valid_until, source = excluded.source,
      confidence = excluded.confidence, claim_metric = excluded.claim_metric, claim_value = excluded.claim_value,
      claim_unit = excluded.claim_unit, claim_period = excluded.claim_period, gist = excluded.gist,
      dimension = excluded.dimension, value = excluded.value, attributed_to = excluded.attributed_to,
      expired_at = case when excluded.expired_at is null then null
        else coalesce(facts.expired_at, excluded.expired_at) end,
      expired_reason = excluded.expired_reason, superseded_by = null, content_origin = excluded.content_origin,
      trust_tier = excluded.trust_tier, writer_principal = excluded.writer_principal,
      writer_session = excluded.writer_session, writer_sequence = excluded.writer_sequence`;
  const replaced = facts.filter((fact) => fact.superseded_by_row !== null);
  if (replaced.length === 0) return [...statements, upsert];
  const link = sql`update facts f set superseded_by = n.id
    from unnest(${replaced.map((one) => one.row_num)}::integer[],
      ${replaced.map((one) => one.superseded_by_row)}::integer[]) as r (row_num, by_row)
    join facts n on n.page_id = ${key.id} and n.row_num = r.by_row
    where f.page_id = ${key.id} and f.row_num = r.row_num and n.id <> f.id`;
  return [...statements, upsert, link];
}
