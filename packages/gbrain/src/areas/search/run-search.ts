// One search from words to rows: the index ranks, the database gives the text that this caller may see, a budget packs.
import type { Context } from '../../context.ts';
import type { RankedPage, SearchReply } from '../../index/lexical-index.ts';
import { denialOf } from '../../pipeline/access.ts';
import { writePageId } from '../pages/page-id.ts';
import { type TrustMarks, trustMarks } from '../pages/trust-marks.ts';
import { excerptOf, readLinks } from './excerpt.ts';
import { MODES, modeOf } from './modes.ts';
import { type HitRow, readEdges, readHits } from './search.sql.ts';
import { type Degraded, isSalvaged, openVectorArm } from './vector-arm.ts';

/** What was asked, typed. */
export interface SearchInput {
  query: string;
  limit?: number | undefined;
  offset?: number | undefined;
  types?: readonly string[] | undefined;
  since?: string | undefined;
  until?: string | undefined;
  snippet_chars?: number | undefined;
  token_budget?: number | undefined;
  fields?: 'lean' | 'full' | undefined;
  explain?: boolean | undefined;
}

/** A row of an answer. Keys with no value are left out, `effective_date` excepted. */
export interface SearchRow extends TrustMarks {
  [key: string]: unknown;
  slug: string;
  title: string;
  type: string;
  chunk_text: string;
  score: number;
  effective_date: string | null;
  source_id: string;
  chunk_id: number;
  evidence: string;
  create_safety: string;
}

/** A chunk's text is cut to this unless the caller asks for more. */
const SNIPPET_CHARS = 1_200;
/** Rows that are read beyond the wanted ones, because some may be hidden or gone by the time their text is read. */
const SPARE_ROWS = 5;

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

const significant = (value: number): number => Number(value.toPrecision(4));

/** What was asked, and the words that were looked for. */
interface Asked {
  input: SearchInput;
  words: readonly string[];
  /** Terms of the question, in the order of the bits of a row. */
  terms: SearchReply['terms'];
}

/** How a row came to its place. */
export interface Explanation {
  tier: 'identity' | 'structure' | 'related' | 'text';
  /** Score of the words alone, before any stage moved the row. */
  lexical: number;
  closeness: number | null;
  matched: string[];
  missing: string[];
  /** What the stages did to the row, in order. */
  stages: { stage: string; note: string }[];
}

const TIERS = ['text', 'related', 'structure', 'identity'] as const;

function explanationOf({ figures, marks }: RankedPage, { terms }: Asked): Explanation {
  const looked = terms
    .slice(0, 32)
    .map(({ text, kind }, i) => ({ text, kind, isIn: (figures.matched & (1 << i)) !== 0 }));
  const asked = looked.filter(({ kind }) => kind !== 'skip');
  return {
    tier: TIERS[figures.tier] ?? 'text',
    lexical: significant(figures.lexical),
    closeness: figures.closeness === null ? null : significant(figures.closeness),
    matched: asked.flatMap(({ text, isIn }) => (isIn ? [text] : [])),
    missing: asked.flatMap(({ text, isIn }) => (isIn ? [] : [text])),
    stages: [...marks],
  };
}

function toRow(ctx: Context, page: RankedPage, hit: HitRow, asked: Asked): SearchRow {
  const { input, words } = asked;
  const text = readLinks(hit.chunk_text ?? '');
  const shown = excerptOf(text, words, input.snippet_chars ?? SNIPPET_CHARS);
  const fetch = ctx.host.registry.operation('fetch');
  const canFetch = ctx.caller.transport !== 'cli' && denialOf(fetch, ctx.caller) === undefined;
  return {
    slug: page.slug,
    title: page.title,
    type: page.type,
    chunk_text: shown,
    score: significant(page.score),
    effective_date: hit.effective_date?.toISOString().slice(0, 10) ?? null,
    source_id: page.sourceId,
    chunk_id: hit.chunk_index ?? 0,
    ...(canFetch && { id: writePageId(page.sourceId, page.slug) }),
    evidence: page.evidence,
    create_safety: page.createSafety,
    ...trustMarks(hit, `${page.title}\n${text}`),
    ...(hit.effective_date_source && { effective_date_source: hit.effective_date_source }),
    ...(shown.length < text.length && { delivered: { truncated: true } }),
    ...(input.explain && { explain: explanationOf(page, asked) }),
    ...(input.fields === 'full' && { page_id: page.pageId, chunks: page.chunks, marks: page.marks }),
  };
}

