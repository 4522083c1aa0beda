// The vocabulary of the lexical index: what a document is, its fields, and who may see it. Knows no storage and no
// ranking.

/** The fields that text can stand in, in the order in which a page's stream holds them. */
export const FIELDS = ['title', 'aliases', 'body', 'timeline', 'code', 'user', 'assistant'] as const;

/** Name of one field. */
export type Field = (typeof FIELDS)[number];

/** Number of fields. */
export const FIELD_COUNT = FIELDS.length;

/** Place of each field in FIELDS. */
export const FIELD_ID: Readonly<Record<Field, number>> = {
  title: 0,
  aliases: 1,
  body: 2,
  timeline: 3,
  code: 4,
  user: 5,
  assistant: 6,
};

/** Text of one chunk; several pieces may share an index (a user turn and its answer are one chunk in two fields). */
export interface ChunkText {
  /** The database's chunk index inside the page. */
  readonly index: number;
  readonly field: Exclude<Field, 'title' | 'aliases'>;
  readonly text: string;
}

/** One page as the index sees it. Chunk text is read once and not kept. */
export interface IndexDocument {
  /** Database id, below 2^53. */
  readonly pageId: number;
  readonly sourceId: string;
  /** `private` pages are seen only by a scope with `seesPrivate`. */
  readonly visibility: 'world' | 'private';
  readonly slug: string;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly type: string;
  /** ISO day (`YYYY-MM-DD`, anything after it is ignored) or null. */
  readonly effectiveDate: string | null;
  readonly chunks: readonly ChunkText[];
  /** ISO days of the page's dated timeline entries. */
  readonly timeline: readonly string[];
}

/** A change of the index: a page as it is now, or a page that is gone. */
export type IndexChange =
  | { readonly kind: 'put'; readonly page: IndexDocument }
  | { readonly kind: 'remove'; readonly pageId: number };

/** What a caller may see. Nothing outside it takes part in a result or in a statistic of one. */
export interface IndexScope {
  /** Source ids, or `all`. */
  readonly sources: readonly string[] | 'all';
  readonly seesPrivate: boolean;
}

/** Smallest date that no page has: stands for "no date" in day columns. */
export const NO_DAY = -0x80000000;

/** Days since 1970-01-01 of an ISO day, or NO_DAY when the text is no real calendar day. */
export function toDay(iso: string | null): number {
  const match = iso === null ? null : /^(\d{4})-(\d\d)-(\d\d)/.exec(iso);
  if (!match) return NO_DAY;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const time = Date.UTC(year, month - 1, day);
  const date = new Date(time);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? time / 86_400_000 : NO_DAY;
}

/** ISO day of a day number. */
export const fromDay = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);
