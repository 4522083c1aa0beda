// Advice on a page whose file in the content directory is held. Source: facts/contract C.3, G.7 (`file_held`).
import { defineNotices, type NoticeData } from '../../notices.ts';

const text = (data: NoticeData, key: string): string => String(data[key] ?? '');

const argvOf = (data: NoticeData, verb: 'take' | 'rewrite'): string[] => [
  'gbrain',
  'content',
  verb,
  '--source',
  text(data, 'source'),
  '--',
  text(data, 'slug'),
];

export default defineNotices({
  file_held: {
    kind: 'ask',
    perCall: true,
    summary: 'The file of a page in the content directory was edited by hand, so the page is not written over it.',
    why: (d) =>
      d.state === 'failed'
        ? `The file of ${text(d, 'slug')} (${text(d, 'path')}) could not be written: ${text(d, 'reason')}.`
        : `The file of ${text(d, 'slug')} (${text(d, 'path')}) was changed outside gbrain and is left as it is.`,
    userMessage: (d) =>
      `The file ${text(d, 'path')} was edited by hand and differs from the page ${text(d, 'slug')}. ` +
      'Shall I take the file, or write the page over it? What is replaced is kept either way.',
    decisions: (d) => [
      {
        id: 'file_held',
        question: `Which text of ${text(d, 'slug')} counts: the file ${text(d, 'path')}, or the page?`,
        options: [
          { id: 'take', label: 'The file: it becomes the page, and a version is kept', argv: argvOf(d, 'take') },
          { id: 'rewrite', label: 'The page: the file is put aside and written again', argv: argvOf(d, 'rewrite') },
        ],
        default: 'take',
        default_reason: 'Somebody wrote into the file on purpose, and nothing of the page is lost.',
      },
    ],
    example: { slug: 'people/alice-example', path: 'people/alice-example.md', source: 'default', state: 'held' },
  },
});
