// The kind of file that declares data of a source that no page holds: `areas/<area>/<name>.export.ts`.
// An export writes its rows beside the pages, and an import of that folder puts them back.
import type { Queryable, Sql } from './store/store.ts';

/** Rows of one reading, and where the next one goes on; null at the end. */
export interface ExportRows<Row> {
  rows: readonly Row[];
  next: string | null;
}

/** One kind of data beside the pages. */
export interface ExportPart<Row = unknown> {
  /** Its file is `_gbrain/<name>.jsonl`. Permanent. */
  name: string;
  /** Version of its rows; an import refuses a version that it does not know. */
  version: number;
  /** One sentence for the docs. */
  summary: string;
  requirement: string;
  /** Parts with a lower number are put back first; default 50. */
  order?: number;
  /** Rows of a source in a fixed order, some hundreds at a time; `after` is the cursor of the reading before. */
  read(db: Queryable, sourceId: string, after: string | null): Promise<ExportRows<Row>>;
  /** A row from a file; undefined for what is none. Nothing in a file is trusted. */
  parse(value: unknown): Row | undefined;
  /**
   * The page that a row belongs to, by slug. Only rows of pages that the folder itself has made are put back. Left out
   * for rows of no page, which are all put back.
   */
  slugOf?(row: Row): string;
  /** A row that is a page itself: it is written first, as its own file would be, where its slug has no page yet. */
  toPage?(row: Row): { slug: string; text: string };
  /** Statements that put rows back. Putting the same rows back again changes nothing. */
  restore(sourceId: string, rows: readonly Row[]): readonly Sql[];
}

/** Declares a part of an export; the default export of its file. */
export const defineExportPart = <Row>(part: ExportPart<Row>): ExportPart => part as ExportPart;
