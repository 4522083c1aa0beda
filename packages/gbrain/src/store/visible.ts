// The one visibility rule as a relation: every read of every area starts from it, and it asks for a ReadScope.
import type { ReadScope } from '../context.ts';
import { isOneOf, raw, sql } from './sql.ts';
import type { Sql } from './store.ts';

/**
 * Live pages of live sources of the scope; private ones only for the owner.
 * With `deleted` it holds tombstones too.
 */
export function visible(scope: ReadScope, options: { deleted?: boolean } = {}): Sql {
  const rows = options.deleted
    ? raw('(select p.* from pages p join sources s on s.id = p.source_id where s.archived_at is null)')
    : raw('live_pages');
  const world = scope.visibility === 'all' ? raw('') : raw(` and v.visibility = 'world'`);
  return sql`(select v.* from ${rows} v where ${isOneOf('v.source_id', scope.sources)}${world})`;
}
