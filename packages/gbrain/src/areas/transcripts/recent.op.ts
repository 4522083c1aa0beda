// get_recent_transcripts (`gbrain transcripts recent`): the conversations that were taken in lately.
import { defineOperation } from '../../operation.ts';
import { plainLine } from '../../render/text-width.ts';
import { field } from '../../schema.ts';
import { readRecentConversations } from './transcripts.sql.ts';

const DAY_MS = 86_400_000;
const SUMMARY_CHARS = 300;

export default defineOperation({
  name: 'get_recent_transcripts',
  title: 'Recent conversations',
  summary: 'Conversations that were taken in or grew lately, newest first.',
  requirement: 'facts/contract G.12, facts/engine G.5',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  localOnly: true,
  input: (z) => ({
    days: field(z.number().int().min(1).max(3_650).describe('How many days back (default 7)'), {
      clamp: true,
    }).optional(),
    summary: z.boolean().describe('Also how each begins').optional(),
    limit: field(z.number().int().min(1).max(200).describe('Most conversations (default 20)'), {
      clamp: true,
    }).optional(),
  }),
  output: (z) =>
    z.array(
      z.object({
        slug: z.string(),
        source_id: z.string(),
        title: z.string(),
        app: z.string(),
        started_at: z.string().nullable(),
        updated_at: z.string(),
        file: z.string().nullable(),
        summary: z.string().optional(),
      }),
    ),
  errors: ['unknown_source'],
  notices: ['param_clamped'],
  cli: {
    command: 'transcripts recent',
    group: 'Sources',
    human: (rows) =>
      rows.length === 0
        ? 'No conversation was taken in lately.'
        : rows.map((row) => plainLine(`${row.updated_at.slice(0, 10)}  ${row.slug}  ${row.title}`)).join('\n'),
  },
  examples: [{ title: 'Of the last week, with how they begin', input: { days: 7, summary: true } }],
  run: async (ctx, { days = 7, summary, limit = 20 }) => {
    const since = new Date(ctx.now().getTime() - days * DAY_MS);
    const rows = await readRecentConversations(ctx.brain.store, ctx.scope, { since, limit });
    return rows.map(({ lead, updated_at, ...row }) => ({
      ...row,
      updated_at: updated_at.toISOString(),
      ...(summary && { summary: (lead ?? '').replace(/\s+/g, ' ').trim().slice(0, SUMMARY_CHARS).toWellFormed() }),
    }));
  },
});
