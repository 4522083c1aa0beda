// Codes of taking folders in and of writing them out. Source: facts/contract A.3, J.1.
import { defineErrors } from '../../failure.ts';
import { text } from '../../row-text.ts';

const FOLDER_MESSAGES: Record<string, string> = {
  missing: 'does not exist',
  not_a_folder: 'is not a folder',
  no_permission: 'cannot be read',
  not_absolute: 'is not an absolute path',
};

export default defineErrors({
  folder_unreadable: {
    class: 'caller',
    exit: 2,
    summary: 'The folder of an import or a source is not there, or cannot be read.',
    reasons: ['missing', 'not_a_folder', 'no_permission', 'not_absolute'],
    message: (d) => `${text(d, 'folder')} ${FOLDER_MESSAGES[text(d, 'reason')] ?? 'cannot be read'}.`,
    suggestion: 'Name a folder that this user can read. Nothing was read or changed.',
    fix: (d) => ({
      argv: ['ls', '-la', '--', text(d, 'above')],
      why: 'It lists what is in the nearest folder above that is there, with who may read it.',
    }),
    example: { folder: '/home/alice-example/nots', above: '/home/alice-example', reason: 'missing' },
  },
  sync_not_applicable: {
    class: 'caller',
    summary: 'The folder is one that gbrain itself writes, so there is nothing to take in.',
    reasons: ['content_directory'],
    message: (d) => `${text(d, 'folder')} is the content directory, which gbrain writes from its pages.`,
    suggestion: 'Edit pages through gbrain; a file that was edited there is held and can be taken one by one.',
    why: 'Reading its own files back would make a page its own source.',
    fix: () => ({
      call: { op: 'content_status', input: {} },
      why: 'It lists the files of the content directory that were edited by hand, with the two ways out for each.',
    }),
    example: { folder: '/home/alice-example/.gbrain/content', reason: 'content_directory' },
  },
});
