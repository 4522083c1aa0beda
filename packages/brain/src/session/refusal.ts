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

  /** HTTP status; codes that only `brain/call` has are 400. */
  get status(): number {
    return this.facts.status ?? (API_ERRORS as Record<string, { status: number }>)[this.code]?.status ?? 400;
  }

  /** Whether the same request may help later. */
  get retryable(): boolean {
    return (
      this.facts.retryable ?? (API_ERRORS as Record<string, { retryable: boolean }>)[this.code]?.retryable ?? false
    );
  }

  /** Whether it ends an activation. */
  get fatal(): boolean {
    return (CALL_ERRORS as Record<string, { fatal: boolean }>)[this.code]?.fatal ?? false;
  }

  /** The refusal as an HTTP body. */
  toApiError(): ApiError {
    const { code, message } = this;
    const details = this.facts.details;
    return {
      code: Object.hasOwn(API_ERRORS, code) ? code : 'invalid_request',
      message: message.slice(0, 4096) || code,
      retryable: this.retryable,
      ...(details !== undefined && { details }),
    };
  }
}
