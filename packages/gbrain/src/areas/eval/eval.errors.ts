// Codes of evaluations.
import { defineErrors } from '../../failure.ts';

const MESSAGES: Record<string, string> = {
  missing: 'does not exist',
  no_permission: 'cannot be read',
  malformed: 'is not what its layout promises',
  unknown_layout: 'holds no test set that is known',
};

export default defineErrors({
  eval_dataset: {
    class: 'caller',
    exit: 2,
    summary: 'The path of an evaluation cannot be read, or holds no test set that is known.',
    reasons: ['missing', 'no_permission', 'malformed', 'unknown_layout'],
    message: (d) => {
      const place = d.place === undefined ? '' : ` (${String(d.place)})`;
      return `${String(d.path)} ${MESSAGES[String(d.reason)] ?? 'cannot be read'}${place}.`;
    },
    suggestion:
      'Give a LoCoMo or LongMemEval file, a folder of BEAM chats, or a folder with queries.jsonl and qrels. Nothing was changed.',
    fix: (d) => ({
      argv: ['ls', '-la', '--', String(d.reason === 'unknown_layout' ? d.path : d.above)],
      why: 'It lists what is there, with who may read it.',
    }),
    example: { path: '/home/alice-example/locomo.json', above: '/home/alice-example', reason: 'missing' },
  },
  eval_refused: {
    class: 'unavailable',
    summary: 'The open brain refused to answer a question of an evaluation.',
    message: (d) => `The brain answered a question of the set with ${String(d.code)}.`,
    suggestion: 'See what the brain lacks, then run the evaluation again. Nothing was changed.',
    why: 'A set without texts of its own is asked of the open brain.',
    fix: () => ({ call: { op: 'run_doctor', input: {} }, why: 'It says what keeps the brain from answering.' }),
    example: { code: 'no_brain' },
  },
});
