// search_stats: sizes of the index and how far it has followed. There is no query cache to report on.
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';

const kib = (bytes: number): string => `${Math.round(bytes / 1024).toLocaleString('en')} KiB`;
const pair = (name: string, value: string): [string, string] => [name, value];

export default defineOperation({
  name: 'search_stats',
  title: 'Figures of the index',
  summary: 'Shows the size of the search index, its vectors included, and how far it has followed the changes.',
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
      vectors: z.object({ count: z.number(), bytes: z.number(), bytes_per_vector: z.number() }).nullable(),
      near_words: z.object({ language: z.string(), bytes: z.number() }).nullable(),
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
          ['Memory', `${kib(out.bytes)} (${out.bytes_per_page.toLocaleString('en')} bytes a page)`],
          ...(out.vectors
            ? [pair('Vectors', `${out.vectors.count.toLocaleString('en')}, ${kib(out.vectors.bytes)}`)]
            : []),
          ...(out.near_words ? [pair('Near words', `${out.near_words.language}, ${kib(out.near_words.bytes)}`)] : []),
          ['Segments', String(out.segments)],
          ['Language', out.language],
          ['Follows', `change ${out.position}`],
          ...(out.rebuilt_because ? [pair('Built', `anew: its file was ${out.rebuilt_because}`)] : []),
          ['Query cache', 'none: every search is answered anew'],
        ],
        '',
      ).join('\n'),
  },
  examples: [{ title: 'The index', input: {} }],
  run: async (ctx) => {
    const live = await ctx.brain.index();
    const figures = (await live.current()).stats();
    const vectors = (await live.vectors.current())?.stats();
    const words = live.words();
    return {
      documents: figures.documents,
      bytes: figures.bytes,
      bytes_per_page: figures.bytesPerPage,
      segments: figures.segments,
      vectors: vectors
        ? { count: vectors.vectors, bytes: vectors.bytes, bytes_per_vector: vectors.bytesPerVector }
        : null,
      near_words: words && { language: words.language, bytes: words.bytes },
      language: figures.language,
      position: live.position,
      rebuilt_because: live.rebuilt ?? null,
      query_cache: 'none' as const,
    };
  },
});
