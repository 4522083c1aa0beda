// A page row as its reader gets it: hidden rows taken out, cut to what a reply holds, with the way to go on. Pure.
import type { Z } from '../../operation.ts';
import { seenText } from './door.ts';
import { parsePage } from './page.ts';
import type { PageRow } from './pages.sql.ts';
import type { Slug } from './slug.ts';
import { type TrustMarks, trustMarks } from './trust-marks.ts';

/** Most bytes of page text in one reply over MCP; the command line gets all unless it asks for less. */
export const REPLY_BYTES = 60_000;
/** Most bytes that a reply may be asked to carry. */
export const REPLY_BYTES_MAX = 400_000;

/** What the caller sees of a page's text: whole, and as its two parts. */
export interface SeenPage {
  content: string;
  compiledTruth: string;
  timeline: string;
}

/** The page's text for this caller; the row must carry its text. */
export function seenPage(row: PageRow, isOwner: boolean): SeenPage {
  const text = row.text ?? '';
  const content = seenText(text, isOwner);
  const parsed = parsePage(content, { slug: row.slug as Slug });
  if (!parsed.ok) throw new Error(`the visible text of page ${row.id} cannot be read`);
  return { content, compiledTruth: parsed.page.compiledTruth, timeline: parsed.page.timeline };
}

/** A piece of a text by UTF-8 bytes, never cutting a character. */
export interface Piece {
  text: string;
  offset: number;
  /** First byte after the piece; undefined at the end of the text. */
  next?: number;
  sizeBytes: number;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Bytes `offset` to `offset + max` of a text, moved back to the start of a character at both ends. */
export function pieceOf(text: string, offset: number, max: number): Piece {
  const bytes = Buffer.from(text, 'utf8');
  const sizeBytes = bytes.length;
  if (offset === 0 && sizeBytes <= max) return { text, offset, sizeBytes };
  let start = Math.min(offset, sizeBytes);
  while (start > 0 && isContinuation(bytes[start])) start -= 1;
  let end = Math.min(start + Math.max(max, 4), sizeBytes);
  while (end > start && isContinuation(bytes[end])) end -= 1;
  const piece = { text: bytes.subarray(start, end).toString('utf8'), offset: start, sizeBytes };
  return end < sizeBytes ? { ...piece, next: end } : piece;
}

/** Facts of a page that every read gives. */
export const pageHead = (row: PageRow) => ({
  slug: row.slug,
  source_id: row.source_id,
  type: row.type,
  title: row.title,
  revision: row.revision,
  tags: row.tags,
});

/** Marks of a page's text for whoever reads it. */
export const pageMarks = (row: PageRow): TrustMarks => trustMarks(row, `${row.title}\n${row.text ?? ''}`);

/** Facts of a page beside its text. */
export const pageFacts = (row: PageRow, isOwner: boolean) => ({
  ...pageHead(row),
  frontmatter: row.frontmatter,
  effective_date: row.effective_date?.toISOString() ?? null,
  effective_date_source: row.effective_date_source,
  ...(row.content_origin !== null && { content_origin: row.content_origin }),
  ...(isOwner && row.visibility === 'private' && { visibility: 'private' as const }),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  ...(row.deleted_at && { deleted_at: row.deleted_at.toISOString() }),
});

/** Schema of `pageHead`. */
export const pageHeadShape = (z: Z) => ({
  slug: z.string(),
  source_id: z.string(),
  type: z.string(),
  title: z.string(),
  revision: z.string(),
  tags: z.array(z.string()),
});
