// What an answer is written from: pages and facts that the caller may see, each under the name by which it is cited.
import type { Context } from '../../context.ts';
import { cardOf } from '../entities/card.ts';
import { resolveEntity } from '../entities/resolve-entity.ts';
import { factViews } from '../facts/fact-views.ts';
import { factsOfEntity, findFacts } from '../facts/find-facts.ts';
import { questionVector } from '../facts/near-facts.ts';
import { bullet, factBullet, toldBy } from '../facts/pack-text.ts';
import { runSearch } from '../search/run-search.ts';

/** One piece of evidence. */
export interface Evidence {
  /** What a citation names: a page's slug, or `fact:12`. */
  readonly id: string;
  readonly kind: 'page' | 'fact' | 'card';
  /** The page that a reader is led to; absent for a fact of no page. */
  readonly slug?: string;
  readonly title?: string;
  readonly date?: string;
  /** Whose words they are, when they are not the owner's. */
  readonly toldBy?: string;
  readonly text: string;
}

/** What was asked. */
export interface EvidenceAsk {
  readonly question: string;
  readonly anchor?: string;
  /** Days, as `YYYY-MM-DD`. */
  readonly since?: string;
  readonly until?: string;
}

/** Pages and facts that take part. Source: facts/engine F.1 (at most 40 items). */
const PAGES_MAX = 20;
const FACTS_MAX = 20;
/** Characters of evidence that are sent; the best stand first, so the last are left out. */
const CHARS_MAX = 48_000;

const isWithin = (date: string, { since, until }: EvidenceAsk): boolean =>
  (since === undefined || date >= since) && (until === undefined || date <= until);

async function pagesFor(ctx: Context, ask: EvidenceAsk): Promise<Evidence[]> {
  const { rows } = await runSearch(ctx, {
    query: ask.question,
    limit: PAGES_MAX,
    token_budget: CHARS_MAX / 4,
    // An answer is one model call: the model that writes it reads all of these rows, whatever their order.
    rerank: false,
    ...(ask.since !== undefined && { since: ask.since }),
    ...(ask.until !== undefined && { until: ask.until }),
  });
  return rows.map((row) => {
    const told = toldBy({ ...row, ...(typeof row.origin === 'string' && { origin: row.origin }) });
    return {
      id: row.slug,
      kind: 'page',
      slug: row.slug,
      title: row.title,
      ...(row.effective_date !== null && { date: row.effective_date }),
      ...(told !== undefined && { toldBy: told }),
      text: row.chunk_text,
    };
  });
}

async function factsFor(ctx: Context, ask: EvidenceAsk): Promise<Evidence[]> {
  const found = await findFacts(ctx.brain.store, ctx.scope, {
    query: ask.question,
    vector: await questionVector(ctx, ask.question),
    now: ctx.now(),
    limit: FACTS_MAX,
  });
  return toEvidence(ctx, found, ask);
}

async function toEvidence(ctx: Context, rows: Parameters<typeof factViews>[1], ask: EvidenceAsk): Promise<Evidence[]> {
  const views = await factViews(ctx, rows);
  return views
    .map((fact): Evidence => {
      const told = toldBy(fact);
      return {
        id: `fact:${fact.fact_id}`,
        kind: 'fact',
        ...(fact.entity_slug !== null && { slug: fact.entity_slug }),
        date: fact.valid_from.slice(0, 10),
        ...(told !== undefined && { toldBy: told }),
        text: `${factBullet(fact).slice(2)} (confidence ${fact.confidence.toFixed(2)})`,
      };
    })
    .filter(({ date }) => isWithin(date!, ask));
}

/** The card and the facts of the entity that the question turns on. */
async function anchored(ctx: Context, ask: EvidenceAsk): Promise<Evidence[]> {
  if (ask.anchor === undefined) return [];
  const found = await resolveEntity(ctx.brain.store, ctx.scope, ask.anchor);
  const card = found.kind === 'page' ? await cardOf(ctx, ctx.scope, found.page) : undefined;
  if (!card) return [];
  const { slug, title } = card.entity;
  const edges = card.edges.map((edge) => bullet(`${edge.type} ${edge.direction}: ${edge.slug}`, edge.context));
  const threads = card.open_threads.map((thread) => bullet(thread.date, thread.kind, thread.text));
  const told = toldBy(card.marks);
  const { facts } = await factsOfEntity(ctx.brain.store, ctx.scope, slug, ctx.now());
  const text = [card.summary, ...edges, ...threads].filter((line) => line !== '').join('\n');
  return [
    { id: slug, kind: 'card', slug, title, ...(told !== undefined && { toldBy: told }), text },
    ...(await toEvidence(ctx, facts.slice(0, FACTS_MAX), ask)),
  ];
}

/** Evidence for a question, best first, pages and facts in turn; nothing twice, and no more than fits. */
export async function gatherEvidence(ctx: Context, ask: EvidenceAsk): Promise<Evidence[]> {
  const [anchor, pages, facts] = [await anchored(ctx, ask), await pagesFor(ctx, ask), await factsFor(ctx, ask)];
  const inTurn = Array.from({ length: Math.max(pages.length, facts.length) }, (_, i) => [pages[i], facts[i]]).flat();
  const seen = new Set<string>();
  const kept: Evidence[] = [];
  let chars = 0;
  for (const item of [...anchor, ...inTurn]) {
    if (!item || seen.has(`${item.kind} ${item.id}`)) continue;
    chars += item.text.length;
    if (kept.length > 0 && chars > CHARS_MAX) break;
    seen.add(`${item.kind} ${item.id}`);
    kept.push(item);
  }
  return kept;
}
