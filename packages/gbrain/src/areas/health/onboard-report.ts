// The gaps of a brain with their remedies and costs, and the first-run questions that are still open.
import type { RenderedAction } from '@gbrain/wire/action';
import { renderAction } from '@gbrain/wire/render-action';
import type { Context } from '../../context.ts';
import { type FixSpec, toAction } from '../../fix.ts';
import { mutedFor, readMuted } from '../../home/muted.ts';
import { readCoverage } from '../vectors/coverage.ts';
import { readConnectedness } from './health.sql.ts';
import { type Gap, gapsOf, type OnboardCounts } from './onboarding.ts';
import { callerConnection } from './render-rows.ts';

/** What a remedy costs: `local` runs on this machine at no cost, `paid` calls a provider. */
export type RemedyCost = 'local' | 'paid';

/** A gap with its remedy. */
export interface Opportunity {
  id: Gap;
  message: string;
  have: number;
  of: number;
  cost: RemedyCost;
  fix?: RenderedAction;
}

/** A question of the first run that the user has not answered. */
export interface OpenDecision {
  id: 'writeback';
  question: string;
  muted: boolean;
  fix?: RenderedAction;
}

/** What `gbrain onboard --check` says. */
export interface OnboardReport {
  counts: OnboardCounts;
  opportunities: Opportunity[];
  decisions: OpenDecision[];
}

/** Figures of the whole brain; the owner's machine sees them all. */
export async function readOnboardCounts(ctx: Context): Promise<OnboardCounts> {
  const figures = await readConnectedness(ctx.brain.store, 'all');
  const { live, waiting, chunks } = await readCoverage(ctx.brain.store, ctx.host);
  return {
    pages: figures.pages,
    links: figures.edges,
    entities: figures.entities,
    entities_linked: figures.entitiesLinked,
    entities_dated: figures.entitiesDated,
    chunks,
    chunks_waiting: live === undefined ? 0 : waiting.chunks,
  };
}

const LINK: FixSpec = {
  call: { op: 'find_orphans', input: { limit: 20 } },
  why: 'It lists pages that nothing points to; a [[link]] in a page that speaks of them connects them.',
};

function opportunityOf(gap: Gap, counts: OnboardCounts): Omit<Opportunity, 'fix'> & { spec: FixSpec } {
  const { pages, entities, entities_linked, entities_dated } = counts;
  const local = { id: gap, cost: 'local' as const };
  if (gap === 'features_auto_fix') {
    return { ...local, message: `none of ${pages} pages links to another`, have: 0, of: pages, spec: LINK };
  }
  if (gap === 'onboard_link_coverage') {
    const message = `${entities - entities_linked} of ${entities} people and companies without a link to them`;
    return { ...local, message, have: entities_linked, of: entities, spec: LINK };
  }
  if (gap === 'onboard_stale_chunks') {
    const { chunks, chunks_waiting } = counts;
    return {
      id: gap,
      cost: 'paid',
      message: `${chunks_waiting} of ${chunks} pieces of text wait for an embedding`,
      have: chunks - chunks_waiting,
      of: chunks,
      spec: {
        call: { op: 'embed', input: { stale: true, dry_run: true } },
        why: 'It shows what waits and what it may cost; it calls nobody.',
      },
    };
  }
  return {
    ...local,
    message: `${entities - entities_dated} of ${entities} people and companies without a dated entry`,
    have: entities_dated,
    of: entities,
    spec: {
      call: { op: 'list_pages', input: { type: 'person', limit: 50 } },
      why: 'It lists the people; a dated line under "Timeline" in a page is an entry.',
    },
  };
}

/** First-run questions without an answer; a muted one says how it is shown again. */
async function openDecisions(ctx: Context): Promise<(Omit<OpenDecision, 'fix'> & { spec: FixSpec })[]> {
  const { value } = await ctx.host.setting('memory.auto_writeback');
  if (value !== undefined) return [];
  const muted = mutedFor(await readMuted(ctx.host.home), 'global').has('first_run_decisions');
  const spec: FixSpec = muted
    ? {
        call: { op: 'notices_unmute', input: { code: 'first_run_decisions' } },
        why: 'The question was muted; this shows it again.',
      }
    : {
        call: { op: 'config_set', input: { key: 'memory.auto_writeback', value: 'salient' } },
        actor: 'user',
        why: 'Agents then save lasting facts that the user states, each with its source. It is the user who decides.',
        userMessage: 'May your agents save lasting facts that you state (preferences, decisions) without being asked?',
      };
  return [{ id: 'writeback', question: 'May agents save facts that the user states?', muted, spec }];
}

/** The report. It reads, and calls no provider. */
export async function onboardReport(ctx: Context): Promise<OnboardReport> {
  const counts = await readOnboardCounts(ctx);
  const connection = await callerConnection(ctx);
  const withFix = <T extends { spec: FixSpec }>({ spec, ...row }: T): Omit<T, 'spec'> & { fix?: RenderedAction } => {
    const action = toAction(ctx.host.registry, spec);
    const fix = action && renderAction(action, connection);
    return { ...row, ...(fix && { fix }) };
  };
  return {
    counts,
    opportunities: gapsOf(counts).map((gap) => withFix(opportunityOf(gap, counts))),
    decisions: (await openDecisions(ctx)).map(withFix),
  };
}
