// Advice on files that are not in the brain. Source: facts/contract C.3.
import { defineNotices, type NoticeData } from '../../notices.ts';

const text = (data: NoticeData, key: string): string => String(data[key] ?? '');

export default defineNotices({
  held_files: {
    kind: 'degraded',
    perCall: true,
    summary: 'Files that are meant to be pages are not in the brain.',
    why: (d) =>
      `${text(d, 'failed')} files of ${text(d, 'dir')} are not in the brain; a search does not find what they say.`,
    fix: (d) => ({
      call: { op: 'import', input: { dir: d.dir, dry_run: true, source_id: d.source } },
      only: 'cli',
      why: 'It lists every path with its reason and changes nothing.',
    }),
    example: { failed: 3, dir: '/home/alice-example/notes', source: 'default' },
  },
});
