// Codes of taking transcripts in.
import { defineErrors } from '../../failure.ts';
import { text } from '../../row-text.ts';

const MESSAGES: Record<string, string> = {
  missing: 'does not exist',
  no_permission: 'cannot be read',
  not_absolute: 'is not an absolute path',
};

export default defineErrors({
  transcripts_unreadable: {
    class: 'caller',
    exit: 2,
    summary: 'The file or folder of an ingest is not there, or cannot be read.',
    reasons: ['missing', 'no_permission', 'not_absolute'],
    message: (d) => `${text(d, 'path')} ${MESSAGES[text(d, 'reason')] ?? 'cannot be read'}.`,
    suggestion: 'Name a file or folder that this user can read. Nothing was read or changed.',
    fix: (d) => ({
      argv: ['ls', '-la', '--', text(d, 'above')],
      why: 'It lists what is in the nearest folder above that is there, with who may read it.',
    }),
    example: {
      path: '/home/alice-example/exports/conversations.jsn',
      above: '/home/alice-example/exports',
      reason: 'missing',
    },
  },
});
