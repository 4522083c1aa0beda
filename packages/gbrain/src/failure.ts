// Error rows: the kind of file that declares codes, and how a row with data becomes a failure.
import type { Action } from '@gbrain/wire/action';
import type { ErrorClass, Failure } from '@gbrain/wire/envelope';
import type { FixSpec } from './fix.ts';

/** Values that fill a row's texts and fix. */
export type FailData = Record<string, unknown>;

/** The call that failed: what a fix may name again. */
export interface FailPoint {
  operation: string;
  /** Words of its command, for a fix that names it to a person; filled in where a failure is made. */
  command?: string;
  input: Record<string, unknown>;
  mutating: boolean;
  idempotent: boolean;
}

type Text = string | ((data: FailData) => string);

/** One error code. Source of the columns: facts/contract A.0. */
export interface ErrorRow {
  class: ErrorClass;
  /** One sentence for the docs and `gbrain errors`. */
  summary: string;
  message: Text;
  /** Prose next step; the rendered fix is appended to it. */
  suggestion: Text;
  why?: Text;
  reasons?: readonly string[];
  /** Default 1. */
  exit?: number;
  /** Default by class. */
  httpStatus?: number;
  /** Default: class is `retryable`. Always false for a mutating call that is not idempotent. */
  retryable?: boolean | ((data: FailData) => boolean);
  /** Frozen value of `error` where it differs from the code. */
  legacyError?: string;
  /** When the frozen value is sent; always, if left out. */
  legacyWhen?: (at: FailPoint) => boolean;
  fix?: (data: FailData, at: FailPoint) => FixSpec | undefined;
  /** Data of one real case: the completeness test renders the row with it. */
  example: FailData;
}

/** Error rows by code. */
export type ErrorTable = Readonly<Record<string, ErrorRow>>;

/** Declares error codes; the default export of `areas/<area>/<area>.errors.ts`. */
export function defineErrors<const T extends Record<string, ErrorRow>>(table: T): T {
  return table;
}

const HTTP_STATUS: Record<ErrorClass, number> = {
  caller: 400,
  consent: 409,
  retryable: 503,
  unavailable: 503,
  server: 500,
  host_only: 403,
};

const fill = (text: Text, data: FailData): string => (typeof text === 'string' ? text : text(data));

/** What `raise` throws and the pipeline catches: a code with its data, not yet a failure. */
export class Raised extends Error {
  readonly code: string;
  readonly data: FailData;
  constructor(code: string, data: FailData = {}, cause?: unknown) {
    super(code, cause === undefined ? undefined : { cause });
    this.name = 'Raised';
    this.code = code;
    this.data = data;
  }
}

/** Ends the current call with a code from below the operation, where there is no context. */
export function raise(code: string, data: FailData = {}, cause?: unknown): never {
  throw new Raised(code, data, cause);
}

/**
 * Fills a row: the failure of one call. `data.reason`, `data.detail`, `data.why`, `data.protocolVersion`,
 * `data.writeRequest`, `data.writeError` and `data.consent` go to their own keys.
 */
export function buildFailure(
  code: string,
  row: ErrorRow,
  data: FailData,
  at: { point: FailPoint; toAction(fix: FixSpec): Action | undefined },
): Failure {
  const fixSpec = row.fix?.(data, at.point);
  const fix = fixSpec && at.toAction(fixSpec);
  const declared = typeof row.retryable === 'function' ? row.retryable(data) : row.retryable;
  const retryable = (declared ?? row.class === 'retryable') && !(at.point.mutating && !at.point.idempotent);
  const why = typeof data.why === 'string' ? data.why : row.why === undefined ? undefined : fill(row.why, data);
  return {
    code,
    ...(row.legacyError && (row.legacyWhen?.(at.point) ?? true) && { legacyError: row.legacyError }),
    class: row.class,
    retryable,
    exit: row.exit ?? 1,
    httpStatus: row.httpStatus ?? HTTP_STATUS[row.class],
    message: fill(row.message, data),
    suggestion: fill(row.suggestion, data),
    ...(typeof data.reason === 'string' && { reason: data.reason }),
    ...(why && { why }),
    ...(typeof data.detail === 'string' && { detail: data.detail }),
    docs: `docs/generated/error-codes.md#${code}`,
    ...(fix && { fix }),
    ...(data.protocolVersion === 1 && { protocolVersion: 1 as const }),
    ...(data.writeRequest !== undefined && { writeRequest: data.writeRequest }),
    ...(data.writeError !== undefined && { writeError: data.writeError }),
    notices: [],
    ...(data.consent !== undefined && { consent: data.consent as NonNullable<Failure['consent']> }),
  };
}
