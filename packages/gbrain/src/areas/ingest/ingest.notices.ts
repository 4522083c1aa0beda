// Advice on files that are not in the brain. Source: facts/contract C.3.
import type { FixSpec } from '../../fix.ts';
import { defineNotices, type NoticeData } from '../../notices.ts';

const text = (data: NoticeData, key: string): string => String(data[key] ?? '');

/** Of an import: what it left out. Of a search: how much of that could hold what was asked. */
function heldWhy(d: NoticeData): string {
  if (d.could_affect === undefined) {
    return `${text(d, 'failed')} files of ${text(d, 'dir')} are not in the brain; a search does not find what they say.`;
  }
  if (d.failed === 0) return 'Retrieval incomplete: whether files are missing from the brain could not be read.';
  return (
    `Retrieval incomplete: ${text(d, 'could_affect')} of the ${text(d, 'failed')} files that are not in the brain could ` +
    'hold what was asked.'
  );
}

function heldFix(d: NoticeData): FixSpec {
  const why = 'It lists every path with its reason and changes nothing.';
  if (d.dir !== undefined) {
    return { call: { op: 'import', input: { dir: d.dir, dry_run: true, source_id: d.source } }, only: 'cli', why };
  }
  return { call: { op: 'content_status', input: { source_id: d.source } }, only: 'cli', why };
}

export default defineNotices({
  held_files: {
    kind: 'degraded',
    perCall: true,
    summary: 'Files that are meant to be pages are not in the brain.',
    why: heldWhy,
    fix: heldFix,
    example: { failed: 3, dir: '/home/alice-example/notes', source: 'default' },
  },
});
