// get_write_request: where one's own write stands, with the effects that still follow it.
import { defineOperation } from '../../operation.ts';
import { findReceipt, refuseMissing, requireRequestId } from './find-receipt.ts';
import { foundShape, receiptLines } from './receipt-view.ts';
import { readEffects } from './writes.sql.ts';

export default defineOperation({
  name: 'get_write_request',
  title: 'Receipt of a write',
  summary: 'Says whether one of your writes took effect, and what it did.',
  requirement: 'facts/contract G.7, J.3; AGENT_OPERATOR v1, Safe recovery',
  scope: 'write',
  surface: 'starter',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({ request_id: z.string().describe('Id of the request, as you or the reply gave it') }),
  output: (z) => z.object(foundShape(z)),
  errors: ['not_found'],
  cli: { command: 'write-request', group: 'Pages', positionals: ['request_id'], human: receiptLines },
  examples: [{ title: 'A receipt', input: { request_id: '4b8f6d1e-0b7a-4f0e-9d57-6f3e2b1a9c10' } }],
  run: async (ctx, input) => {
    const requestId = requireRequestId(ctx, 'get_write_request', input.request_id);
    const found = await findReceipt(ctx, requestId);
    if (!found) return refuseMissing(ctx, requestId);
    const { receipt, row } = found;
    const waiting = row?.page_id ? await readEffects(ctx.brain.store, row.page_id) : [];
    const error = receipt.write_error === undefined ? undefined : ctx.host.registry.errors.get(receipt.write_error);
    return {
      ...receipt,
      ...(error && { write_error_message: error.summary }),
      effects: waiting.map(({ kind, attempts, last_error }) => ({
        kind,
        state: last_error === null ? ('pending' as const) : ('failed' as const),
        attempts,
      })),
    };
  },
});
