// The last step: whatever a call threw becomes one failure with a registered code. Foreign text never gets through.
import type { Failure } from '@gbrain/wire/envelope';
import { buildFailure, type FailData, type FailPoint, Raised } from '../failure.ts';
import { toAction } from '../fix.ts';
import type { Registry } from '../registry.ts';
import { StoreError, type StoreFault } from '../store/store.ts';

const STORE_CODES: Partial<Record<StoreFault, string>> = {
  timeout: 'timeout',
  aborted: 'cancelled',
  outcome_unknown: 'write_outcome_unknown',
  disk_full: 'storage_error',
  read_only: 'storage_error',
  damaged: 'storage_error',
  schema_missing: 'migrations_pending',
};

/** The failure of a code with its data; a code that is not registered is a broken invariant. */
export function failureOf(registry: Registry, code: string, data: FailData, point: FailPoint): Failure {
  const row = registry.errors.get(code);
  if (!row) throw new Error(`error code ${code} is not registered`);
  const command = registry.operation(point.operation)?.cli.command;
  const at = { ...point, ...(command !== undefined && { command }) };
  return buildFailure(code, row, data, { point: at, toAction: (fix) => toAction(registry, fix) });
}

/** Turns a thrown value into a failure; `stopped` says that the call's own signal had fired. */
export function normaliseThrown(
  registry: Registry,
  thrown: unknown,
  point: FailPoint,
  stopped?: { cause: 'timeout' | 'cancelled'; limitMs: number },
): Failure {
  if (thrown instanceof Raised) return failureOf(registry, thrown.code, thrown.data, point);
  const at = { operation: point.operation };
  if (stopped) return failureOf(registry, stopped.cause, { ...at, limitMs: stopped.limitMs }, point);
  if (thrown instanceof StoreError) {
    const code = STORE_CODES[thrown.fault] ?? 'database_error';
    const reason = thrown.fault === 'schema_missing' ? 'schema_unreadable' : thrown.fault;
    return failureOf(registry, code, { ...at, reason }, point);
  }
  return failureOf(registry, 'internal_error', at, point);
}
