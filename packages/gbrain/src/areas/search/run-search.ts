// One search from words to rows: the index ranks, the database gives the text that this caller may see, a budget packs.
import type { Context } from '../../context.ts';
import type { RankedPage, SearchReply } from '../../index/lexical-index.ts';
import { denialOf } from '../../pipeline/access.ts';
import { writePageId } from '../pages/page-id.ts';
import { marksOf, type TrustMarks, trustMarks } from '../pages/trust-marks.ts';
import { shownText } from '../secrets/shown-text.ts';
import { assembleEvidence, type Delivered, type ReturnUnit } from './evidence.ts';
import { excerptOf, readLinks } from './excerpt.ts';
import { MODES, type ModeKnobs, modeOf, modeOfCall } from './modes.ts';
import { openRanking } from './open-ranking.ts';
import { asPlaced, type PlacedHit, rerankHits } from './rerank-rows.ts';
import { type HitRow, type HoldRow, hitRows, holdRows } from './search.sql.ts';
import { type Degraded, isSalvaged } from './vector-arm.ts';

/** What was asked, typed. */
export interface SearchInput {
  query: string;
  limit?: number | undefined;
  offset?: number | undefined;
  types?: readonly string[] | undefined;
  since?: string | undefined;
  until?: string | undefined;
  snippet_chars?: number | undefined;
  /** How much of each page; an excerpt of its best chunk unless said. */
  return_unit?: ReturnUnit | undefined;
  return_window?: number | undefined;
  token_budget?: number | undefined;
  fields?: 'lean' | 'full' | undefined;
  mode?: 'conservative' | 'balanced' | 'tokenmax' | undefined;
  explain?: boolean | undefined;
  /** False: the rows stay as the index ranked them, and no reranker is asked or paid. */
  rerank?: boolean | undefined;
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
  /** What of the page the text is, where it is not a whole chunk. */
  delivered?: Delivered | { truncated: true };
}

/** A chunk's text is cut to this unless the caller asks for more. */
const SNIPPET_CHARS = 1_200;
/** Rows that are read beyond the wanted ones, because some may be hidden or gone by the time their text is read. */
const SPARE_ROWS = 5;

/** Tokens that a reply may hold when no budget is said. Source: facts/engine C.12. */
const UNIT_TOKENS: Record<ReturnUnit, number> = {
  chunk: 6_000,
  window: 6_000,
  section: 6_000,
  page: 6_000,
  auto: 24_000,
};

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

const significant = (value: number): number => Number(value.toPrecision(4));

/** What was asked, and the words that were looked for. */
interface Asked {
  input: SearchInput;
  words: readonly string[];
}

/** A hit with its text, before it is known whether its row is shown. */
interface Hit extends PlacedHit {
  readonly page: RankedPage;
  readonly row: HitRow;
  /** Its whole chunk; `text` is what is shown of it. */
  readonly whole: string;
}

function toHit(ctx: Context, page: RankedPage, row: HitRow, { input, words }: Asked): Hit {
  const whole = shownText(ctx.scope, readLinks(row.chunk_text ?? ''));
  const text = excerptOf(whole, words, input.snippet_chars ?? SNIPPET_CHARS);
  return { title: page.title, text, score: significant(page.score), isPinned: page.isPinned, page, row, whole };
}

