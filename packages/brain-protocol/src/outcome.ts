// How things end: outcomes of tools, failures in records, errors of the HTTP API. Knows no transport.
import { z } from 'zod';
import { Sequence } from './ids.ts';
import { Json } from './json.ts';

/** What went wrong, for a tool. */
export const OutcomeError = z.strictObject({
  code: z.string().min(1).max(128),
  message: z.string().max(4096),
  retryable: z.boolean().optional(),
  details: Json.optional(),
});

/**
 * How a tool call ended. `unknown` means that the call was sent and that nobody knows whether it took effect: Brain
 * never sends it again.
 */
export const Outcome = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('ok'), value: Json }),
  z.strictObject({ status: z.literal('error'), error: OutcomeError }),
  z.strictObject({ status: z.literal('timeout') }),
  z.strictObject({ status: z.literal('cancelled') }),
  z.strictObject({ status: z.literal('unknown'), message: z.string().max(4096) }),
]);
/** The parsed form of `Outcome`. */
export type Outcome = z.infer<typeof Outcome>;

/** Why a record of kind `*_failed` was written. `ambiguous`: the effect may have happened. */
export const Failure = z.strictObject({
  code: z.string().min(1).max(128),
  message: z.string().min(1).max(4096),
  retryable: z.boolean(),
  ambiguous: z.boolean(),
  sequence: Sequence.optional(),
});
export type Failure = z.infer<typeof Failure>;

/** Body of every HTTP answer that is not a success. */
export const ApiError = z.strictObject({
  code: z.string().min(1).max(128),
  message: z.string().min(1).max(4096),
  retryable: z.boolean(),
  details: Json.optional(),
});
export type ApiError = z.infer<typeof ApiError>;

/** Codes of the HTTP API: status, whether the same request may help later, and what they mean. */
export const API_ERRORS = {
  invalid_request: { status: 400, retryable: false, about: 'The request, or the state it was sent in, is not valid.' },
  unauthorized: { status: 401, retryable: false, about: 'The bearer token is missing or wrong.' },
  not_found: { status: 404, retryable: false, about: 'No such route, session, host or execution.' },
  conflict: { status: 409, retryable: false, about: 'Busy, unresolved, or an idempotency key with another body.' },
  overloaded: { status: 503, retryable: true, about: 'No capacity, no worker, or the server is draining.' },
  executor_failed: { status: 500, retryable: true, about: 'A loop or tool executor broke.' },
  ambiguous: { status: 500, retryable: false, about: 'It may have happened. It is not done again.' },
  model_provider_failed: { status: 500, retryable: false, about: 'The model provider refused or failed.' },
  model_output_invalid: { status: 500, retryable: false, about: 'The model finished with unusable output.' },
  model_output_incomplete: { status: 500, retryable: false, about: 'The model was cut off in a tool call.' },
  internal: { status: 500, retryable: false, about: 'The server cannot go on, usually because of its journal.' },
} as const satisfies Record<string, { status: number; retryable: boolean; about: string }>;

/** A code of the HTTP API. */
export type ApiErrorCode = keyof typeof API_ERRORS;
