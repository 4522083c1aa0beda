// Codes of writing a source out. Source: design/decisions 19b.
import { defineErrors, type FailData, type FailPoint } from '../../failure.ts';

const text = (data: FailData, key: string): string => String(data[key] ?? '');

const MESSAGES: Record<string, string> = {
  not_absolute: 'is not an absolute path',
  own_home: 'is inside the folder in which gbrain keeps its own data',
  cannot_make: 'is not a folder, and none can be made there',
  other_export: 'holds the export of another brain or source',
  occupied: 'holds a _gbrain folder that no export wrote',
};

const fixInput = (d: FailData, at: FailPoint): Record<string, unknown> => ({
  ...(at.operation === 'content_take' && { slug: d.slug }),
  ...(at.input.source_id !== undefined && { source_id: at.input.source_id }),
});

export default defineErrors({
  export_folder: {
    class: 'caller',
    exit: 2,
    summary: 'The folder cannot take this export.',
    reasons: ['not_absolute', 'own_home', 'cannot_make', 'other_export', 'occupied'],
    message: (d) => `${text(d, 'folder')} ${MESSAGES[text(d, 'reason')] ?? 'cannot be written'}. Nothing was written.`,
    suggestion: 'Name another folder; it is made when it is not there.',
    fix: (d) => ({
      argv: ['ls', '-la', '--', text(d, 'above')],
      why: 'It lists the nearest folder above that is there, so that a free name can be chosen.',
    }),
    example: { folder: '/home/alice-example/notes-out', above: '/home/alice-example', reason: 'other_export' },
  },
  file_not_held: {
    class: 'caller',
    summary: 'The file of the page in the content directory is as the page says.',
    message: (d) => `The file of ${text(d, 'slug')} is not held; there is nothing to choose.`,
    suggestion: 'Look at the list of held files.',
    fix: (d) => ({
      call: { op: 'content_status', input: { source_id: d.source } },
      why: 'It lists the files that are held.',
    }),
    example: { slug: 'people/alice-example', source: 'default' },
  },
  file_unusable: {
    class: 'caller',
    summary: 'The held file cannot be read as a page, or is no file.',
    reasons: ['unreadable', 'not_a_file', 'changed', 'too_large', 'encoding', 'null_bytes'],
    message: (d) => `${text(d, 'path')} cannot be taken (${text(d, 'reason').replaceAll('_', ' ')}).`,
    suggestion: 'Correct the file, or write it from the page again.',
    fix: (d, at) => ({
      call: { op: at.operation === 'content_take' ? 'content_rewrite' : 'content_status', input: fixInput(d, at) },
      why:
        at.operation === 'content_take'
          ? 'It puts the file aside, whole, and writes the page in its place.'
          : 'It shows what stands in the way; a folder or link there has to be moved by hand.',
    }),
    example: { slug: 'people/alice-example', path: 'people/alice-example.md', reason: 'encoding' },
  },
  export_unreadable: {
    class: 'caller',
    summary: 'A file that says what an export holds cannot be read, or is not one.',
    reasons: ['unreadable', 'not_an_export'],
    message: (d) => `${text(d, 'path')} is not the manifest of an export that this version knows.`,
    suggestion: 'Take a newer gbrain, or move the _gbrain folder away to treat the folder as plain files.',
    why: 'Reading the rest of the folder without it would lose what no page holds.',
    fix: (d) => ({
      argv: ['head', '-c', '2000', '--', text(d, 'path')],
      why: 'It shows what the file says of itself.',
    }),
    example: { path: '/home/alice-example/notes-out/_gbrain/manifest.json', reason: 'not_an_export' },
  },
});
