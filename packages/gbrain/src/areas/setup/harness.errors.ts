// Codes of registering gbrain with agent apps. Source: facts/contract A.4 (Setup / harness).
import { defineErrors } from '../../failure.ts';
import { text } from '../../row-text.ts';

const MESSAGES: Record<string, string> = {
  not_readable: 'is not what its app writes, so it was left as it is',
  not_editable: 'holds the entry in a form that cannot be changed alone, so it was left as it is',
  changed: 'changed while it was looked at, so it was left as it is',
};

export default defineErrors({
  harness_file_refused: {
    class: 'caller',
    summary: 'The configuration file of an agent app cannot be changed without a risk to the rest of it.',
    reasons: ['not_readable', 'not_editable', 'changed'],
    message: (d) => `${text(d, 'file')} ${MESSAGES[text(d, 'reason')] ?? 'was left as it is'}.`,
    suggestion: 'Look at the file, put it right or register gbrain in the app itself, and run the command again.',
    fix: (d) => ({
      argv: ['ls', '-la', '--', text(d, 'file')],
      actor: 'user',
      why: 'It shows whose file it is and when it was written last. Nothing was changed.',
    }),
    example: { file: '/home/alice-example/.codex/config.toml', reason: 'not_readable', app: 'Codex' },
  },
});
