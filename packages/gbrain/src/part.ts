// The kind of file that declares a derived part of a page: `areas/<area>/<name>.part.ts`.
// A part computes rows from a page's text and writes them in the page's own transaction. It reads no clock.
import type { Page } from './areas/pages/page.ts';
import type { Sql, Store, Tx } from './store/store.ts';

/** The page as it will stand when the transaction commits. */
export interface PartPage {
  readonly sourceId: string;
  readonly slug: string;
  /** The page's markdown, verbatim; private rows included. A part that others can read takes its world view. */
  readonly text: string;
  readonly page: Page;
  readonly isPrivate: boolean;
  /** When the write was admitted. */
  readonly at: Date;
}

/** Row of the page that is being written. */
export interface PageKey {
  readonly id: number;
  readonly sourceId: string;
  readonly slug: string;
  readonly revision: string;
  /** The page did not exist before this transaction, so the part has no rows of it. */
  readonly isNew: boolean;
}

/** An effect that follows the commit. The same key again is the same effect, due now. */
export interface OutboxEffect {
  key: string;
  kind: string;
  payload: Record<string, unknown>;
}

/** One derived part: chunks, links, timeline entries, facts of a page. */
export interface DerivedPart<Rows = unknown> {
  name: string;
  /** One sentence for the docs. */
  summary: string;
  requirement: string;
  /** Rows of a page. Pure. A refusal is raised with a registered code and refuses the write. */
  derive(page: PartPage): Rows;
  /** Statements that replace the page's rows by these; they run in order, in one round trip with the page's own. */
  write(page: PageKey, rows: Rows): readonly Sql[];
  /** The same for several pages of one transaction, in fewer statements; none of them depends on another. */
  writeMany?(pages: readonly { page: PageKey; rows: Rows }[]): readonly Sql[];
  /**
   * Runs once a transaction, after the rows of all its pages are written: for what depends on other pages. It gets
   * the pages whose rows it wrote; reads and writes go in few round trips, whatever their number. Where many
   * transactions follow each other (`isBulk`) it may leave all of that to `catchUp`.
   */
  settle?(tx: Tx, written: readonly { page: PageKey; rows: Rows }[], options: { isBulk: boolean }): Promise<void>;
  /**
   * Settles what bulk transactions left, in transactions of its own. It runs at the end of the bulk; when that was cut
   * off, the outbox still says so and it runs when the brain is opened. Repeating it changes nothing more.
   */
  catchUp?(store: Store, options: { signal: AbortSignal; onProgress?(done: number): void }): Promise<void>;
  /** Statements that follow every change of pages: written, deleted, restored. They run with the page's own rows. */
  touch?(pages: readonly (PageKey & { at: Date })[]): readonly Sql[];
  effects?(page: PageKey, rows: Rows): readonly OutboxEffect[];
  /** Fields that the reply of a write gets: `{ chunks: 4 }`. */
  reply?(rows: Rows): Record<string, unknown>;
}

/** Declares a derived part; the default export of its file. */
export const definePart = <Rows>(part: DerivedPart<Rows>): DerivedPart => part as DerivedPart;
