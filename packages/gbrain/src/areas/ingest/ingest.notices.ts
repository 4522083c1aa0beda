// Advice on files that are not in the brain. Source: facts/contract C.3.
import type { FixSpec } from '../../fix.ts';
import { defineNotices, type NoticeData } from '../../notices.ts';
import { counted, text } from '../../row-text.ts';

/** What a search could not look into; a count that could not be read may be any. */
function hiddenOf({ held, failed }: NoticeData): string {
  if (held === null) return 'it could not be read how many files are not in the brain';
  const parts = [
    Number(held) > 0 ? `${counted(Number(held), 'file')} edited beside their pages and held` : '',
    Number(failed) > 0 ? `${counted(Number(failed), 'file')} that the last import could not take in` : '',
  ];
  return parts.filter(Boolean).join('; ');
}

const importLook = (d: NoticeData): FixSpec => ({
  call: { op: 'import', input: { dir: d.dir, dry_run: true, source_id: d.source } },
  only: 'cli',
  why: 'It lists every path with its reason and changes nothing.',
});

const HELD_LOOK: FixSpec = {
  call: { op: 'content_status', input: {} },
  only: 'cli',
  why: 'It lists the files that were edited by hand, with the two ways out for each.',
};

export default defineNotices({
  held_files: {
    kind: 'degraded',
    perCall: true,
    summary: 'Files that are meant to be pages are not in the brain, or were edited and are not as their pages say.',
    why: (d) =>
      d.coverage === undefined
        ? `Not in the brain: ${counted(Number(d.failed), 'file')} of ${text(d, 'dir')}; no search finds what they say.`
        : `Retrieval incomplete: ${hiddenOf(d)}.`,
    fix: (d) => (d.dir === undefined ? HELD_LOOK : importLook(d)),
    example: { failed: 3, dir: '/home/alice-example/notes', source: 'default' },
  },
});
