// One page write of an operation, from its input to its reply: admitted, decided, committed, answered.
import type { Context } from '../../context.ts';
import type { Z } from '../../operation.ts';
import { type Receipt, receiptShape } from '../writes/receipt.ts';
import { submitWrite, writeReply } from '../writes/submit.ts';
import { commitPage } from './commit.ts';
import type { Asker } from './decide-write.ts';
import type { LintReport } from './lint.ts';
import type { Change, StoredPage, WriteStatus } from './page-write.ts';
import type { Slug } from './slug.ts';

/** What an operation asks of the write path. */
export interface PageWriteAsk {
  operation: string;
  slug: Slug;
  input: Record<string, unknown>;
  decide(page: StoredPage | undefined, asker: Asker): Change;
}

/** Reply of a page write: the receipt, then slug, status and what the operation adds. */
export type WriteReply = Receipt & {
  [key: string]: unknown;
  source_id: string;
  slug: string;
  resolved_slug?: string;
  status: WriteStatus;
  restored?: true;
  writer_lint?: LintReport;
};

/** Runs a page write through queue and commit. Raises what `submitWrite`, `commitPage` and `decide` raise. */
export async function writePage(ctx: Context, ask: PageWriteAsk): Promise<WriteReply> {
  const asker: Asker = { isOwner: ctx.caller.owner, source: ctx.target.source, slug: ask.slug };
  const committed = await submitWrite(ctx, ask, (admitted, signal) =>
    commitPage(
      ctx.brain.store,
      { ...admitted, operation: ask.operation, slug: ask.slug, decide: (page) => ask.decide(page, asker) },
      { signal },
    ),
  );
  return writeReply(committed) as WriteReply;
}

/** Schema of the keys that every page write answers with. */
export const writeReplyShape = (z: Z) => ({
  ...receiptShape(z),
  source_id: z.string(),
  slug: z.string(),
  resolved_slug: z.string().optional(),
  status: z.enum(['created', 'updated', 'unchanged', 'deleted', 'restored']),
});

const VERB: Record<string, string> = {
  created: 'Created',
  updated: 'Updated',
  unchanged: 'Nothing to change in',
  deleted: 'Deleted',
  restored: 'Restored',
};

/** One line for a person: what happened, to which page, and the revision that stands now. */
export const writeLine = (reply: { slug: string; status: string; revision?: string | undefined }): string =>
  `${VERB[reply.status] ?? reply.status} ${reply.slug}${reply.revision ? ` (revision ${reply.revision})` : ''}`;
