// A query that may be searched for: with something to look for in it, days that are days. Any other text is a valid
// query.
import type { Context } from '../../context.ts';
import { holdsWords } from '../../index/analysis.ts';
import type { SearchInput } from './run-search.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** True for a day of the calendar; a text like 2026-02-30 names none. */
function isDay(text: string): boolean {
  const time = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The input when it can be searched for; fails with `invalid_params` otherwise. */
export function requireQuery<In extends SearchInput>(ctx: Context, tool: string, input: In): In {
  if (!holdsWords(input.query)) {
    const isBlank = input.query.trim() === '';
    const expected = `words to look for, such as "renewal terms"${isBlank ? '' : '; it holds only punctuation'}`;
    ctx.fail('invalid_params', { tool, param: 'query', problem: isBlank ? 'missing' : 'shape', expected });
  }
  for (const param of ['since', 'until'] as const) {
    const day = input[param];
    if (day !== undefined && !isDay(day)) {
      const { [param]: _, ...corrected } = input;
      ctx.fail('invalid_params', { tool, param, problem: 'shape', expected: 'a day, YYYY-MM-DD', corrected });
    }
  }
  return input;
}
