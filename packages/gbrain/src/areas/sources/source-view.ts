// A source as a caller reads it: its row without what is the machine's own. Pure.
import type { z as Zod } from 'zod';
import type { Z } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import type { SourceRow } from './sources.sql.ts';

/** A source on the wire. The folder is a matter of the machine, so only its owner sees it. */
export interface SourceView {
  id: string;
  name: string;
  truth: 'database' | 'files';
  federated: boolean;
  archived: boolean;
  pages: number;
  deleted: number;
  files: number;
  path?: string;
  last_import_at?: string;
}

/** The view of a row for one caller. */
export const sourceView = (row: SourceRow, isOwner: boolean): SourceView => ({
  id: row.id,
  name: row.name,
  truth: row.truth,
  federated: row.federated,
  archived: row.archived_at !== null,
  pages: row.pages,
  deleted: row.deleted,
  files: row.files,
  ...(isOwner && row.local_path !== null && { path: row.local_path }),
  ...(row.last_import_at && { last_import_at: row.last_import_at.toISOString() }),
});

/** Schema of the view's keys. */
export const sourceShape = (z: Z) =>
  ({
    id: z.string(),
    name: z.string(),
    truth: z.enum(['database', 'files']),
    federated: z.boolean(),
    archived: z.boolean(),
    pages: z.number(),
    deleted: z.number(),
    files: z.number(),
    path: z.string().optional(),
    last_import_at: z.string().optional(),
  }) satisfies Record<string, Zod.ZodType>;

/** One line for a person. */
export const sourceLine = (one: SourceView): [string, string] => [
  one.id,
  [
    counted(one.pages, 'page'),
    ...(one.truth === 'files' ? ['kept in files'] : []),
    ...(one.path ? [one.path] : []),
    ...(one.archived ? ['archived'] : []),
  ].join(', '),
];
