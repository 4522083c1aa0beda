// brain_score: how well the pages hang together. Loose notes are nobody's fault, so it never warns; a brain that has
// grown and hangs together nowhere has a step that shows where to begin.
import { defineCheck } from '../../../check.ts';
import { scoreBrain } from '../brain-score.ts';
import { readConnectedness } from '../health.sql.ts';

/** A large brain that hangs together nowhere is hard to walk. */
const GROWN_PAGES = 50;
const LOW_SCORE = 40;

export default defineCheck({
  name: 'brain_score',
  category: 'brain',
  summary: 'How well the pages hang together: links, references that lead somewhere, dated people and companies.',
  requirement: 'facts/contract K.1, K.4',
  needsBrain: true,
  run: async ({ brain, caller }) => {
    const figures = await readConnectedness(brain.store, caller.owner ? 'all' : 'world');
    const { score, parts } = scoreBrain(figures);
    const lost = parts.filter(({ points, of }) => points < of).map(({ why }) => why);
    const message = `${score} of 100${lost.length > 0 ? `: ${lost.join('; ')}` : ''}`;
    const details = { score, parts };
    if (figures.pages < GROWN_PAGES || score >= LOW_SCORE) return { status: 'ok', message, details };
    return {
      status: 'ok',
      message,
      details,
      fix: {
        call: { op: 'find_orphans', input: { limit: 20 } },
        why: 'It lists pages that nothing points to; a [[link]] in a page that speaks of them connects them.',
      },
    };
  },
});
