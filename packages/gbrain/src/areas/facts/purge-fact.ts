// Purging a fact: its words go from every row of its source that has them, from the index, the vectors, the exports and
// the receipts. The row stays without words, so that what refers to it still does, and a digest keeps the text from
// coming back. A fact of a page has its home there.
import type { ConsentRequest } from '@gbrain/wire/envelope';
import { planHash } from '@gbrain/wire/plan-hash';
import type { Approval } from '../../call.ts';
import { callArgv } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import { toAction } from '../../fix.ts';
import { counted } from '../../row-text.ts';
import type { Tx } from '../../store/store.ts';
import { dropVectorsOf } from '../vectors/stored-vectors.ts';
import { blankReasons } from '../writes/receipts.ts';
import { submitWrite } from '../writes/submit.ts';
import { commitFact, type FactChange } from './commit-fact.ts';
import { fingerprintOf } from './fact.ts';
import { withdraw } from './facts.sql.ts';
import { blankFacts, blankWithdrawals, readQuotingPages, readWords, sameWords, type WordsRow } from './purge.sql.ts';
import { dropTold } from './recent-recalls.ts';
import { refuseUnknown } from './remembered.ts';

/** What stands in the place of the words. */
const BLANK = '[purged]';
/** Pages that a reply names. */
const PAGES_MAX = 20;

/** What a purge takes away, and what it cannot reach. */
export interface PurgePlan {
  id: number;
  /** It was purged before. */
  isDone: boolean;
  /** Rows whose words go. */
  rows: readonly WordsRow[];
  /** Pages that state or quote it, deleted ones and earlier versions included: the words stay there. */
  stillIn: readonly string[];
}

/** Refuses a fact of a page, and says where it stands. */
function refuseOfPage(id: number, slug: string): never {
  return raise('invalid_params', {
    tool: 'purge_fact',
    param: 'id',
    problem: 'shape',
    reason: 'page_fact',
    message: `page_fact: fact ${id} stands in the page ${slug}, which is its home; nothing was purged.`,
    advice: `Take its row out of the page's facts. Earlier versions of the page keep it, as they keep all text.`,
    fix: { call: { op: 'get_page', input: { slug } }, why: 'It shows the page with the row. Nothing was changed.' },
  });
}

/** What a purge of a fact would do. Raises `not_found`, and `invalid_params` for a fact of a page. */
export async function planPurge(ctx: Context, id: number): Promise<PurgePlan> {
  const { store } = ctx.brain;
  const { source } = ctx.target;
  const fact = await readWords(store, source, id);
  if (!fact) return refuseUnknown(id);
  if (fact.purged_at) return { id, isDone: true, rows: [], stillIn: [] };
  if (fact.page_slug !== null) refuseOfPage(id, fact.page_slug);
  const [same = []] = await store.batch([sameWords(source, fact.fingerprint)]);
  const rows = same as unknown as WordsRow[];
  const quoting = await readQuotingPages(store, source, fact.fact, PAGES_MAX);
  const stated = rows.flatMap(({ page_slug }) => page_slug ?? []);
  return {
    id,
    isDone: false,
    rows: rows.filter(({ page_slug }) => page_slug === null),
    stillIn: [...new Set([...stated, ...quoting])].sort().slice(0, PAGES_MAX),
  };
}

const hashOf = (ctx: Context, { id, rows }: PurgePlan): string =>
  planHash(
    {
      brain: ctx.brain.brainId,
      source: ctx.target.source,
      operation: 'purge_fact',
      records: rows.map((row) => ({ id: String(row.id), revision: row.uid, source_incarnation: null })),
      parameters: { id },
      effects: ['destructive'],
    },
    ctx.host.sha256,
  );

/** The agreement that a purge needs: the plan as it is now, by its hash. It names no word of what goes. */
export async function purgeConsent(
  ctx: Context,
  id: number,
  { input, approval }: { input: Record<string, unknown>; approval: Approval | undefined },
): Promise<ConsentRequest | undefined> {
  const plan = await planPurge(ctx, id);
  if (plan.isDone) return undefined;
  const { registry } = ctx.host;
  const operation = registry.operation('purge_fact')!;
  const hash = hashOf(ctx, plan);
  const argv = callArgv(operation, { ...input, dry_run: true });
  const preview = [...argv.slice(0, 2), '--json', ...argv.slice(2)];
  if (approval?.expect !== undefined && approval.expect !== hash) {
    raise('preview_changed', { operation: 'purge_fact', preview, reason: 'changed' });
  }
  const others = plan.rows.length - 1;
  const more = others > 0 ? ` and ${counted(others, 'other row')} with the same words` : '';
  const why = `It takes the words of fact ${id}${more} away for good.`;
  const call = { op: 'purge_fact', input };
  const approve = toAction(registry, { call, consent: ['destructive'], actor: 'user', why })!;
  return {
    effects: ['destructive'],
    actor: 'user',
    what: `Purging fact ${id}`,
    why,
    risk:
      'Nothing brings the words back. Exports and backups that were made before keep them' +
      (plan.stillIn.length > 0 ? `, and so do the pages ${plan.stillIn.join(', ')}.` : '.'),
    est_usd: null,
    user_message: `Take the words of fact ${id}${more} away for good? Nothing brings them back.`,
    approve,
    preview_argv: preview,
    plan_hash: hash,
  };
}

async function decide(tx: Tx, ctx: Context, id: number, by: { at: Date; principal: string }): Promise<FactChange> {
  const { source } = ctx.target;
  const fact = await readWords(tx, source, id);
  if (!fact) return refuseUnknown(id);
  if (fact.purged_at) return { statements: [], outcome: { id: String(id), purged: [] } };
  if (fact.page_slug !== null) refuseOfPage(id, fact.page_slug);
  const [same = []] = await tx.batch([sameWords(source, fact.fingerprint)]);
  const rows = (same as unknown as WordsRow[]).filter(({ page_slug }) => page_slug === null);
  const ids = rows.map((row) => row.id);
  const about = new Map(rows.map((row) => [row.entity_slug, row.id]));
  const withdrawals = [...about].map(([entitySlug, factId]) =>
    withdraw({ sourceId: source, fingerprint: fact.fingerprint, entitySlug }, { factId, ...by }),
  );
  return {
    statements: [
      ...withdrawals,
      blankWithdrawals(source, fact.fingerprint),
      blankFacts(ids, { text: BLANK, fingerprint: fingerprintOf(BLANK) }, by.at),
      ...dropVectorsOf(rows.flatMap(({ embed_hash }) => embed_hash ?? [])),
      blankReasons(ids.map(String)),
    ],
    outcome: { id: String(id), purged: ids.map(String) },
  };
}

/** Purges what was planned; the rows are those of the moment. Gives their ids. */
export async function purgeFact(ctx: Context, id: number): Promise<string[]> {
  const at = { operation: 'purge_fact', slug: '', input: { id: String(id) } };
  const committed = await submitWrite(ctx, at, (admitted, signal) => {
    const by = { at: admitted.at, principal: admitted.writer.principal };
    const write = { ...admitted, ...at, scope: ctx.scope };
    return commitFact(ctx.brain.store, write, { decide: (tx) => decide(tx, ctx, id, by) }, { signal });
  });
  const purged = committed.outcome.purged as string[];
  dropTold(ctx.brain.store, new Set(purged));
  return purged;
}
