// get_ingest_log: what was brought in lately, from where, and which pages it wrote.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { readIngests } from './ingest.sql.ts';

export default defineOperation({
  name: 'get_ingest_log',
  title: 'Ingest log',
  summary: 'What was brought in lately, from where, and which pages it wrote; newest first.',
  requirement: 'facts/contract G.7',
  scope: 'read',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    limit: field(z.number().int().min(1).max(200).describe('Most entries').default(20), { clamp: true }),
  }),
  output: (z) =>
    z.array(
      z.object({
        id: z.number(),
        source_id: z.string(),
        source_type: z.string(),
        source_ref: z.string(),
        pages_updated: z.array(z.string()),
        summary: z.string(),
        created_at: z.string(),
      }),
    ),
  errors: ['unknown_source'],
  cli: {
    command: 'ingest-log',
    group: 'Sources',
    short: { limit: 'n' },
    human: (rows) =>
      rows.length === 0
        ? 'Nothing was brought in yet.'
        : rows
            .map((row) => `${row.created_at.slice(0, 16).replace('T', ' ')}  ${row.source_ref}: ${row.summary}`)
            .join('\n'),
  },
  examples: [{ title: 'The last ones', input: { limit: 5 } }],
  run: async ({ brain, scope, caller }, { limit }) => {
    const rows = await readIngests(brain.store, scope, limit);
    return rows.map(({ created_at, ...row }) => ({
      ...row,
      // A path of the machine is its owner's affair.
      source_ref: caller.owner || row.source_type !== 'folder' ? row.source_ref : 'a folder',
      created_at: created_at.toISOString(),
    }));
  },
});