function toRow(ctx: Context, { page, row: hit, text: shown, whole: text, score }: Hit, isFull: boolean): SearchRow {
  const fetch = ctx.host.registry.operation('fetch');
  const canFetch = ctx.caller.transport !== 'cli' && denialOf(fetch, ctx.caller) === undefined;
  return {
    slug: page.slug,
    title: page.title,
    type: page.type,
    chunk_text: shown,
    score,
    effective_date: hit.effective_date?.toISOString().slice(0, 10) ?? null,
    source_id: page.sourceId,
    chunk_id: hit.chunk_index ?? 0,
    ...(canFetch && { id: writePageId(page.sourceId, page.slug) }),
    evidence: page.evidence,
    create_safety: page.createSafety,
    ...trustMarks(hit, `${page.title}\n${text}`),
    ...(hit.effective_date_source && { effective_date_source: hit.effective_date_source }),
    ...(shown.length < text.length && { delivered: { truncated: true } }),
    ...(isFull && {
      page_id: page.pageId,
      chunks: page.chunks,
      keyword_hit: page.matched.length > 0,
      matched: page.matched,
      base_score: significant(page.base),
      ...(page.cosine !== null && { cosine: significant(page.cosine) }),
      marks: page.marks,
    }),
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
    const cut: SearchRow = { ...first, chunk_text, delivered: { truncated: true } };
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

/** The budget of a call that says none: that of the mode, or what texts larger than a chunk need. */
const budgetOf = ({ token_budget, return_unit }: SearchInput, mode: ModeKnobs): number =>
  token_budget ?? Math.max(mode.token_budget, return_unit ? UNIT_TOKENS[return_unit] : 0);

/**
 * Gives the best rows as much of their pages as was asked for, from what the excerpts leave of the budget. No row has
 * to go for another one's text, and a row that gets no more room keeps its excerpt.
 */
async function widen(ctx: Context, packed: Packed, input: SearchInput, budget: number): Promise<Packed> {
  const { return_unit: unit, return_window: window = 1 } = input;
  const { rows } = packed;
  if (unit === undefined || rows.length === 0 || packed.degraded) return packed;
  const titles = rows.reduce((sum, { title }) => sum + tokensOf(title), 0);
  const kept = rows.map(({ chunk_text }) => tokensOf(chunk_text));
  const { results } = await assembleEvidence(ctx, rows, { unit, window, budget: budget - titles, kept });
  const wide = new Map(results.map((one) => [one.hit, one]));
  const shown = rows.map((row, i): SearchRow => {
    const around = wide.get(i);
    if (!around || (around.delivered.truncated && around.delivered.tokens <= kept[i]!)) return row;
    return { ...row, chunk_text: readLinks(around.text), ...marksOf(around), delivered: around.delivered };
  });
  return { rows: shown, used: titles + shown.reduce((sum, { chunk_text }) => sum + tokensOf(chunk_text), 0) };
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
  /** Text that no search sees; undefined when it could not be read. */
  holds: readonly HoldRow[] | undefined;
  /** Whether rows carry how they were ranked. */
  isFull: boolean;
}

/**
 * Whether rows are full: as the call says, else always for the owner's own command line, and for everybody else as the
 * host set it. Source: mcp-access, Rows by default.
 */
async function wantsFullRows({ caller, host }: Context, { fields, explain }: SearchInput): Promise<boolean> {
  if (explain) return true;
  if (fields !== undefined) return fields === 'full';
  return caller.transport === 'cli' || (await host.setting('mcp.result_rows')).value === 'full';
}

/** Text of pages by id, and what is held, in one round trip. Holds that cannot be read are not known. */
async function readRows(
  { brain, host, scope }: Context,
  pages: readonly RankedPage[],
  hasVectors: boolean,
): Promise<{ hits: ReadonlyMap<number, HitRow>; holds: HoldRow[] | undefined }> {
  const asked = hitRows(
    scope,
    pages.map((page) => ({ pageId: page.pageId, chunk: page.chunks[0] ?? 0 })),
  );
  const byId = (rows: readonly HitRow[]) => new Map(rows.map((hit) => [hit.id, hit]));
  try {
    const [hits, holds] = await brain.store.batch([asked, holdRows(scope, hasVectors)]);
    return { hits: byId(hits as unknown as HitRow[]), holds: holds as unknown as HoldRow[] };
  } catch (error) {
    host.reportFault('what a search cannot see', error);
    return { hits: byId(await brain.store.query<HitRow>(asked)), holds: undefined };
  }
}

/** Ranks and reads. Only pages and text that the caller may see take part. */
export async function runSearch(ctx: Context, input: SearchInput): Promise<Searched> {
  const set = modeOf((await ctx.host.setting('search.mode')).value);
  const modeName = modeOfCall(set, input.mode, ctx.caller.transport === 'cli');
  const mode = MODES[modeName];
  const limit = input.limit ?? mode.limit;
  const offset = input.offset ?? 0;
  const { live, arm, rank } = await openRanking(ctx, input.query);
  const reply = await rank({
    limit: Math.min(offset + limit + SPARE_ROWS, 100),
    ...(input.explain && { explain: true }),
    ...(input.types && { types: input.types }),
    ...(input.since && { since: input.since }),
    ...(input.until && { until: input.until }),
  });
  const { pages } = reply;
  const { hits, holds } = await readRows(ctx, pages, arm.vectors !== undefined);
  const isFull = await wantsFullRows(ctx, input);
  const words = reply.terms.filter(({ kind, pages: having }) => kind !== 'skip' && having > 0).map((term) => term.text);
  const placed = pages.flatMap((page) => {
    const row = hits.get(page.pageId);
    return row ? [toHit(ctx, page, row, { input, words })] : [];
  });
  const reranked =
    input.rerank === false
      ? { hits: asPlaced(placed), degraded: [] }
      : await rerankHits(ctx, placed, { query: input.query, mode: modeName, isFull });
  const seen = reranked.hits.slice(offset);
  // Rows are made of what is shown alone: to look for orders in a text takes as long as to find it.
  const shown = seen.slice(0, limit).map(({ place, change }) => ({ ...toRow(ctx, placed[place]!, isFull), ...change }));
  const budgetTokens = budgetOf(input, mode);
  const packed = pack(shown, budgetTokens, isSalvaged(ctx));
  const { rows, used, degraded } = await widen(ctx, packed, input, budgetTokens);
  return {
    rows,
    reply,
    hasMore: rows.length < seen.length,
    usedTokens: used,
    budgetTokens,
    limit,
    position: live.position,
    tellRebuilt: () => live.tellRebuilt(),
    holds,
    isFull,
    degraded: [...arm.degraded, ...reranked.degraded, ...(degraded ? [degraded] : [])],
  };
}
