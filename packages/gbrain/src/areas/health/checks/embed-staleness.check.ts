// embed_staleness: how many pages wait for their vectors, and whether making them works.
import { derivedCapUsd, formatCapUsd } from '@gbrain/wire/caps';
import { type CheckResult, defineCheck } from '../../../check.ts';
import type { FixSpec } from '../../../fix.ts';
import type { Host } from '../../../host.ts';
import { ProviderFault } from '../../../providers/provider-fault.ts';
import { counted } from '../../../row-text.ts';
import type { Store } from '../../../store/store.ts';
import { aboutUsd } from '../../spend/prices.ts';
import { type Coverage, readCoverage } from '../../vectors/coverage.ts';
import { type EmbedPlan, planFor, whyEmbed } from '../../vectors/embed-plan.ts';
import { wantedEmbedder } from '../../vectors/embedder.ts';

/** What the settings ask for; undefined where no model can be called. Only a local model is asked for its size. */
async function wantedPlan(store: Store, host: Host): Promise<EmbedPlan | undefined> {
  try {
    const embedder = await wantedEmbedder(host);
    return 'none' in embedder ? undefined : await planFor(store, embedder, { stale: true });
  } catch (error) {
    if (error instanceof ProviderFault) return undefined;
    throw error;
  }
}

/** The run that gives texts their vectors: a local model costs nothing, any other is asked for with its cap. */
function embedFix(plan: EmbedPlan): FixSpec {
  const { embedder, waiting, estUsd } = plan;
  const call = { op: 'embed', input: { stale: true } };
  const preview = { op: 'embed', input: { stale: true, dry_run: true } };
  if (embedder.model.isFree) return { call, preview, why: whyEmbed(plan) };
  const cap = estUsd === null ? [] : ['--max-usd', formatCapUsd(derivedCapUsd(estUsd))];
  return {
    call,
    preview,
    argvTail: [...cap, '--yes'],
    consent: ['paid'],
    why: whyEmbed(plan),
    userMessage:
      `${counted(waiting.texts, 'text')} of your brain cannot be found by meaning yet. ` +
      `Embedding them will cost ${aboutUsd(estUsd)}. OK to proceed?`,
    ...(estUsd !== null && { estUsd }),
  };
}

function describe({ refused, live, building, fault }: Coverage, plan: EmbedPlan | undefined): string {
  const waiting = plan?.waiting.texts ?? 0;
  const parts = [
    live === undefined ? 'nothing is embedded yet' : `${live} is searched`,
    ...(plan && waiting > 0 ? [whyEmbed(plan).replace(/\.$/, '')] : []),
    ...(live !== undefined && waiting === 0 ? ['every text has its vector'] : []),
    ...(refused > 0 ? [`the provider gave none for ${counted(refused, 'text')}`] : []),
    ...(building ? [`${building} is being built beside it`] : []),
    ...(fault ? [`the last try ended with ${fault}`] : []),
  ];
  return parts.join('; ');
}

export default defineCheck({
  name: 'embed_staleness',
  category: 'brain',
  summary: 'How many texts wait for their vectors, and how the last try to make some ended.',
  requirement: 'facts/user-faults P37; facts/contract K.4',
  needsBrain: true,
  run: async ({ brain, host }): Promise<CheckResult> => {
    const coverage = await readCoverage(brain.store, host);
    const plan = await wantedPlan(brain.store, host);
    if (coverage.live === undefined && !plan) return { status: 'ok', message: 'no embedding model is used' };
    const found = { message: describe(coverage, plan), details: { ...coverage } };
    if (!plan || plan.waiting.texts === 0) return { status: 'ok', ...found };
    return { status: 'warn', ...found, fix: embedFix(plan) };
  },
});
