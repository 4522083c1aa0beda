// Removes pages whose files are gone: only what this source and this folder made, from a path where nothing is any
// more. Every removal is a tombstone, and a page that was edited in the brain since is kept.
import { join } from 'node:path';
import { raise } from '../../failure.ts';
import { commitGroup } from '../pages/commit-group.ts';
import type { Change, PageWrite, StoredPage } from '../pages/page-write.ts';
import type { Slug } from '../pages/slug.ts';
import { isGone } from './plan.ts';
import { hashOf } from './read-file.ts';
import { dropRecords } from './source-files.sql.ts';
import type { TakeInRun } from './take-in.ts';
import type { FileRecord } from './verdict.ts';

const GROUP_PAGES = 200;

const isEdited = (page: StoredPage, record: FileRecord): boolean => hashOf(page.text) !== record.hash;

function removalOf(run: TakeInRun, record: FileRecord): PageWrite {
  return {
    operation: 'import',
    sourceId: run.ask.sourceId,
    slug: record.slug as Slug,
    writer: run.writer,
    newRevision: run.newId(),
    at: run.now(),
    isFromFiles: true,
    isExact: true,
    decide: (page): Change => {
      if (!page) raise('page_not_found', { slug: record.slug, source: run.ask.sourceId });
      if (page.id !== record.pageId || page.isDeleted) return { kind: 'none' };
      return isEdited(page, record) && !run.ask.force ? { kind: 'none' } : { kind: 'delete' };
    },
  };
}

/** Gives the pages tombstones and reports each; without `remove` they are only told of. */
export async function removeGone(run: TakeInRun, gone: readonly FileRecord[], remove: boolean): Promise<void> {
  const { report, ask } = run;
  if (!remove || run.isDryRun) {
    for (const { path, slug } of gone) report.gone.push({ path, slug, removed: false });
    return;
  }
  for (let from = 0; from < gone.length; from += GROUP_PAGES) {
    // Looked at again at the last moment: the run may have taken long, and the file may be back.
    const group: FileRecord[] = [];
    for (const record of gone.slice(from, from + GROUP_PAGES)) {
      if (await isGone(join(ask.root, record.path))) group.push(record);
    }
    const removed = new Set<string>();
    await commitGroup(
      run.store,
      group.map((record) => removalOf(run, record)),
      {
        signal: ask.signal,
        parts: run.parts,
        alongside: (outcomes) => {
          removed.clear();
          outcomes.forEach((one, i) => {
            if (one.ok && one.committed.outcome.status === 'deleted') removed.add(group[i]!.path);
          });
          return removed.size === 0 ? [] : [dropRecords(ask.sourceId, [...removed])];
        },
      },
    );
    for (const { path, slug } of group) report.gone.push({ path, slug, removed: removed.has(path) });
    ask.onProgress?.('removing', Math.min(from + GROUP_PAGES, gone.length), gone.length);
  }
}
