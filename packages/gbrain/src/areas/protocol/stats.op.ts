// protocol stats: what the memory verbs have done here: writes by their receipts, refusals by their codes, facts.
import { readContractEvents } from '../../home/contract-log.ts';
import { defineOperation } from '../../operation.ts';
import { countFacts, countSessions, countWrites } from './protocol.sql.ts';
import { VERBS } from './verb-contract.ts';

const DAY_MS = 24 * 60 * 60_000;

function counts(rows: readonly { key: string; n: number }[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { key, n } of rows) sums[key] = (sums[key] ?? 0) + n;
  return sums;
}

export default defineOperation({
  name: 'protocol_stats',
  title: 'Use of the memory verbs',
  summary:
    'What the seven verbs did lately: writes with their receipts, refusals with their codes, and the facts there are.',
  requirement: 'issue Memory, gbrain protocol',
  scope: 'read',
  surface: 'cli',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({ days: z.number().min(1).max(365).describe('How far back').default(30) }),
  output: (z) =>
    z.object({
      protocol_version: z.literal(1),
      days: z.number(),
      verbs: z.array(
        z.object({
          verb: z.string(),
          writes: z.record(z.string(), z.number()).optional(),
          refusals: z.record(z.string(), z.number()),
        }),
      ),
      facts: z.object({ active: z.number(), expired: z.number(), written: z.number(), withdrawn: z.number() }),
      sessions: z.number(),
      not_counted: z.array(z.string()),
    }),
  errors: ['migrations_pending'],
  cli: {
    command: 'protocol stats',
    group: 'Contract',
    human: ({ days, verbs, facts, sessions }, view) => {
      const told = (sums: Record<string, number>) => Object.entries(sums).map(([key, n]) => `${key} ${n}`);
      return [
        view.bold(`Memory, last ${days} days`),
        `  facts     ${facts.active} hold, ${facts.expired} no longer, ` +
          `${facts.written} written, ${facts.withdrawn} withdrawn`,
        `  sessions  ${sessions} follow the changes`,
        ...verbs.map(({ verb, writes = {}, refusals }) => {
          const parts = [...told(writes), ...told(refusals).map((one) => `refused ${one}`)];
          return `  ${verb.padEnd(13)} ${parts.length > 0 ? parts.join(', ') : view.dim('nothing to tell')}`;
        }),
      ].join('\n');
    },
  },
  examples: [
    { title: 'The last month', input: {} },
    { title: 'The last week', input: { days: 7 } },
  ],
  run: async (ctx, { days }) => {
    const now = ctx.now();
    const since = new Date(now.getTime() - days * DAY_MS);
    const { store } = ctx.brain;
    const events = await readContractEvents(ctx.host.home, since);
    const writes = await countWrites(store, since);
    return {
      protocol_version: 1 as const,
      days,
      verbs: VERBS.map(({ verb, isWrite }) => ({
        verb,
        ...(isWrite && {
          writes: counts(
            writes.filter(({ operation }) => operation === verb).map(({ state, n }) => ({ key: state, n })),
          ),
        }),
        refusals: counts(events.filter(({ op }) => op === verb).map(({ code }) => ({ key: code, n: 1 }))),
      })),
      facts: await countFacts(store, ctx.scope, { since, now }),
      sessions: await countSessions(store, ctx.scope),
      // Reads leave no trace on purpose.
      not_counted: VERBS.filter(({ isWrite }) => !isWrite).map(({ verb }) => verb),
    };
  },
});
