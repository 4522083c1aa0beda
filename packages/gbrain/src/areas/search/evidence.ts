// The text around hits of a search: as much of each page as a unit asks for and one budget allows.
import type { Context } from '../../context.ts';
import type { Z } from '../../operation.ts';
import { type TrustMarks, trustMarks } from '../pages/trust-marks.ts';
import { shownText } from '../secrets/shown-text.ts';
import { type EvidenceRow, readEvidence } from './evidence.sql.ts';

/** How much of a page comes with a hit. Source: facts/engine C.12. */
export const RETURN_UNITS = ['chunk', 'window', 'section', 'page', 'auto'] as const;
/** One of them. */
export type ReturnUnit = (typeof RETURN_UNITS)[number];

/** A hit as a search gave it. */
export interface EvidenceHit {
  source_id: string;
  slug: string;
  chunk_id: number;
}

/** What is asked around the hits. */
export interface EvidenceAsk {
  unit: ReturnUnit;
  /** Chunks on each side of a window. */
  window: number;
  /** Tokens of text in all. */
  budget: number;
  /** Tokens that are kept free for each hit, so that those in front leave room for it. */
  kept?: readonly number[];
}

/** What came of a hit. */
export interface Delivered {
  unit: string;
  chunk_ids: number[];
  tokens: number;
  truncated: boolean;
}

/** The text around one hit. */
export interface Evidence extends TrustMarks {
  /** Place of the hit in the request. */
  hit: number;
  title: string;
  text: string;
  delivered: Delivered;
}

/** Schema of what came of a hit. */
export const deliveredShape = (z: Z) =>
  z.object({ unit: z.string(), chunk_ids: z.array(z.number()), tokens: z.number(), truncated: z.boolean() });

/** Longest text of one page. Source: facts/engine C.12. */
const PAGE_CHARS_MAX = 60_000;
/** Whole pages, whatever their length. */
const EVERYTHING = 1_000_000;
/** A page that is a conversation is understood as a whole. Source: facts/engine C.12. */
const CONVERSATION = /^(?:conversation|transcript|chat|meeting|slack.*|imessage.*)$/;
const CONVERSATION_SLUG = /(?:^|\/)(?:chat|conversations)\//;

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** Chunks in order as one text; the part that repeats the end of the chunk before is left out. */
function joined(rows: readonly EvidenceRow[]): string {
  return rows
    .map((row, i) => {
      const isNext = i > 0 && rows[i - 1]!.chunk_index + 1 === row.chunk_index;
      return isNext ? row.text.slice(row.overlap_chars) : `${i > 0 ? '\n…\n' : ''}${row.text}`;
    })
    .join('');
}

/** Cuts to a length at a line where one is near, else at a code point. */
function fit(text: string, chars: number): { text: string; truncated: boolean } {
  if (text.length <= chars) return { text, truncated: false };
  const line = text.lastIndexOf('\n', chars);
  const end = line > chars * 0.7 ? line : chars;
  const isInside = /[\uDC00-\uDFFF]/.test(text[end] ?? '');
  return { text: text.slice(0, isInside ? end - 1 : end), truncated: true };
}

/** As many chunks around one as fit, those behind it and those before it in turn; the one itself always. */
function around(rows: readonly EvidenceRow[], chunk: number, chars: number): readonly EvidenceRow[] {
  let [from, to] = [0, rows.length - 1];
  if (joined(rows).length <= chars) return rows;
  from = to = Math.max(
    0,
    rows.findIndex((row) => row.chunk_index === chunk),
  );
  let left = chars - rows[from]!.text.length;
  const takes = (row: EvidenceRow | undefined): boolean => {
    // Two characters more, for a gap between chunks that are not neighbours.
    const cost = row ? row.text.length + 3 : Number.POSITIVE_INFINITY;
    if (cost > left) return false;
    left -= cost;
    return true;
  };
  for (let [down, up] = [true, true]; down || up; ) {
    down &&= takes(rows[to + 1]);
    if (down) to += 1;
    up &&= takes(rows[from - 1]);
    if (up) from -= 1;
  }
  return rows.slice(from, to + 1);
}

const isConversation = ({ type }: EvidenceRow, { slug }: EvidenceHit): boolean =>
  CONVERSATION.test(type) || CONVERSATION_SLUG.test(slug);

/** The chunks under the heading of the hit, in one run around it. */
function sectionOf(rows: readonly EvidenceRow[], chunk: number): EvidenceRow[] {
  const at = rows.findIndex((row) => row.chunk_index === chunk);
  const heading = (row: EvidenceRow | undefined): string => row?.heading_path.join('\n') ?? '';
  if (at === -1) return [];
  let [from, to] = [at, at];
  while (from > 0 && heading(rows[from - 1]) === heading(rows[at])) from -= 1;
  while (to + 1 < rows.length && heading(rows[to + 1]) === heading(rows[at])) to += 1;
  return rows.slice(from, to + 1);
}

const REACH: Record<ReturnUnit, (window: number) => number> = {
  chunk: () => 0,
  window: (window) => window,
  section: () => EVERYTHING,
  page: () => EVERYTHING,
  auto: () => EVERYTHING,
};

/** The text around hits, in their order; `unresolved` are those of which the caller can see nothing. */
export async function assembleEvidence(
  ctx: Context,
  hits: readonly EvidenceHit[],
  { unit, window, budget, kept = [] }: EvidenceAsk,
): Promise<{ results: Evidence[]; used: number; unresolved: number[] }> {
  const rows = await readEvidence(ctx.brain.store, ctx.scope, hits, REACH[unit](window));
  const results: Evidence[] = [];
  const unresolved: number[] = [];
  let used = 0;
  let later = kept.reduce((sum, tokens) => sum + tokens, 0);
  for (const [i, hit] of hits.entries()) {
    later -= kept[i] ?? 0;
    const near = rows.filter((row) => row.hit === i);
    const [first] = near;
    if (!first) unresolved.push(i);
    const left = budget - used - later;
    if (!first || left <= 0) continue;
    const decided = unit === 'auto' ? (isConversation(first, hit) ? 'page' : 'chunk') : unit;
    const isHit = (row: EvidenceRow): boolean => row.chunk_index === hit.chunk_id;
    const own = decided === 'section' ? sectionOf(near, hit.chunk_id) : decided === 'chunk' ? near.filter(isHit) : near;
    const chars = Math.min(left * 4, PAGE_CHARS_MAX);
    const shown = around(own, hit.chunk_id, chars);
    const cut = fit(shownText(ctx.scope, joined(shown)), chars);
    const { text } = cut;
    const truncated = cut.truncated || shown.length < own.length;
    used += tokensOf(text);
    results.push({
      hit: i,
      title: first.title,
      text,
      ...trustMarks(first, `${first.title}\n${text}`),
      delivered: { unit: decided, chunk_ids: shown.map((row) => row.chunk_index), tokens: tokensOf(text), truncated },
    });
  }
  return { results, used, unresolved };
}
