// What a client call can fail with. Knows no transport.

import type { JsonValue } from '@gbrain/brain-protocol/json';
import { ApiError } from '@gbrain/brain-protocol/outcome';

/** What is known of an error beside its code and text. */
export interface BrainErrorFacts {
  status?: number;
  retryable?: boolean;
  details?: JsonValue | undefined;
  cause?: unknown;
}

/**
 * Brain refused or failed a request. `code` is one of `API_ERRORS`, or `connection_failed` (status 0: nobody answered,
 * and the request may or may not have arrived), `invalid_answer`, `closed` (this client was closed).
 */
export class BrainError extends Error {
  readonly code: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly retryable: boolean;
  readonly details: JsonValue | undefined;

  constructor(code: string, message: string, { status = 0, retryable = false, details, cause }: BrainErrorFacts = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'BrainError';
    this.code = code;
    this.status = status;
    this.retryable = retryable;
    this.details = details;
  }

  /** True for a 409 with that reason: `session_busy`, `harness_activation_unresolved`. */
  hasReason(reason: string): boolean {
    return (this.details as { reason?: unknown } | undefined)?.reason === reason;
  }
}

/** The model gave no answer that fits the wanted type, after every correction. */
export class StructuredOutputError extends Error {
  readonly code = 'structured_output';
  readonly attempts: number;
  /** Text of the last answer. */
  readonly lastOutput: string;
  /** What did not fit, in words. */
  readonly issues: readonly string[];

  constructor(attempts: number, lastOutput: string, issues: readonly string[]) {
    super(`No answer of ${attempts} fits the type: ${issues.join('; ')}`);
    this.name = 'StructuredOutputError';
    this.attempts = attempts;
    this.lastOutput = lastOutput;
    this.issues = issues;
  }
}

/** The error that an answer other than a success stands for. */
export function toBrainError(status: number, text: string): BrainError {
  const parsed = ApiError.safeParse(parseJson(text));
  if (!parsed.success) {
    return new BrainError('invalid_answer', `The server answered ${status}: ${text.slice(0, 500)}`, {
      status,
      retryable: status >= 500,
    });
  }
  const { code, message, retryable, details } = parsed.data;
  return new BrainError(code, message, { status, retryable, details });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's page, say: it is quoted as it is.
    return undefined;
  }
}