/** Rows that fit a budget, what they use, and what had to give way. */
interface Packed {
  rows: SearchRow[];
  used: number;
  degraded?: Degraded;
}

/**
 * Rows in order until the budget is full. A first row that is larger than the budget is cut to it; without salvage it
 * is dropped with all others.
 */
function pack(rows: readonly SearchRow[], budget: number, isSalvage: boolean): Packed {
  const first = rows[0];
  if (!first) return { rows: [], used: 0 };
  const title = tokensOf(first.title);
  if (title + tokensOf(first.chunk_text) > budget) {
    if (!isSalvage) return { rows: [], used: 0, degraded: { stage: 'budget_dropped_all' } };
    const chunk_text = first.chunk_text.slice(0, Math.max(0, budget - title) * 4).toWellFormed();
    const cut = { ...first, chunk_text, delivered: { truncated: true } };
    const degraded = { stage: 'budget_truncated', reason: 'first_result_truncated' } as const;
    return { rows: [cut], used: title + tokensOf(chunk_text), degraded };
  }
  const kept: SearchRow[] = [];
  let used = 0;
  for (const row of rows) {
    const cost = tokensOf(row.title) + tokensOf(row.chunk_text);
    if (used + cost > budget) break;
    kept.push(row);
    used += cost;
  }
  return { rows: kept, used };
}

/** An answer with how it came about. */
export interface Searched {
  rows: SearchRow[];
  reply: SearchReply;
  /** Rows that fitted the query but neither the limit nor the budget. */
  hasMore: boolean;
  usedTokens: number;
  budgetTokens: number;
  limit: number;
  position: string;
  /** Why the index was built anew, for the one search that tells of it. */
  tellRebuilt(): string | undefined;
  /** Stages that did not run, or not fully. */
  degraded: readonly Degraded[];
}

/** Ranks and reads. Only pages and text that the caller may see take part. */
export async function runSearch(ctx: Context, input: SearchInput): Promise<Searched> {
  const mode = MODES[modeOf((await ctx.host.setting('search.mode')).value)];
  const limit = input.limit ?? mode.limit;
  const offset = input.offset ?? 0;
  const live = await ctx.brain.index();
  const arm = await openVectorArm(ctx, live, input.query);
  const index = await live.current();
  const scope = { sources: ctx.scope.sources, seesPrivate: ctx.scope.visibility === 'all' };
  const reply = await index.search(input.query, scope, {
    limit: Math.min(offset + limit + SPARE_ROWS, 100),
    today: ctx.now().toISOString().slice(0, 10),
    clock: () => performance.now(),
    words: live.words,
    ...(arm.vectors && { vectors: arm.vectors }),
    edges: (pageIds, types, direction) => readEdges(ctx.brain.store, ctx.scope, { pageIds, types, direction }),
    ...(input.types && { types: input.types }),
    ...(input.since && { since: input.since }),
    ...(input.until && { until: input.until }),
  });
  const pages = reply.pages.slice(offset);
  const asked = pages.map((page) => ({ pageId: page.pageId, chunk: page.chunks[0] ?? 0 }));
  const hits = new Map((await readHits(ctx.brain.store, ctx.scope, asked)).map((hit) => [hit.id, hit]));
  const words = reply.terms.filter(({ kind, pages: having }) => kind !== 'skip' && having > 0).map((term) => term.text);
  const seen = pages.flatMap((page) => {
    const hit = hits.get(page.pageId);
    return hit ? [toRow(ctx, page, hit, { input, words, terms: reply.terms })] : [];
  });
  const budgetTokens = input.token_budget ?? mode.token_budget;
  const { rows, used, degraded } = pack(seen.slice(0, limit), budgetTokens, isSalvaged(ctx));
  return {
    rows,
    reply,
    hasMore: rows.length < seen.length,
    usedTokens: used,
    budgetTokens,
    limit,
    position: live.position,
    tellRebuilt: () => live.tellRebuilt(),
    degraded: [...arm.degraded, ...(degraded ? [degraded] : [])],
  };
}
