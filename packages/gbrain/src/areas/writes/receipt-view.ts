// The wire schema of a found receipt and its lines for a person.
import type { HumanView, Z } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';
import { tableLines } from '../../render/table.ts';
import type { FoundReceipt } from './find-receipt.ts';
import { receiptShape } from './receipt.ts';

/** Schema of a receipt with what its request was. */
export const foundShape = (z: Z) => ({
  ...receiptShape(z),
  operation: z.string(),
  source_id: z.string().nullable(),
  slug: z.string().nullable(),
  write_error: z.string().optional(),
  write_error_message: z.string().optional(),
  effects: z
    .array(z.object({ kind: z.string(), state: z.enum(['pending', 'failed']), attempts: z.number() }))
    .optional(),
});

/** One receipt, aligned. */
export function receiptLines(receipt: FoundReceipt): string {
  const rows: [string, string][] = [
    ['request', receipt.request_id],
    ['state', receipt.state],
    ['operation', receipt.operation],
    ['page', receipt.slug ?? '-'],
  ];
  if (receipt.revision) rows.push(['revision', receipt.revision]);
  if (receipt.write_error) rows.push(['error', receipt.write_error]);
  if (receipt.retry_after_ms !== null) rows.push(['look again in', `${receipt.retry_after_ms / 1000} s`]);
  return twoColumns(rows, '').join('\n');
}

/** Several receipts, a line each. */
export function receiptTable(receipts: readonly FoundReceipt[], view: HumanView): string {
  if (receipts.length === 0) return 'No write requests.';
  return tableLines(
    receipts.map((one) => [
      { text: one.created_at.slice(0, 19).replace('T', ' '), style: view.dim },
      one.state,
      one.operation,
      { text: one.request_id, style: view.dim },
      one.slug ?? '',
    ]),
    view,
  ).join('\n');
}
