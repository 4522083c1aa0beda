// search_rebuild: the index made from the pages again, where doctor finds that it does not hold them all.
import { defineOperation } from '../../operation.ts';
import { counted } from '../../row-text.ts';

export default defineOperation({
  name: 'search_rebuild',
  title: 'Build the search index again',
  summary: 'Builds the search index from the pages again; no page changes, and searches go on meanwhile.',
  requirement: 'facts/user-faults P55; facts/contract K.3',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: false,
  mutating: true,
  idempotent: true,
  localOnly: true,
  deadlineMs: 10 * 60_000,
  input: () => ({}),
  output: (z) => z.object({ pages: z.number(), elapsed_ms: z.number() }),
  errors: [],
  cli: {
    command: 'search rebuild',
    group: 'Search',
    human: ({ pages, elapsed_ms }) => `${counted(pages, 'page')} indexed in ${(elapsed_ms / 1000).toFixed(1)} s`,
  },
  examples: [{ title: 'After doctor says that pages are missing', input: {} }],
  run: async ({ brain }) => {
    const startedMs = performance.now();
    const pages = await (await brain.index()).rebuild();
    return { pages, elapsed_ms: Math.round(performance.now() - startedMs) };
  },
});
