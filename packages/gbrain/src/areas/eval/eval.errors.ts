// Codes of evaluations.
import { defineErrors, type FailData } from '../../failure.ts';

const MESSAGES: Record<string, string> = {
  missing: 'does not exist',
  no_permission: 'cannot be read',
  malformed: 'is not what its layout promises',
  unknown_layout: 'holds no test set that is known',
  no_questions: 'holds no question with an answer: queries and judgements have no id, or no document, in common',
};

/** Whether the path itself could be opened, so that what it holds is what to look at. */
const isLookedInto = (d: FailData): boolean => d.reason === 'unknown_layout' || d.reason === 'no_questions';

export default defineErrors({
  eval_dataset: {
    class: 'caller',
    exit: 2,
    summary: 'The path of an evaluation cannot be read, or holds no test set that is known.',
    reasons: ['missing', 'no_permission', 'malformed', 'unknown_layout', 'no_questions'],
    message: (d) => {
      const place = d.place === undefined ? '' : ` (${String(d.place)})`;
      return `${String(d.path)} ${MESSAGES[String(d.reason)] ?? 'cannot be read'}${place}.`;
    },
    suggestion:
      'Give a LoCoMo or LongMemEval file, a folder of BEAM chats, or a folder with queries.jsonl and qrels. Nothing was changed.',
    fix: (d) =>
      d.file === undefined
        ? {
            argv: ['ls', '-la', '--', String(isLookedInto(d) ? d.path : d.above)],
            why: 'It lists what is there, with who may read it.',
          }
        : { argv: ['sed', '-n', `${String(d.line)}p`, String(d.file)], why: 'It shows the line that does not fit.' },
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
