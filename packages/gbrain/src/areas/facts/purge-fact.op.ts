// purge_fact: takes the words of a fact away for good. The owner's alone, at the command line, never without a plan.
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { planPurge, purgeConsent, purgeFact } from './purge-fact.ts';
import { FACT_ID_EXPECTED, parseFactId } from './remember-fact.ts';

function requireId(ctx: Context, text: string): number {
  const id = parseFactId(text);
  if (id !== undefined) return id;
  return ctx.fail('invalid_params', {
    tool: 'purge_fact',
    param: 'id',
    problem: 'shape',
    expected: FACT_ID_EXPECTED,
    fix: {
      call: { op: 'recall', input: { entity: text.slice(0, 200) } },
      why: 'It lists the facts of that entity with their ids. Nothing was purged.',
    },
  });
}

export default defineOperation({
  name: 'purge_fact',
  title: 'Purge a fact',
  summary: 'Takes the words of a fact away for good, wherever they are kept; forget only ends a fact.',
  requirement: 'facts/contract G.12',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  destructive: true,
  localOnly: true,
  ownerOnly: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({
    id: z.string().describe('Fact id from recall'),
    dry_run: z.boolean().describe('Only say what would go, and what stays elsewhere').optional(),
  }),
  consent: async (ctx, input, approval) =>
    input.dry_run ? undefined : purgeConsent(ctx, requireId(ctx, input.id), { input: { id: input.id }, approval }),
  output: (z) =>
    z.object({
      id: z.string(),
      dry_run: z.boolean(),
      status: z.enum(['purged', 'was_purged', 'would_purge']),
      /** Rows whose words went. */
      purged: z.array(z.string()),
      /** Pages that hold the words still. */
      still_in: z.array(z.string()),
    }),
  errors: [...WRITE_ERRORS, 'not_found', 'preview_changed'],
  cli: {
    command: 'purge-fact',
    group: 'Memory',
    positionals: ['id'],
    human: ({ id, status, purged, still_in }) => {
      const left = still_in.length > 0 ? `\nThese pages hold the words still: ${still_in.join(', ')}` : '';
      if (status === 'was_purged') return `Fact ${id} was purged before.`;
      const verb = status === 'purged' ? 'Purged' : 'Would purge';
      return `${verb} fact ${id}: the words of ${counted(purged.length, 'row')} (${purged.join(', ')}).${left}`;
    },
  },
  examples: [
    { title: 'Look first', input: { id: '412', dry_run: true } },
    { title: 'A fact', input: { id: '412' } },
  ],
  run: async (ctx, input) => {
    const id = requireId(ctx, input.id);
    const plan = await planPurge(ctx, id);
    const ids = plan.rows.map((row) => String(row.id));
    const told = { id: String(id), dry_run: input.dry_run ?? false, still_in: [...plan.stillIn] };
    if (plan.isDone) return { ...told, status: 'was_purged' as const, purged: [] };
    if (input.dry_run) return { ...told, status: 'would_purge' as const, purged: ids };
    return { ...told, status: 'purged' as const, purged: await purgeFact(ctx, id) };
  },
});
