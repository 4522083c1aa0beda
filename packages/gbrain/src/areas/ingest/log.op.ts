// log_ingest: one entry of the log, by whoever brought pages in by another way than import.
import { defineOperation } from '../../operation.ts';
import { keepIngest } from './ingest.sql.ts';

export default defineOperation({
  name: 'log_ingest',
  title: 'Log an ingest',
  summary: 'Keeps that pages were brought in from somewhere: what, from where, which pages.',
  requirement: 'facts/contract G.12',
  scope: 'write',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: false,
  input: (z) => ({
    source_type: z.string().min(1).max(64).describe('Kind of origin, e.g. meeting-notes'),
    source_ref: z.string().min(1).max(1000).describe('What it was: a path, an address, a title'),
    pages_updated: z.array(z.string().max(512)).max(1000).describe('Slugs of the pages that were written'),
    summary: z.string().min(1).max(2000).describe('What was brought in, in a sentence'),
  }),
  output: (z) => z.object({ status: z.literal('ok'), id: z.number() }),
  errors: ['unknown_source'],
  cli: {
    command: 'log-ingest',
    group: 'Sources',
    positionals: ['source_type', 'source_ref', 'summary'],
    human: ({ id }) => `Logged (${id})`,
  },
  examples: [
    {
      title: 'Notes of a meeting',
      input: {
        source_type: 'meeting-notes',
        source_ref: 'Weekly call, 2 March',
        pages_updated: ['meetings/2026-03-02-weekly-call', 'people/alice-example'],
        summary: 'Two decisions and one follow-up.',
      },
    },
  ],
  run: async (ctx, input) => {
    const rows = await ctx.brain.store.query<{ id: number }>(
      keepIngest({
        sourceId: ctx.target.source,
        sourceType: input.source_type,
        sourceRef: input.source_ref,
        pagesUpdated: input.pages_updated,
        summary: input.summary,
        at: ctx.now(),
      }),
    );
    return { status: 'ok' as const, id: rows[0]!.id };
  },
});
