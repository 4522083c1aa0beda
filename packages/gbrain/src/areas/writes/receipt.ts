// The receipt on the wire, from a stored row or from a write that still waits. Pure. Source: facts/contract J.3.
import type { z as Zod } from 'zod';
import type { Z } from '../../operation.ts';
import type { Ticket } from './queue.ts';
import type { StoredReceipt } from './receipts.ts';

/** What a write stands at, for its own principal. */
export interface Receipt {
  request_id: string;
  client_request_id?: string;
  state: 'queued' | 'running' | 'committed' | 'conflict' | 'failed' | 'cancelled';
  /** When to look again; null when the write is over. */
  retry_after_ms: number | null;
  revision?: string;
  outcome?: Record<string, unknown>;
  persistence: { mode: 'database' };
  created_at: string;
  updated_at: string;
  diagnostic?: Diagnostic;
}

/** Why a write is not over, and what to do about it. */
export interface Diagnostic {
  age_ms: number;
  observed_at: string;
  assessment: 'pending' | 'stalled';
  reason: 'pending' | 'waiting_on_earlier_write';
  next_action: 'poll' | 'inspect_owner';
}

/** Schema of the receipt's keys, for the outputs that carry one. */
export const receiptShape = (z: Z) =>
  ({
    request_id: z.string(),
    client_request_id: z.string().optional(),
    state: z.enum(['queued', 'running', 'committed', 'conflict', 'failed', 'cancelled']),
    retry_after_ms: z.number().nullable(),
    revision: z.string().optional(),
    outcome: z.record(z.string(), z.unknown()).optional(),
    persistence: z.object({ mode: z.literal('database') }),
    created_at: z.string(),
    updated_at: z.string(),
    diagnostic: z
      .object({
        age_ms: z.number(),
        observed_at: z.string(),
        assessment: z.enum(['pending', 'stalled']),
        reason: z.enum(['pending', 'waiting_on_earlier_write']),
        next_action: z.enum(['poll', 'inspect_owner']),
      })
      .optional(),
  }) satisfies Record<string, Zod.ZodType>;

const SECOND = 1000;

/** Poll every second at first, then every 5, from two minutes on every 30 with a look at the owner. */
const pollMs = (ageMs: number): number =>
  ageMs < 30 * SECOND ? SECOND : ageMs < 120 * SECOND ? 5 * SECOND : 30 * SECOND;

/** The receipt of a write that is over. */
export const storedReceipt = (row: StoredReceipt): Receipt => ({
  request_id: row.request_id,
  ...(row.client_request_id !== null && { client_request_id: row.client_request_id }),
  state: row.state,
  retry_after_ms: null,
  ...(row.revision !== null && { revision: row.revision }),
  ...(row.outcome !== null && { outcome: row.outcome }),
  persistence: { mode: 'database' },
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** The receipt of a write that waits or runs. */
export function openReceipt({ write, state }: Ticket, now: Date): Receipt {
  const ageMs = Math.max(0, now.getTime() - write.at.getTime());
  const isStalled = ageMs >= 120 * SECOND;
  return {
    request_id: write.requestId,
    ...(write.clientRequestId !== undefined && { client_request_id: write.clientRequestId }),
    state: state === 'queued' ? 'queued' : 'running',
    retry_after_ms: pollMs(ageMs),
    persistence: { mode: 'database' },
    created_at: write.at.toISOString(),
    updated_at: write.at.toISOString(),
    diagnostic: {
      age_ms: ageMs,
      observed_at: now.toISOString(),
      assessment: isStalled ? 'stalled' : 'pending',
      reason: state === 'queued' ? 'waiting_on_earlier_write' : 'pending',
      next_action: isStalled ? 'inspect_owner' : 'poll',
    },
  };
}

/** The receipt of a write that failed before it could leave one; this process still remembers it. */
export const failedReceipt = (write: Ticket['write']): Receipt => ({
  request_id: write.requestId,
  ...(write.clientRequestId !== undefined && { client_request_id: write.clientRequestId }),
  state: 'failed',
  retry_after_ms: null,
  persistence: { mode: 'database' },
  created_at: write.at.toISOString(),
  updated_at: write.at.toISOString(),
});
