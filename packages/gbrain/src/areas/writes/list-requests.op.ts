// list_write_requests: one's own writes, newest first; those that still wait come before the stored ones.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { foundOpen, foundRow } from './find-receipt.ts';
import { queueOf } from './queue.ts';
import { openReceipt } from './receipt.ts';
import { foundShape, receiptTable } from './receipt-view.ts';
import { readReceipts } from './writes.sql.ts';

export default defineOperation({
  name: 'list_write_requests',
  title: 'Your writes',
  summary: 'Lists your own write requests, newest first.',
  requirement: 'facts/contract G.7, J.3',
  scope: 'write',
  surface: 'starter',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    source_id: z.string().describe('Only of this source').optional(),
    limit: field(z.number().int().min(1).max(100).describe('Receipts (default 25)'), {
      clamp: true,
      example: 25,
    }).optional(),
    before: z.number().int().min(1).describe('`next` of an earlier reply').optional(),
  }),
  output: (z) => z.object({ requests: z.array(z.object(foundShape(z))), next: z.number().nullable() }),
  errors: [],
  cli: { command: 'write-requests', group: 'Pages', human: ({ requests }, view) => receiptTable(requests, view) },
  examples: [{ title: 'The last five', input: { limit: 5 } }],
  run: async (ctx, input) => {
    const limit = input.limit ?? 25;
    const { principal } = ctx.caller;
    const rows = await readReceipts(ctx.brain.store, {
      principal,
      ...(input.source_id !== undefined && { sourceId: input.source_id }),
      ...(input.before !== undefined && { before: input.before }),
      limit: limit + 1,
    });
    const waiting = input.before === undefined ? queueOf(ctx.brain.store).list(principal) : [];
    const open = waiting
      .filter(({ write }) => input.source_id === undefined || write.sourceId === input.source_id)
      .map((ticket) => foundOpen(openReceipt(ticket, ctx.now()), ticket.write));
    const shown = rows.slice(0, limit);
    return {
      requests: [...open, ...shown.map(foundRow)],
      next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    };
  },
});
