// Codes of the home and its settings. Source: facts/contract A.3.
import { defineErrors } from '../../failure.ts';
import { text } from '../../row-text.ts';

export default defineErrors({
  config_error: {
    class: 'caller',
    summary: 'The configuration file cannot be read.',
    reasons: ['unreadable', 'not_json', 'not_an_object'],
    message: (d) => `The configuration file ${text(d, 'path')} cannot be read (${text(d, 'reason')}).`,
    suggestion: 'Tell the user to correct the file; gbrain does not change a file that it cannot read.',
    why: 'Settings in it would be lost if it were written again, so nothing was done.',
    fix: (d) => ({
      argv: ['cat', text(d, 'path')],
      actor: 'user',
      why: 'It shows the file, so that the place that is not JSON can be corrected.',
      userMessage: `gbrain's configuration file ${text(d, 'path')} is damaged. Please open it and correct it.`,
    }),
    example: { path: '/home/alice-example/.gbrain/config.json', reason: 'not_json' },
  },
});
