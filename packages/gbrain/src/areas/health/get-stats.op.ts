// get_stats: how much the brain holds.
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';
import { readCounts } from './health.sql.ts';

export default defineOperation({
  name: 'get_stats',
  title: 'Size of this brain',
  summary: 'Counts pages by type and source, chunks, links, tags and timeline entries.',
  requirement: 'facts/contract G.12',
  scope: 'admin',
  surface: 'full',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      page_count: z.number(),
      deleted_count: z.number(),
      chunk_count: z.number(),
      link_count: z.number(),
      tag_count: z.number(),
      timeline_entry_count: z.number(),
      bytes: z.number(),
      last_write: z.string().nullable(),
      pages_by_type: z.record(z.string(), z.number()),
      pages_by_source: z.record(z.string(), z.number()),
    }),
  errors: [],
  cli: {
    command: 'stats',
    group: 'Health',
    human: (counts, view) => {
      const number = (n: number) => n.toLocaleString('en');
      const deleted = counts.deleted_count > 0 ? view.dim(` (${number(counts.deleted_count)} deleted)`) : '';
      const rows: [string, string][] = [
        ['Pages', `${number(counts.page_count)}${deleted}`],
        ['Chunks', number(counts.chunk_count)],
        ['Links', number(counts.link_count)],
        ['Tags', number(counts.tag_count)],
        ['Dated entries', number(counts.timeline_entry_count)],
        ['Text', `${number(Math.ceil(counts.bytes / 1024))} KiB`],
        ['Last write', counts.last_write?.slice(0, 16).replace('T', ' ') ?? 'never'],
      ];
      const types = Object.entries(counts.pages_by_type).map(([type, n]): [string, string] => [type, number(n)]);
      const sources = Object.entries(counts.pages_by_source).map(([id, n]): [string, string] => [id, number(n)]);
      return [
        ...twoColumns(rows, ''),
        ...(types.length > 0 ? ['', view.bold('By type'), ...twoColumns(types)] : []),
        ...(sources.length > 1 ? ['', view.bold('By source'), ...twoColumns(sources)] : []),
      ].join('\n');
    },
  },
  examples: [{ title: 'How much there is', input: {} }],
  run: async ({ brain, caller }) => readCounts(brain.store, caller.owner ? 'all' : 'world'),
});
