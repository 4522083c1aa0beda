// forget: ends a fact and withdraws its text, so that neither a later write nor an import brings it back.
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import { defineOperation } from '../../operation.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { PROTOCOL_VERSION } from './fact.ts';
import { forgetFact } from './forget-fact.ts';
import { FACT_ID_EXPECTED, parseFactId } from './remember-fact.ts';

const REASON_MAX = 500;

function requireId(ctx: Context, text: string): number {
  const id = parseFactId(text);
  if (id !== undefined) return id;
  return ctx.fail('invalid_params', {
    tool: 'forget',
    param: 'id',
    problem: 'shape',
    expected: FACT_ID_EXPECTED,
    fix: {
      call: { op: 'recall', input: { entity: text.slice(0, 200) } },
      why: 'It lists the facts of that entity with their ids. Nothing was forgotten.',
    },
  });
}

export default defineOperation({
  name: 'forget',
  title: 'Forget',
  summary: 'Ends a fact by its id and keeps its text from coming back.',
  requirement: 'facts/contract G.6, facts/engine E.1',
  scope: 'write',
  surface: 'verbs',
  where: 'brain',
  routesSource: true,
  protocolVersion: PROTOCOL_VERSION,
  mutating: true,
  idempotent: true,
  destructive: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({
    id: z.string().describe('Fact id from recall, never a slug'),
    reason: z.string().max(REASON_MAX).describe('Why').optional(),
    semantic_review: z.boolean().describe('Look for facts that say the same in other words').default(true),
    request_id: z.string().describe('Your id of this write, for a safe repeat').optional(),
  }),
  output: (z) =>
    z.looseObject({
      protocol_version: z.literal(1),
      id: z.string(),
      expired: z.boolean(),
      reason: z.string().nullable(),
      similar_active: z.object({
        state: z.string(),
        candidates: z.array(z.object({ fact_id: z.string(), similarity: z.number() })),
        semantic_review: z.string(),
        next: z.string(),
      }),
    }),
  errors: [...WRITE_ERRORS, 'not_found'],
  cli: {
    command: 'forget',
    group: 'Memory',
    positionals: ['id'],
    human: ({ id, expired }) => (expired ? `Forgot fact ${id}.` : `Fact ${id} was over before.`),
  },
  examples: [{ title: 'A fact', input: { id: '412', reason: 'no longer true' } }],
  run: async (ctx, input) => {
    const id = requireId(ctx, input.id);
    if (input.reason !== undefined && (input.reason.includes('\u0000') || !input.reason.isWellFormed())) {
      raise('invalid_params', {
        tool: 'forget',
        param: 'reason',
        problem: 'shape',
        expected: 'whole text without NUL',
      });
    }
    return { ...(await forgetFact(ctx, id, input)) };
  },
});
