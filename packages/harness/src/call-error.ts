// The errors of a harness: what a callback was refused with, and what a loop fails its own run with. Knows no pipe.
import { HarnessErrorData } from '@gbrain/brain-protocol/harness';
import type { JsonValue } from '@gbrain/brain-protocol/json';
import { JsonRpcError, RPC_CODES } from '@gbrain/wire/json-rpc-message';

/** What is known of an error beside its code and text. */
export interface CallErrorFacts {
  /** Ends the activation, whether or not the loop catches it. */
  fatal?: boolean;
  retryable?: boolean;
  /** The effect may have happened. Brain never sends it again. */
  ambiguous?: boolean;
  /** Journal record of the effect. */
  sequence?: number;
  details?: JsonValue;
}

/** Rejects a callback: Brain refused or failed it, or the activation is over. `code` is one of `CALL_ERRORS`. */
export class CallError extends Error {
  readonly code: string;
  readonly fatal: boolean;
  readonly retryable: boolean;
  readonly ambiguous: boolean;
  readonly sequence: number | undefined;
  readonly details: JsonValue | undefined;

  constructor(code: string, message: string, facts: CallErrorFacts = {}) {
    super(message);
    this.name = 'CallError';
    this.code = code;
    this.fatal = facts.fatal ?? false;
    this.retryable = facts.retryable ?? false;
    this.ambiguous = facts.ambiguous ?? false;
    this.sequence = facts.sequence;
    this.details = facts.details;
  }
}

/** Thrown by a loop to fail its run with a code of its own (1 to 128 characters). */
export class RunFailure extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly details: JsonValue | undefined;

  constructor(code: string, message: string, facts: Pick<CallErrorFacts, 'retryable' | 'details'> = {}) {
    super(message);
    this.name = 'RunFailure';
    this.code = code;
    this.retryable = facts.retryable ?? false;
    this.details = facts.details;
  }
}

/** Default code of a run that failed. Source: Harness protocol; sessions facts D.4. */
const DEFAULT_CODE = 'agentloop_failed';

/** What a pending callback was rejected with, for the loop. An error without `data` is not Brain's, and fatal. */
export function toCallError(thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  if (!(thrown instanceof JsonRpcError)) {
    return new CallError('activation_closed', 'The connection to Brain is closed.', { fatal: true });
  }
  const parsed = HarnessErrorData.safeParse(thrown.data);
  if (!parsed.success) return new CallError('internal', thrown.message, { fatal: true });
  const { code, ...facts } = parsed.data;
  return new CallError(code, thrown.message, facts as CallErrorFacts);
}

/** The answer to a `run` that failed with `thrown`. */
export function toRunError(thrown: unknown): JsonRpcError {
  const message =
    thrown instanceof Error && thrown.message !== '' ? thrown.message : `The loop threw ${String(thrown)}.`;
  const { code, retryable, details } = findFacts(thrown);
  return new JsonRpcError(RPC_CODES.service, message.slice(0, 4096), {
    code,
    ...(retryable && { retryable }),
    ...(details !== undefined && { details }),
  });
}

function findFacts(thrown: unknown): { code: string; retryable: boolean; details: JsonValue | undefined } {
  if (thrown instanceof RunFailure || thrown instanceof CallError) {
    const { code, retryable, details } = thrown;
    if (code.length > 0 && code.length <= 128) return { code, retryable, details };
  }
  return { code: DEFAULT_CODE, retryable: false, details: undefined };
}
