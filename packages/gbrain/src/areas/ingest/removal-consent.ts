// When a run would remove so much that somebody has to agree first, and what changed since they were asked.
import type { ConsentRequest } from '@gbrain/wire/envelope';
import { type PlanRecord, planHash } from '@gbrain/wire/plan-hash';
import type { Approval } from '../../call.ts';
import { callArgv } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import { toAction } from '../../fix.ts';
import { counted } from '../../row-text.ts';
import {
  countSourcePages,
  keepShownPlan,
  type PlanRecords,
  readShownPlan,
  readSourceIncarnation,
} from './plans.sql.ts';
import type { FileRecord } from './verdict.ts';

/** More than this share of a source's pages, and more than this many: then it asks. Source: design/decisions 20. */
const MASS_SHARE = 0.2;
const MASS_PAGES = 10;

/** Slugs that a change list names of each kind. */
const NAMED = 10;

/** True when a removal is of the size that a mistake has. */
export const isMassRemoval = (removed: number, pages: number): boolean =>
  removed > MASS_PAGES && removed > pages * MASS_SHARE;

/** The run that would remove pages. */
export interface RemovalAsk {
  operation: string;
  input: Record<string, unknown>;
  sourceId: string;
  root: string;
  gone: readonly FileRecord[];
  approval?: Approval | undefined;
}

const names = (label: string, slugs: readonly string[]): string[] => {
  if (slugs.length === 0) return [];
  const more = slugs.length > NAMED ? ` and ${slugs.length - NAMED} more` : '';
  return [`${label}: ${slugs.slice(0, NAMED).join(', ')}${more}`];
};

/** What a plan has gained, lost and holds in another state since it was shown, as short lines. */
export function describeChanges(shown: PlanRecords, now: PlanRecords): string[] {
  const added = Object.keys(now).filter((slug) => !(slug in shown));
  const dropped = Object.keys(shown).filter((slug) => !(slug in now));
  const changed = Object.keys(now).filter((slug) => slug in shown && shown[slug] !== now[slug]);
  return [
    ...names('would be removed too', added.sort()),
    ...names('would stay', dropped.sort()),
    ...names('has been written since', changed.sort()),
  ];
}

/**
 * What a removal needs agreement to; undefined when nothing. Raises `preview_changed` with what changed when the plan
 * that was approved is not the plan any more.
 */
export async function removalConsent(ctx: Context, ask: RemovalAsk): Promise<ConsentRequest | undefined> {
  const { store, brainId } = ctx.brain;
  const { sourceId, gone, approval, operation } = ask;
  const pages = await countSourcePages(store, sourceId);
  const isMass = isMassRemoval(gone.length, pages);
  if (!isMass && approval?.expect === undefined) return undefined;
  const incarnation = await readSourceIncarnation(store, sourceId);
  const records = gone.map(
    ({ slug, revision }): PlanRecord => ({ id: slug, revision, source_incarnation: incarnation }),
  );
  const hash = planHash(
    {
      brain: brainId,
      source: sourceId,
      operation,
      records,
      parameters: { root: ask.root },
      effects: ['destructive'],
    },
    ctx.host.sha256,
  );
  const { registry } = ctx.host;
  const found = registry.operation(operation);
  const preview = found && callArgv(found, { ...ask.input, dry_run: true });
  const revisions = Object.fromEntries(gone.map(({ slug, revision }) => [slug, revision]));
  if (approval?.expect !== undefined && approval.expect !== hash) {
    const shown = await readShownPlan(store, approval.expect);
    raise('preview_changed', {
      operation,
      preview: preview && [...preview.slice(0, 2), '--json', ...preview.slice(2)],
      reason: shown ? 'changed' : 'missing',
      ...(shown && { changes: describeChanges(shown, revisions) }),
    });
  }
  if (!isMass) return undefined;
  const isApproved = approval?.yes === true && approval.expect === hash;
  if (!isApproved) {
    await store.batch(keepShownPlan({ hash, operation, sourceId, records: revisions, at: ctx.now() }));
  }
  const share = Math.round((gone.length / Math.max(pages, 1)) * 100);
  const approve = toAction(registry, {
    call: { op: operation, input: ask.input },
    consent: ['destructive'],
    why: `It removes ${counted(gone.length, 'page')} whose files are gone from ${ask.root}.`,
  });
  if (!approve) throw new Error(`${operation} is not registered`);
  return {
    effects: ['destructive'],
    actor: 'agent',
    what: `Removing ${gone.length} of ${pages} pages`,
    why: `${gone.length} files (${share} % of source ${sourceId}) are gone from ${ask.root}.`,
    risk: 'The pages get tombstones and leave search; restore_page brings each of them back.',
    est_usd: null,
    user_message:
      `${gone.length} of ${pages} files are gone from ${ask.root}. If the folder is incomplete or a disk is not ` +
      'mounted, say no; otherwise I remove their pages from the brain too.',
    approve,
    ...(preview && { preview_argv: [...preview.slice(0, 2), '--json', ...preview.slice(2)] }),
    plan_hash: hash,
  };
}
