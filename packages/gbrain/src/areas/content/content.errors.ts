// Codes of writing a source out. Source: design/decisions 19b.
import { dirname } from 'node:path';
import { defineErrors, type FailData } from '../../failure.ts';

const text = (data: FailData, key: string): string => String(data[key] ?? '');

const MESSAGES: Record<string, string> = {
  not_absolute: 'is not an absolute path',
  own_home: 'is inside the folder in which gbrain keeps its own data',
  cannot_make: 'is not a folder, and none can be made there',
  other_export: 'holds the export of another brain or source',
  occupied: 'holds a _gbrain folder that no export wrote',
};

export default defineErrors({
  export_folder: {
    class: 'caller',
    exit: 2,
    summary: 'The folder cannot take this export.',
    reasons: ['not_absolute', 'own_home', 'cannot_make', 'other_export', 'occupied'],
    message: (d) => `${text(d, 'folder')} ${MESSAGES[text(d, 'reason')] ?? 'cannot be written'}. Nothing was written.`,
    suggestion: 'Name another folder; it is made when it is not there.',
    fix: (d) => ({
      argv: ['ls', '-la', '--', dirname(text(d, 'folder'))],
      why: 'It lists what stands beside the folder, so that a free name can be chosen.',
    }),
    example: { folder: '/home/alice-example/notes-out', reason: 'other_export' },
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
