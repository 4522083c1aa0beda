// The one typed error of expected refusals, from the pure core outwards; how it is shown is up to each transport.

import { CALL_ERRORS, type CallErrorCode } from '@gbrain/brain-protocol/harness';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import { API_ERRORS, type ApiError, type ApiErrorCode } from '@gbrain/brain-protocol/outcome';

/** A code that a refusal can have: of the HTTP API, of `brain/call`, or of an outcome. */
export type RefusalCode = ApiErrorCode | CallErrorCode;

/** Facts beside the code. */
export interface RefusalFacts {
  details?: JsonValue;
  retryable?: boolean;
  ambiguous?: boolean;
  /** The record that the refusal is about. */
  sequence?: number;
  /** HTTP status where it differs from the code's own: 413, 415, 422. */
  status?: number;
}

/** Codes of `brain/call` that have another name over HTTP; the rest of them are bad requests there. */
const HTTP_CODES: Partial<Record<RefusalCode, ApiErrorCode>> = {
  environment_error: 'executor_failed',
  activation_closed: 'conflict',
};

/** Something was asked that the state, the input or the server's condition does not allow. Nothing was changed. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly facts: RefusalFacts;

  constructor(code: RefusalCode, message: string, facts: RefusalFacts = {}) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.facts = facts;
  }

  /** The code over HTTP. */
  get apiCode(): ApiErrorCode {
    const { code } = this;
    return Object.hasOwn(API_ERRORS, code) ? (code as ApiErrorCode) : (HTTP_CODES[code] ?? 'invalid_request');
  }

  /** HTTP status. */
  get status(): number {
    return this.facts.status ?? API_ERRORS[this.apiCode].status;
  }

  /** Whether the same request may help later. */
  get retryable(): boolean {
    return this.facts.retryable ?? API_ERRORS[this.apiCode].retryable;
  }

  /** Whether it ends an activation. */
  get fatal(): boolean {
    return (CALL_ERRORS as Record<string, { fatal: boolean }>)[this.code]?.fatal ?? false;
  }

  /** The refusal as an HTTP body. */
  toApiError(): ApiError {
    const { details } = this.facts;
    return {
      code: this.apiCode,
      message: this.message.slice(0, 4096) || this.code,
      retryable: this.retryable,
      ...(details !== undefined && { details }),
    };
  }
}

/**
 * Lets work go on that nobody waits for. A journal that cannot be written has been reported by then; anything else
 * that is thrown is a bug, and ends the process: what is on disk is what counts.
 */
export function detach(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'internal') return;
    queueMicrotask(() => {
      throw error;
    });
  });
}
