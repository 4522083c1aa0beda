// Statements that compare facts with each other over time: what stands against each other, and values by date.
import type { ReadScope } from '../../context.ts';
import { raw, sql } from '../../store/sql.ts';
import type { Queryable } from '../../store/store.ts';
import { type FactRecord, holds, visibleFacts } from './facts.sql.ts';

/** Facts of one attribute of which at least two hold with different values, attribute by attribute, newest first. */
export function readClashes(
  db: Queryable,
  scope: ReadScope,
  by: { slug?: string; now: Date; limit: number },
): Promise<FactRecord[]> {
  const world = scope.visibility === 'all' ? raw('') : raw(` and f.visibility = 'world'`);
  const only = by.slug === undefined ? raw('') : sql` and f.entity_slug = ${by.slug}`;
  return db.query<FactRecord>(sql`
    with disputed as (
      select f.source_id, f.dimension, max(f.created_at) as newest from facts f
      where f.source_id = any (${[...scope.sources]}::text[])${world} and f.dimension is not null and ${holds(by.now)}
      group by f.source_id, f.dimension
      having min(f.value) <> max(f.value) and count(*) filter (where true${only}) > 0
      order by newest desc, f.dimension limit ${by.limit})
    select f.* from disputed d join lateral ${visibleFacts(scope, raw('f.dimension = d.dimension'))} f
      on f.source_id = d.source_id
    where ${holds(by.now)}
    order by d.newest desc, f.dimension, f.created_at desc, f.id desc limit 2000`);
}

/** What a series of values is narrowed to. */
export interface SeriesFilter {
  slug: string;
  metric?: string;
  kind?: string;
  since?: Date;
  until?: Date;
  limit: number;
}

/** Facts of an entity with a value that is a number, those that were replaced included and the forgotten left out. */
export function readSeries(db: Queryable, scope: ReadScope, by: SeriesFilter): Promise<FactRecord[]> {
  const metric = by.metric === undefined ? raw('') : sql` and lower(f.claim_metric) = lower(${by.metric})`;
  const kind = by.kind === undefined ? raw('') : sql` and f.kind = ${by.kind}`;
  const since = by.since ? sql` and f.valid_from >= ${by.since}` : raw('');
  const until = by.until ? sql` and f.valid_from <= ${by.until}` : raw('');
  return db.query<FactRecord>(sql`
    select f.* from ${visibleFacts(scope, sql`f.entity_slug = ${by.slug}`)} f
    where f.entity_slug = ${by.slug} and f.claim_metric is not null and f.claim_value is not null
      and (f.expired_at is null or f.superseded_by is not null)
      and not exists (select 1 from fact_withdrawals w where w.source_id = f.source_id
        and w.fingerprint = f.fingerprint and w.entity_slug = coalesce(f.entity_slug, ''))
      ${metric}${kind}${since}${until}
    order by f.valid_from desc, f.id desc limit ${by.limit}`);
}
