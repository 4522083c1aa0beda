// get_brain_identity: which brain a session talks to. Nothing phones home, so no newer version is ever known of.
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';
import { readCounts } from './health.sql.ts';

export default defineOperation({
  name: 'get_brain_identity',
  title: 'Which brain this is',
  summary: 'Says which brain and version of gbrain this is, and how much it holds.',
  requirement: 'facts/contract G.12; design/decisions 5',
  scope: 'read',
  surface: 'full',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      version: z.string(),
      engine: z.enum(['pglite', 'postgres']),
      brain_id: z.string(),
      page_count: z.number(),
      chunk_count: z.number(),
      last_sync_iso: z.string().nullable(),
      update_available: z.boolean().nullable(),
      latest_version: z.string().nullable(),
    }),
  errors: [],
  cli: {
    command: 'identity',
    group: 'Health',
    human: ({ version, engine, brain_id, page_count }) =>
      twoColumns(
        [
          ['Brain', brain_id],
          ['Engine', engine],
          ['Pages', page_count.toLocaleString('en')],
          ['gbrain', version],
        ],
        '',
      ).join('\n'),
  },
  examples: [{ title: 'Which brain this session has', input: {} }],
  run: async ({ host, brain, caller }) => {
    const counts = await readCounts(brain.store, caller.owner ? 'all' : 'world');
    return {
      version: host.version,
      engine: brain.store.facts.engine,
      brain_id: brain.brainId,
      page_count: counts.page_count,
      chunk_count: counts.chunk_count,
      // Null is "not known": no source has been synchronised, and nobody asked for a look at newer versions.
      last_sync_iso: null,
      update_available: null,
      latest_version: null,
    };
  },
});
