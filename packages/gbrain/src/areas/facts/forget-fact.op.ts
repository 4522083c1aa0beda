// forget_fact: forget by the number of a fact, as extraction tools name it. What it does is what forget does.
import { defineOperation } from '../../operation.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { forgetFact } from './forget-fact.ts';

export default defineOperation({
  name: 'forget_fact',
  title: 'Forget a fact by number',
  summary: 'Ends a fact by its number and keeps its text from coming back; the same as forget.',
  requirement: 'facts/contract G.12',
  scope: 'write',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  destructive: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({
    id: z.number().int().min(1).describe('Number of the fact'),
    reason: z.string().max(500).describe('Why').optional(),
  }),
  output: (z) => z.looseObject({ id: z.string(), expired: z.boolean(), reason: z.string().nullable() }),
  errors: [...WRITE_ERRORS, 'not_found'],
  cli: {
    command: 'forget-fact',
    group: 'Memory',
    positionals: ['id'],
    human: ({ id, expired }) => (expired ? `Forgot fact ${id}.` : `Fact ${id} was over before.`),
  },
  examples: [{ title: 'A fact', input: { id: 412, reason: 'no longer true' } }],
  run: async (ctx, { id, reason }) => ({ ...(await forgetFact(ctx, id, reason === undefined ? {} : { reason })) }),
});
