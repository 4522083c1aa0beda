// The one verdict on a path: import, unchanged, skipped or failed, each with its reason. Import, sync and a dry run ask
// here and nowhere else. Pure: what is known of the path is handed in, more of it as it becomes known.
import type { Raised } from '../../failure.ts';
import type { SlugResult } from '../pages/slug.ts';
import type { ReadFile } from './read-file.ts';
import type { FoundKind } from './walk.ts';

/** Why a path is not meant to be a page. */
export const SKIP_REASONS = [
  'not_markdown',
  'hidden',
  'symlink',
  'special_file',
  'export_data',
  'own_home',
  'vanished',
  'deleted_in_brain',
] as const;

/** Why a path that is meant to be a page is not one; `held_*`: somebody has to choose, and nothing was touched. */
export const FAIL_REASONS = [
  'unreadable',
  'path_encoding',
  'path_too_long',
  'path_not_a_slug',
  'changed',
  'too_large',
  'encoding',
  'null_bytes',
  'held_collision',
  'held_slug',
  'held_page',
  'held_conflict',
  'held_empty',
  'database',
] as const;

/** Why a file is left as it is: one of SKIP_REASONS. */
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Beside FAIL_REASONS: a code of the frontmatter or fence that cannot be read, such as `MISSING_CLOSE`. */
export type FailReason = (typeof FAIL_REASONS)[number] | (string & {});

/** Where in a file the reason lies. */
export interface Place {
  line?: number;
  column?: number;
  byte?: number;
}

/** What is to become of a file that an import meets; a failure says where in it the reason lies. */
export type Verdict =
  | { kind: 'import' }
  | { kind: 'unchanged' }
  | { kind: 'skipped'; reason: SkipReason; detail?: string }
  | ({ kind: 'failed'; reason: FailReason; detail?: string; otherPath?: string } & Place);

/** What the brain keeps of a file that it took in before. */
export interface FileRecord {
  path: string;
  pageId: number;
  slug: string;
  revision: string;
  isDeleted: boolean;
  /** Hex SHA-256 of the file as it was taken in. */
  hash: string;
  root: string;
  sizeBytes: number;
}

/** The page at the path's slug. */
export interface PageState {
  isDeleted: boolean;
  isEmpty: boolean;
  /** Hex SHA-256 of its text. */
  textHash: string;
  /** The record of the file that made it, when this path is that file or has taken its place. */
  record?: FileRecord;
}

/** What is known of a path so far. */
export interface Seen {
  path: string;
  kind: FoundKind;
  why?: string;
  slug: SlugResult;
  /** Path with the same slug and the better right to it. */
  rival?: string;
  record?: FileRecord;
  /** The record is of a file in another folder that is still there. */
  isForeign?: boolean;
  file?: ReadFile;
  /** Null when there is no page of this slug; undefined while nobody has looked. */
  page?: PageState | null;
}

/** Choices of a run. */
export interface VerdictOptions {
  force: boolean;
  includeHidden: boolean;
}

const skipped = (reason: SkipReason, detail?: string): Verdict => ({
  kind: 'skipped',
  reason,
  ...(detail !== undefined && { detail }),
});

type Failed = Extract<Verdict, { kind: 'failed' }>;

const failed = (reason: FailReason, more: Omit<Failed, 'kind' | 'reason'> = {}): Verdict => ({
  kind: 'failed',
  reason,
  ...more,
});

type Rule = (seen: Seen, options: VerdictOptions) => Verdict | undefined;

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** True for names of markdown files. */
export const isMarkdown = (path: string): boolean => /\.mdx?$/i.test(path);

/** True for names that file systems hide. */
export const isHidden = (name: string): boolean => name.startsWith('.');

const byKind: Rule = ({ kind, why }) => {
  if (kind === 'symlink') return skipped('symlink');
  if (kind === 'special') return skipped('special_file');
  if (kind === 'folder') return skipped(why as SkipReason);
  if (kind === 'unreadable_folder') return failed('unreadable', { detail: `folder, ${why}` });
  if (kind === 'bad_name') return failed('path_encoding');
  return kind === 'long_path' ? failed('path_too_long') : undefined;
};

const byName: Rule = ({ path, slug }, { includeHidden }) => {
  if (isHidden(nameOf(path)) && !includeHidden) return skipped('hidden');
  if (!isMarkdown(path)) return skipped('not_markdown');
  return slug.ok ? undefined : failed('path_not_a_slug', { detail: slug.reason });
};

const byRival: Rule = ({ rival }) => (rival === undefined ? undefined : failed('held_collision', { otherPath: rival }));

const byReading: Rule = ({ file }) => {
  if (!file || file.ok) return undefined;
  if (file.reason === 'vanished') return skipped('vanished');
  if (file.reason === 'not_a_file') return skipped('special_file');
  if (file.reason === 'unreadable') return failed('unreadable', { detail: file.code });
  if (file.reason !== 'encoding' && file.reason !== 'null_bytes') return failed(file.reason);
  const { byte, line, column } = file;
  return failed(file.reason, { byte, line, column });
};

const byRecord: Rule = ({ file, record, isForeign, path }, { force }) => {
  if (!file?.ok || !record) return undefined;
  const isSame = record.hash === file.hash;
  if (record.isDeleted && !force) return skipped('deleted_in_brain');
  if (isSame && !record.isDeleted) return { kind: 'unchanged' };
  return isForeign ? failed('held_collision', { otherPath: `${record.root}/${path}` }) : undefined;
};

const byPage: Rule = ({ file, page }, { force }) => {
  if (!file?.ok || !page || force) return undefined;
  if (page.isDeleted) return page.record ? skipped('deleted_in_brain') : undefined;
  if (page.textHash === file.hash) return { kind: 'unchanged' };
  if (isBlank(file.text) && !page.isEmpty) return failed('held_empty');
  if (!page.record) return failed('held_page');
  return page.textHash === page.record.hash ? undefined : failed('held_conflict');
};

const RULES: readonly Rule[] = [byKind, byName, byRival, byReading, byRecord, byPage];

/**
 * The verdict that follows from what is known: the first rule that has one, else `import`. It is asked three times: on
 * the path alone, with the file's bytes, and in the transaction with the page as it stands.
 */
export function decideVerdict(seen: Seen, options: VerdictOptions): Verdict {
  for (const rule of RULES) {
    const verdict = rule(seen, options);
    if (verdict) return verdict;
  }
  return { kind: 'import' };
}

/** True for a text that says nothing. */
export const isBlank = (text: string): boolean => text.replace(/^\ufeff/, '').trim() === '';

/** The verdict on a file whose text the commit path refuses: its code, with its place. */
export function verdictOfRefusal({ code, data }: Raised): Verdict {
  const place: Place = {
    ...(typeof data.line === 'number' && { line: data.line }),
    ...(typeof data.column === 'number' && { column: data.column }),
  };
  const detail = typeof data.problem === 'string' ? data.problem : undefined;
  const reason = String(data.finding ?? data.reason ?? code);
  return failed(reason === 'SLUG_MISMATCH' ? 'held_slug' : reason, { ...place, ...(detail && { detail }) });
}
