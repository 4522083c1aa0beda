// derive_rows: the rows that belong to a page's text made from it again, where doctor finds pages that lack them.
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import { defineOperation } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { commitGroup } from './commit-group.ts';
import type { PageWrite } from './page-write.ts';
import { countUnderived, readUnderived, type UnderivedRow } from './pages.sql.ts';
import type { Slug } from './slug.ts';

/** Pages of one transaction. */
const GROUP = 32;

/** The write that leaves a page as it is and writes its rows again. */
const derivation = (ctx: Context, { source_id, slug }: UnderivedRow): PageWrite => ({
  operation: 'derive_rows',
  sourceId: source_id,
  slug: slug as Slug,
  writer: { principal: ctx.caller.principal, trustTier: 'owner' },
  newRevision: ctx.newId(),
  at: ctx.now(),
  isFromFiles: true,
  isExact: true,
  decide: (page) => (page ? { kind: 'derive' } : raise('page_not_found', { slug, source: source_id })),
});

export default defineOperation({
  name: 'derive_rows',
  title: 'Derive rows again',
  summary: 'Writes the rows that belong to the text of pages again (chunks, links, timeline); no page changes.',
  requirement: 'facts/user-faults P13; facts/contract K.3',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: false,
  mutating: true,
  idempotent: true,
  localOnly: true,
  deadlineMs: 10 * 60_000,
  input: (z) => ({ all: z.boolean().optional().describe('Every page, not only those that lack rows') }),
  output: (z) =>
    z.object({
      pages: z.number(),
      failed: z.array(z.object({ source_id: z.string(), slug: z.string(), code: z.string() })),
    }),
  errors: ['page_not_found'],
  cli: {
    command: 'derive',
    group: 'Pages',
    human: ({ pages, failed }) =>
      [
        `The rows of ${counted(pages, 'page')} are derived from the text again`,
        ...failed.map(({ source_id, slug, code }) => `not of ${source_id}/${slug}: ${code}`),
      ].join('\n'),
  },
  examples: [
    { title: 'After doctor says that pages lack rows', input: {} },
    { title: 'Of every page', input: { all: true } },
  ],
  run: async (ctx, { all = false }) => {
    const { store } = ctx.brain;
    const total = await countUnderived(store, all);
    const failed: { source_id: string; slug: string; code: string }[] = [];
    let pages = 0;
    for (let afterId = 0; ; ) {
      ctx.signal.throwIfAborted();
      const rows = await readUnderived(store, { all, afterId, limit: GROUP });
      const outcomes = await commitGroup(
        store,
        rows.map((row) => derivation(ctx, row)),
        { signal: ctx.signal },
      );
      outcomes.forEach((outcome, i) => {
        const { source_id, slug } = rows[i]!;
        if (outcome.ok) pages += 1;
        else failed.push({ source_id, slug, code: 'code' in outcome.error ? outcome.error.code : outcome.error.fault });
      });
      ctx.progress({ what: 'deriving rows', done: pages + failed.length, total });
      if (rows.length < GROUP) return { pages, failed };
      afterId = rows.at(-1)!.id;
    }
  },
});
