// Advice on files that are not in the brain. Source: facts/contract C.3.
import type { FixSpec } from '../../fix.ts';
import { defineNotices, type NoticeData } from '../../notices.ts';
import { counted } from '../../row-text.ts';

const text = (data: NoticeData, key: string): string => String(data[key] ?? '');

/** Of an import: what it left out. Of a search: how much of that could hold what was asked. */
function heldWhy(d: NoticeData): string {
  if (d.could_affect === undefined) {
    return `Not in the brain: ${counted(Number(d.failed), 'file')} of ${text(d, 'dir')}; no search finds what they say.`;
  }
  if (d.failed === 0) return 'Retrieval incomplete: whether files are missing from the brain could not be read.';
  return (
    `Retrieval incomplete: ${text(d, 'could_affect')} of ${counted(Number(d.failed), 'file')} not in the brain could ` +
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
