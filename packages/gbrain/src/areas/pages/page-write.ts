// What the commit path takes and gives: a write with its request, the page as it stands, the change decided on it.
// Types only; it knows no engine and no operation.
import type { PreparedText } from './settle.ts';
import type { Slug } from './slug.ts';

/** Trust of a row by who wrote it. Source: design/decisions 22a. */
export type TrustTier = 'owner' | 'agent_written' | 'external_untrusted';

/** Who writes. Principal and session come from the connection, never from an argument. */
export interface Writer {
  principal: string;
  trustTier: TrustTier;
  /** Journal record of the agent session that writes. */
  session?: { id: string; sequence: number };
}

/** Identity of one request: the id as a UUID, the text that a client gave for it, and what was asked. */
export interface RequestKey {
  requestId: string;
  clientRequestId?: string;
  /** SHA-256 of operation, source and arguments; the same id with another hash is another request. */
  argumentsHash: string;
}

/** Where a revision's text came from. */
export interface Provenance {
  sourceKind?: string;
  sourceUri?: string;
  ingestedVia?: string;
  contentOrigin?: 'user_said' | 'tool_output' | 'inferred' | 'imported';
  /** Path of the file inside its source, as the file system spells it. */
  sourcePath?: string;
  /** Nobody gives it vectors without being asked. */
  isEmbedHeld?: boolean;
}

/** The page as it stands when a write is decided: locked, private rows and tombstones included. */
export interface StoredPage {
  id: number;
  slug: Slug;
  text: string;
  revision: string;
  title: string;
  isPrivate: boolean;
  isDeleted: boolean;
  /** It has rows in page_aliases that its text declared. */
  hasAliases: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Fields that an operation adds to its reply; plain JSON, kept with the receipt for a replay. */
export type ReplyFields = Readonly<Record<string, unknown>>;

/**
 * What becomes of the page. A put of the text that stands changes nothing; `derive` writes the rows that belong to that
 * text again, and the page keeps its revision, its dates and who wrote it.
 */
export type Change =
  | { kind: 'put'; text: string; provenance?: Provenance; reply?: ReplyFields }
  | { kind: 'delete'; reply?: ReplyFields }
  | { kind: 'restore'; reply?: ReplyFields }
  | { kind: 'derive'; reply?: ReplyFields }
  | { kind: 'none'; reply?: ReplyFields };

/** One page write. */
export interface PageWrite {
  operation: string;
  sourceId: string;
  slug: Slug;
  writer: Writer;
  /** Absent only for writes that are their own identity (files of an import). */
  request?: RequestKey;
  /** Revision that the page gets when it changes. */
  newRevision: string;
  /** When the write was admitted; everything relative was resolved then. */
  at: Date;
  /** The write brings a source's own files in, so a source whose truth is `files` takes it. */
  isFromFiles?: boolean;
  /** The slug means the page that has it now, never one that had it: a moved alias is not followed. */
  isExact?: boolean;
  /** The page at this slug takes `slug` with its next text; its old slug leads to it from then on. */
  movesFrom?: Slug;
  /** The text that `decide` will most likely put, worked out before the transaction. */
  prepared?: PreparedText;
  /**
   * Chooses the change from the page as it stands. Pure and repeatable; a refusal is raised with a registered code and
   * is kept with the receipt.
   */
  decide(current: StoredPage | undefined): Change;
}

/** What a write did to its page. */
export type WriteStatus = 'created' | 'updated' | 'unchanged' | 'deleted' | 'restored';

/** A write that took effect, now or when its request was first sent. */
export interface Committed {
  requestId?: string;
  clientRequestId?: string;
  pageId: number;
  sourceId: string;
  slug: string;
  revision: string;
  /** Slug, status and the operation's own fields, as the receipt keeps them. */
  outcome: Record<string, unknown>;
  createdAt: Date;
  /** The request had been committed before; nothing was done now. */
  isReplay: boolean;
}
