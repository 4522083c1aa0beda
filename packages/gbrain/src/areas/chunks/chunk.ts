// Turns a page's body into the chunks that search indexes. Pure: it knows no database, no embedding and no page row.

import type { ScannedBody } from './body.ts';
import { Break, type Cut, type CutCaps, cutText, DEFAULT_CAPS, type LineBreaks } from './cut.ts';
import type { Fence, Line } from './lines.ts';
import { readTurns, type Turn, type TurnRole } from './turns.ts';
import type { Span, VisibleText } from './visible.ts';

/** Where a chunk's text comes from. Source: engine facts, `content_chunks.chunk_source`. */
export type ChunkSource = 'compiled_truth' | 'timeline' | 'fenced_code';

/** One chunk. `text` is what stands at [startOffset, endOffset) of the page, without hidden stretches. */
export interface Chunk {
  readonly index: number;
  readonly source: ChunkSource;
  readonly text: string;
  readonly startOffset: number;
  readonly endOffset: number;
  /** Leading units of `text` that repeat the end of the chunk before. */
  readonly overlapChars: number;
  /** Headings above the chunk's own first line, outermost first. */
  readonly headingPath: readonly string[];
  /** Language of a fenced block, lower case, when the fence names one. */
  readonly language?: string;
  readonly speaker?: string;
  readonly speakerRole?: TurnRole;
}

/** Fences of one page that get chunks of their own; more are found as prose only. */
export const FENCES_MAX = 100;
const HEADING_CHARS_MAX = 120;

interface Heading {
  readonly at: number;
  readonly path: readonly string[];
}

interface Job {
  readonly visible: VisibleText;
  readonly headings: readonly Heading[];
  readonly caps: CutCaps;
  readonly chunks: Chunk[];
}

/** What a stretch gives to each of its chunks. */
interface Traits {
  readonly source: ChunkSource;
  readonly language?: string;
  readonly speaker?: string;
  readonly speakerRole?: TurnRole;
}

/** How a page is cut. `conversation` keeps turns whole, each with its speaker. */
export interface ChunkOptions {
  readonly conversation?: boolean;
  readonly caps?: CutCaps;
}

/**
 * Chunks of a page: compiled truth and timeline region by region, then one or more for each fence. Apart from overlap
 * and white space nothing visible is lost, and no chunk passes the caps. Linear in the text. Source: engine facts, B.
 */
export function chunkBody(body: ScannedBody, options: ChunkOptions = {}): Chunk[] {
  const { visible, structure } = body;
  const headings = readHeadings(visible.text, structure.lines);
  const job: Job = { visible, headings, caps: options.caps ?? DEFAULT_CAPS, chunks: [] };
  const breaks = lineBreaks(structure.lines);
  for (const { source, start, end } of body.regions) {
    const turns = options.conversation ? readTurns(visible.text, structure, start, end) : [];
    for (const part of turnParts(turns, start, end)) {
      chunkStretch(job, part, breaks, { source, ...speakerOf(part.turn) });
    }
  }
  for (const fence of structure.fences.slice(0, FENCES_MAX)) chunkFence(job, fence, breaks);
  return job.chunks;
}

const CONVERSATION_TYPE = /^(?:conversation|transcript|chat|slack|imessage)/;

/**
 * True for pages that hold a conversation. Source: engine facts, C.12 (a meeting is prose unless its type says chat).
 */
export function isConversation(type: string, slug: string): boolean {
  return CONVERSATION_TYPE.test(type) || slug.startsWith('chat/') || slug.startsWith('conversations/');
}

function speakerOf(turn: Turn | undefined): Partial<Traits> {
  return turn ? { speaker: turn.speaker, speakerRole: turn.role } : {};
}

function turnParts(turns: readonly Turn[], start: number, end: number): (Span & { turn?: Turn })[] {
  const first = turns[0];
  if (!first) return [{ start, end }];
  const parts = turns.map((turn) => ({ start: turn.start, end: turn.end, turn }));
  return first.start > start ? [{ start, end: first.start }, ...parts] : parts;
}

