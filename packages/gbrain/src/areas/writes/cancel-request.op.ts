// cancel_write_request: takes one's own write out of the queue while it waits; otherwise shows where it stands.
import { defineOperation } from '../../operation.ts';
import { findReceipt, refuseMissing, requireRequestId } from './find-receipt.ts';
import { queueOf } from './queue.ts';
import { foundShape, receiptLines } from './receipt-view.ts';
import { keepCancelled } from './receipts.ts';

export default defineOperation({
  name: 'cancel_write_request',
  title: 'Take a write back',
  summary: 'Cancels one of your writes while it waits; one that runs or is over stays as its receipt says.',
  requirement: 'facts/contract G.7; design/decisions 22b',
  scope: 'write',
  surface: 'starter',
  where: 'brain',
  routesSource: false,
  mutating: true,
  idempotent: true,
  input: (z) => ({ request_id: z.string().describe('Id of the request') }),
  output: (z) => z.object(foundShape(z)),
  errors: ['not_found'],
  cli: { command: 'cancel-write', group: 'Pages', positionals: ['request_id'], human: receiptLines },
  examples: [{ title: 'Take a write back', input: { request_id: '4b8f6d1e-0b7a-4f0e-9d57-6f3e2b1a9c10' } }],
  run: async (ctx, input) => {
    const requestId = requireRequestId(ctx, 'cancel_write_request', input.request_id);
    const ticket = queueOf(ctx.brain.store).find(ctx.caller.principal, requestId);
    if (ticket?.cancel()) await keepCancelled(ctx.brain.store, ticket.write, ctx.now());
    const found = await findReceipt(ctx, requestId);
    return found ? found.receipt : refuseMissing(ctx, requestId);
  },
});
