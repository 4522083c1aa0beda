// Failures of operations with a frozen protocol: the protocol's version on each, and its spelling of the common codes.
// It knows no verb; an operation says that it has a protocol.
import type { Failure } from '@gbrain/wire/envelope';
import type { Operation } from '../operation.ts';

/** Codes of protocol 1 for the pipeline's own; every other code goes through as it is. Source: facts/contract A.1. */
const FROZEN: Readonly<Record<string, string>> = {
  internal_error: 'internal',
  database_error: 'unavailable',
  storage_error: 'unavailable',
  migrations_pending: 'unavailable',
  insufficient_scope: 'scope_denied',
  unknown_source: 'invalid_params',
  invalid_source: 'invalid_params',
};

/** A failure as the operation's protocol spells it; the other code stays readable in `detail`. */
export function protocolFailure(operation: Operation | undefined, failure: Failure): Failure {
  if (operation?.protocolVersion === undefined) return failure;
  const code = FROZEN[failure.code];
  const { legacyError: _, ...plain } = failure;
  return {
    ...plain,
    ...(code !== undefined && { code, docs: `docs/generated/error-codes.md#${code}` }),
    ...(code !== undefined && failure.detail === undefined && { detail: failure.code }),
    protocolVersion: operation.protocolVersion,
  };
}
