// Codes of write requests and their receipts. Source: facts/contract A.3, J.3.
import { defineErrors, type FailData, type FailPoint } from '../../failure.ts';
import type { FixSpec } from '../../fix.ts';
import { text } from '../../row-text.ts';

const receipt = (data: FailData, why: string): FixSpec => ({
  call: { op: 'get_write_request', input: { request_id: text(data, 'requestId') } },
  why,
});

/** The same write under a new id of its own. */
function anew(at: FailPoint): FixSpec {
  const { request_id: _, ...input } = at.input;
  return { call: { op: at.operation, input }, why: 'The same write without the used id gets one of its own.' };
}

export default defineErrors({
  idempotency_conflict: {
    class: 'caller',
    httpStatus: 409,
    summary: 'The request id was used before for another write.',
    message: (d) => `Request ${text(d, 'requestId')} was another write (${text(d, 'state')}); nothing was done now.`,
    suggestion: 'Send a different write under a request id of its own.',
    fix: (_, at) => anew(at),
    example: { requestId: '4b8f6d1e-0b7a-4f0e-9d57-6f3e2b1a9c10', state: 'committed' },
  },
  write_pending: {
    class: 'retryable',
    exit: 10,
    httpStatus: 202,
    retryable: false,
    summary: 'The write was accepted and had not committed when the wait ran out; it goes on.',
    message: (d) => `${text(d, 'operation')} was accepted and still waits (request ${text(d, 'requestId')}).`,
    suggestion: 'Do not send it again; look at its receipt.',
    fix: (d) => receipt(d, 'The receipt says whether the write has taken effect and when to look again.'),
    example: { operation: 'put_page', requestId: '4b8f6d1e-0b7a-4f0e-9d57-6f3e2b1a9c10' },
  },
  write_outcome_unknown: {
    class: 'retryable',
    retryable: false,
    summary: 'The link to the database was lost at the commit, so the write may or may not have taken effect.',
    message: (d) => `It is not known whether ${text(d, 'operation')} took effect.`,
    suggestion: 'Look at its receipt first; only when there is none, send the same request under the same id.',
    fix: (d) =>
      d.requestId
        ? receipt(d, 'A receipt exists exactly when the write took effect.')
        : {
            call: { op: 'list_write_requests', input: { limit: 5 } },
            why: 'A receipt exists exactly when the write took effect.',
          },
    example: { operation: 'put_page', requestId: '4b8f6d1e-0b7a-4f0e-9d57-6f3e2b1a9c10' },
  },
  queue_capacity: {
    class: 'retryable',
    httpStatus: 429,
    summary: 'Too many writes wait already; this one was not accepted.',
    message: (d) => `${text(d, 'waiting')} writes wait already, so this one was not accepted.`,
    suggestion: 'Wait a few seconds and send the same request again.',
    fix: () => ({
      call: { op: 'list_write_requests', input: { limit: 5 } },
      actor: 'provider',
      why: 'The line gets shorter by itself; your own waiting writes stand in this list.',
    }),
    example: { waiting: 1000 },
  },
});
