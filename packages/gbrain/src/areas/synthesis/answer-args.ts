// What synthesize and think have in common: their window, their reply and how it is shown.
import type { Context } from '../../context.ts';
import type { Z } from '../../operation.ts';
import { parseSince } from '../facts/moments.ts';
import { showUsd } from '../spend/prices.ts';
import type { Synthesis } from './compose.ts';

/** Arguments of both. */
export const questionArgs = (z: Z) => ({
  question: z.string().describe('What to answer'),
  since: z.string().describe('Only what is dated on or after this').optional(),
  until: z.string().describe('Only what is dated on or before this').optional(),
});

/** Schema of an answer. Source: facts/contract G.6. */
export const synthesisShape = (z: Z) => ({
  answer: z.string(),
  sources: z.array(z.string()),
  gaps: z.array(z.string()),
  cost: z.object({
    model: z.string().nullable(),
    input_tokens: z.number().nullable(),
    output_tokens: z.number().nullable(),
    usd_estimate: z.number().nullable(),
  }),
  synthesis_status: z.enum(['ok', 'extractive_fallback']),
  pages_gathered: z.number(),
  facts_gathered: z.number(),
  takes_gathered: z.number(),
  warnings: z.array(z.string()),
  answer_raw: z.string().optional(),
  quote_check: z.object({ grounded: z.number(), repaired: z.number(), unverified: z.number() }).optional(),
  unverified_quotes: z.array(z.string()).optional(),
});

interface QuestionInput {
  question: string;
  since?: string | undefined;
  until?: string | undefined;
}

/** The question and its window in days; fails with `invalid_params` for an empty one or a moment that is none. */
export function requireQuestion(ctx: Context<string>, tool: string, input: QuestionInput) {
  if (input.question.trim() === '') {
    return ctx.fail('invalid_params', { tool, param: 'question', problem: 'missing', expected: 'a question' });
  }
  const day = (param: 'since' | 'until'): Record<string, string> => {
    const text = input[param];
    if (text === undefined) return {};
    const moment = parseSince(text, ctx.now());
    if (moment.ok) return { [param]: moment.at.toISOString().slice(0, 10) };
    const { [param]: _, ...corrected } = input;
    return ctx.fail('invalid_params', { tool, param, problem: 'shape', expected: moment.expected, corrected });
  };
  return { question: input.question.trim(), ...day('since'), ...day('until') };
}

/** An answer for a person. */
export function synthesisLines({ answer, gaps, cost, warnings }: Synthesis): string {
  const missing = gaps.length > 0 ? ['', 'Not known:', ...gaps.map((gap) => `- ${gap}`)] : [];
  const notes = warnings.length > 0 ? ['', ...warnings.map((warning) => `Note: ${warning}`)] : [];
  const usd = cost.usd_estimate === null ? 'no known price' : showUsd(cost.usd_estimate);
  const paid = cost.model === null ? [] : ['', `${cost.model}, ${usd}`];
  return [answer, ...missing, ...notes, ...paid].join('\n');
}