function chunkFence(job: Job, fence: Fence, breaks: LineBreaks): void {
  const stretch = { start: fence.contentStart, end: fence.contentEnd };
  const language = fence.language;
  chunkStretch(job, stretch, breaks, { source: 'fenced_code', ...(language === undefined ? {} : { language }) });
}

function chunkStretch(job: Job, stretch: Span, breaks: LineBreaks, traits: Traits): void {
  const { text } = job.visible;
  for (const cut of cutText(text, stretch, breaks, job.caps)) {
    const trimmed = trimCut(text, cut);
    if (!trimmed) continue;
    job.chunks.push({
      index: job.chunks.length,
      ...traits,
      text: text.slice(trimmed.start, trimmed.end),
      startOffset: job.visible.toWhole(trimmed.start),
      endOffset: job.visible.toWhole(trimmed.end - 1) + 1,
      overlapChars: trimmed.ownStart - trimmed.start,
      headingPath: headingPathAt(job.headings, trimmed.ownStart),
    });
  }
}

/**
 * Drops blank lines before and white space after; keeps the indentation of the first line. Undefined when nothing is
 * left.
 */
function trimCut(text: string, cut: Cut): Cut | undefined {
  const end = cut.start + text.slice(cut.start, cut.end).trimEnd().length;
  const ownLead = leadLength(text, cut.ownStart, end);
  if (cut.ownStart + ownLead >= end) return undefined;
  if (cut.start === cut.ownStart) return { start: cut.start + ownLead, ownStart: cut.start + ownLead, end };
  return { start: cut.start + leadLength(text, cut.start, end), ownStart: cut.ownStart + ownLead, end };
}

function leadLength(text: string, start: number, end: number): number {
  let lead = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) lead = at + 1 - start;
    else if (code !== 32 && code !== 9 && code !== 13) return lead;
  }
  return end - start;
}

/**
 * How good each line start is to cut at: a heading best, then what follows a blank line, items and rows, then others.
 */
function lineBreaks(lines: readonly Line[]): LineBreaks {
  const at: number[] = [];
  const level: number[] = [];
  let before: Line['kind'] = 'blank';
  for (const { kind, start } of lines) {
    if (kind !== 'blank') {
      at.push(start);
      level.push(lineLevel(kind, before));
    }
    if (kind !== 'fence_body' || before !== 'fence_open') before = kind;
  }
  return { at, level };
}

function lineLevel(kind: Line['kind'], before: Line['kind']): number {
  if (kind === 'heading') return Break.section;
  // A line inside code is no better than the end of a sentence, so that a fence stays in one piece when it can.
  if (kind === 'fence_body' || kind === 'fence_close' || kind === 'raw' || kind === 'comment') return Break.sentence;
  if (before === 'blank' || before === 'heading' || before === 'rule' || before === 'fence_close') return Break.block;
  return kind === 'text' || kind === 'code' ? Break.sentence : Break.line;
}

function readHeadings(text: string, lines: readonly Line[]): Heading[] {
  const headings: Heading[] = [];
  let open: { level: number; title: string }[] = [];
  for (const { kind, start, contentStart, end, level } of lines) {
    if (kind !== 'heading') continue;
    const title = text.slice(contentStart, Math.min(end, contentStart + 4 * HEADING_CHARS_MAX));
    open = open.filter((heading) => heading.level < level);
    open.push({ level, title: headingTitle(title) });
    headings.push({ at: start, path: open.map((heading) => heading.title) });
  }
  return headings;
}

/** Heading text as a reader sees it: closing marks, link and emphasis marks gone; at most 120 code points. */
function headingTitle(raw: string): string {
  const plain = raw
    .replace(/[ \t]+#+[ \t]*$/, '')
    .replace(/!?\[\[(?:[^[\]|]*\|)?([^[\]|]*)\]\]/g, '$1')
    .replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .trim()
    .toWellFormed();
  return plain.length <= HEADING_CHARS_MAX ? plain : Array.from(plain).slice(0, HEADING_CHARS_MAX).join('');
}

function headingPathAt(headings: readonly Heading[], at: number): readonly string[] {
  let low = 0;
  let high = headings.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (headings[middle]!.at <= at) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? [] : headings[low - 1]!.path;
}
