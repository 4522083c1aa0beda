// search_stats: sizes of the index and how far it has followed. There is no query cache to report on.
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';

export default defineOperation({
  name: 'search_stats',
  title: 'Figures of the index',
  summary: 'Shows the size of the search index and how far it has followed the changes.',
  requirement: 'facts/engine C.13; design/decisions 22c',
  scope: 'admin',
  surface: 'full',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      documents: z.number(),
      bytes: z.number(),
      bytes_per_page: z.number(),
      segments: z.number(),
      language: z.string(),
      position: z.string(),
      rebuilt_because: z.string().nullable(),
      query_cache: z.literal('none'),
    }),
  errors: [],
  cli: {
    command: 'search stats',
    group: 'Search',
    human: (out) =>
      twoColumns(
        [
          ['Pages', out.documents.toLocaleString('en')],
          ['Memory', `${Math.round(out.bytes / 1024).toLocaleString('en')} KiB (${out.bytes_per_page} bytes a page)`],
          ['Segments', String(out.segments)],
          ['Language', out.language],
          ['Follows', `change ${out.position}`],
          ...(out.rebuilt_because ? [['Built', `anew: its file was ${out.rebuilt_because}`] as [string, string]] : []),
          ['Query cache', 'none: every search is answered anew'],
        ],
        '',
      ).join('\n'),
  },
  examples: [{ title: 'The index', input: {} }],
  run: async (ctx) => {
    const live = await ctx.brain.index();
    const figures = (await live.current()).stats();
    return {
      documents: figures.documents,
      bytes: figures.bytes,
      bytes_per_page: figures.bytesPerPage,
      segments: figures.segments,
      language: figures.language,
      position: live.position,
      rebuilt_because: live.rebuilt ?? null,
      query_cache: 'none' as const,
    };
  },
});
