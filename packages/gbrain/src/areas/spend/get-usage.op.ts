// get_usage: what models cost, under which caps, and which calls are counted without their end being known.
import { defineOperation } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { showUsd, toUsd } from './prices.ts';
import { readGroups, readUncertainCalls, readUsage } from './spend.sql.ts';

const DAY_MS = 86_400_000;
const SHOWN_MAX = 50;
/** A call is over by now or its process is gone. */
const SURELY_OVER_MS = 15 * 60_000;

export default defineOperation({
  name: 'get_usage',
  title: 'Usage and cost',
  summary: 'What models cost by model and purpose, the caps, and calls whose end is not known.',
  requirement: 'facts/contract G.12; facts/user-faults P53',
  scope: 'admin',
  surface: 'full',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({ days: z.number().int().min(1).max(366).describe('How many days back').default(30) }),
  output: (z) =>
    z.object({
      days: z.number(),
      total_usd: z.number(),
      models: z.array(
        z.object({
          model: z.string(),
          purpose: z.string(),
          calls: z.number(),
          failed: z.number(),
          input_tokens: z.number(),
          output_tokens: z.number(),
          usd: z.number(),
          unpriced_calls: z.number(),
        }),
      ),
      uncertain: z.array(
        z.object({
          id: z.string(),
          model: z.string(),
          purpose: z.string(),
          operation: z.string(),
          why: z.string(),
          counted_usd: z.number(),
          started_at: z.string(),
        }),
      ),
      groups: z.array(
        z.object({
          group_id: z.string(),
          operation: z.string(),
          day: z.string().nullable(),
          cap_usd: z.number().nullable(),
          cap_source: z.enum(['user', 'derived', 'default']),
          spent_usd: z.number(),
          reserved_usd: z.number(),
          remaining_usd: z.number().nullable(),
        }),
      ),
    }),
  errors: [],
  cli: {
    command: 'usage',
    group: 'Health',
    human: ({ days, total_usd, models, uncertain }, view) => {
      if (models.length === 0) return `No model was paid in the last ${days} days.`;
      const width = Math.max(...models.map(({ model }) => model.length));
      const lines = models.map(
        (row) =>
          `${row.model.padEnd(width)}  ${row.purpose.padEnd(11)}  ${showUsd(row.usd).padStart(8)}  ` +
          `${counted(row.calls, 'call')}${row.failed > 0 ? `, ${row.failed} failed` : ''}` +
          `${row.unpriced_calls > 0 ? `, ${row.unpriced_calls} without a price` : ''}`,
      );
      const open = uncertain.map(
        (row) =>
          `${view.yellow('uncertain')}  ${row.model} for ${row.operation}: ${row.why}, ` +
          `counted at ${showUsd(row.counted_usd)}`,
      );
      return [`${view.bold(showUsd(total_usd))} in ${days} days`, ...lines, ...open].join('\n');
    },
  },
  examples: [{ title: 'The last week', input: { days: 7 } }],
  run: async (ctx, { days }) => {
    const { store } = ctx.brain;
    const now = ctx.now().getTime();
    const since = new Date(now - days * DAY_MS);
    const usage = await readUsage(store, since);
    const uncertain = await readUncertainCalls(store, since, SHOWN_MAX);
    const groups = await readGroups(store, since, SHOWN_MAX);
    const over = uncertain.filter(
      ({ state, started_at }) => state === 'unknown' || now - started_at.getTime() > SURELY_OVER_MS,
    );
    return {
      days,
      total_usd: toUsd(usage.reduce((sum, row) => sum + row.charged_micros, 0)),
      models: usage.map(({ charged_micros, unpriced, ...row }) => ({
        ...row,
        usd: toUsd(charged_micros),
        unpriced_calls: unpriced,
      })),
      uncertain: over.map((row) => ({
        id: row.id,
        model: row.model,
        purpose: row.purpose,
        operation: row.operation,
        why: row.state === 'reserved' ? 'its process ended before the answer' : `it ended with ${row.outcome}`,
        counted_usd: toUsd(row.micros),
        started_at: row.started_at.toISOString(),
      })),
      groups: groups.map((group) => ({
        group_id: group.id,
        operation: group.operation,
        day: group.key?.split(':')[1] ?? null,
        cap_usd: group.cap_micros === null ? null : toUsd(group.cap_micros),
        cap_source: group.cap_source,
        spent_usd: toUsd(group.spent_micros),
        reserved_usd: toUsd(group.reserved_micros),
        remaining_usd:
          group.cap_micros === null ? null : toUsd(group.cap_micros - group.spent_micros - group.reserved_micros),
      })),
    };
  },
});
