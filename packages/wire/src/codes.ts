// The error codes that every server of ours raises before or around its own, and the four frozen pairs. Facts only.
import type { Connection } from './action.ts';
import type { ErrorClass, Failure } from './envelope.ts';
import { EXIT } from './exit.ts';
import { RPC_CODES } from './json-rpc-message.ts';

/** What a code means to each transport. */
export interface CodeRow {
  class: ErrorClass;
  retryable: boolean;
  exit: number;
  httpStatus: number;
  /** The number of a JSON-RPC error that carries the code. */
  rpcCode: number;
  /** One sentence: what happened. */
  message: string;
  /** One sentence: what to do. */
  suggestion: string;
}

type RowInput = Partial<CodeRow> & Pick<CodeRow, 'httpStatus' | 'message' | 'suggestion'>;

const caller = (row: RowInput): CodeRow => complete('caller', row);
const server = (row: RowInput): CodeRow => complete('server', row);
const retryable = (row: RowInput): CodeRow => complete('retryable', row);
const complete = (cls: ErrorClass, row: RowInput): CodeRow => ({
  class: cls,
  retryable: cls === 'retryable',
  exit: EXIT.failed,
  rpcCode: RPC_CODES.service,
  ...row,
});

const SMALLER = 'Send less at once: split the request, or ask for fewer items.';

/** Codes that a transport or a pipeline raises, whatever is being served. Source: contract facts A.3. */
export const SHARED_CODES = {
  invalid_params: caller({
    exit: EXIT.usage,
    httpStatus: 400,
    rpcCode: RPC_CODES.invalidParams,
    message: 'An argument is missing, of the wrong kind, or out of range; nothing ran.',
    suggestion: 'Correct the argument and call again.',
  }),
  invalid_request: caller({
    httpStatus: 400,
    rpcCode: RPC_CODES.invalidRequest,
    message: 'The request does not have the shape that this endpoint takes; nothing ran.',
    suggestion: 'Correct the request and send it again.',
  }),
  parse_error: caller({
    exit: EXIT.usage,
    httpStatus: 400,
    rpcCode: RPC_CODES.parse,
    message: 'The request is not JSON in UTF-8; nothing ran.',
    suggestion: 'Send one complete JSON document in UTF-8.',
  }),
  unknown_method: caller({
    httpStatus: 404,
    rpcCode: RPC_CODES.methodNotFound,
    message: 'There is no such method.',
    suggestion: 'Use a method of the protocol version that was agreed on.',
  }),
  unknown_tool: caller({
    httpStatus: 404,
    rpcCode: RPC_CODES.invalidParams,
    message: 'No such tool can be called on this connection.',
    suggestion: 'List the tools and use one of them.',
  }),
  method_not_allowed: caller({
    httpStatus: 405,
    message: 'This address does not take that HTTP method.',
    suggestion: 'Use a method that the `Allow` header names.',
  }),
  not_found: caller({
    httpStatus: 404,
    message: 'It does not exist, or this caller may not see it.',
    suggestion: 'Check the name or the id against a listing.',
  }),
  payload_too_large: caller({ httpStatus: 413, message: 'The payload is over the size limit.', suggestion: SMALLER }),
  request_too_large: caller({ httpStatus: 413, message: 'The request is over the size limit.', suggestion: SMALLER }),
  response_too_large: caller({ httpStatus: 422, message: 'The answer is over the size limit.', suggestion: SMALLER }),
  cancelled: caller({
    httpStatus: 499,
    rpcCode: RPC_CODES.cancelled,
    message: 'The request was cancelled before it took effect.',
    suggestion: 'Send it again if it is still wanted.',
  }),
  rate_limited: retryable({
    httpStatus: 429,
    message: 'Too many requests arrived in a short time.',
    suggestion: 'Wait for the stated delay, then send the same request.',
  }),
  timeout: retryable({
    exit: EXIT.deadline,
    httpStatus: 504,
    message: 'The time limit of the request ran out.',
    suggestion: 'Look at what became of it before you send it again.',
  }),
  interrupted: server({
    exit: EXIT.interrupted,
    httpStatus: 503,
    message: 'A signal cut the work off; this is not an empty result.',
    suggestion: 'Ask the user whether to run it again.',
  }),
  unavailable: complete('unavailable', {
    httpStatus: 503,
    message: 'Something that the request needs cannot serve it now.',
    suggestion: 'Look at the state of the server.',
  }),
  invalid_token: complete('host_only', {
    httpStatus: 401,
    message: 'The bearer token is missing, wrong, expired or revoked.',
    suggestion: 'Sign in again, or ask the operator of the host for a token.',
  }),
  internal_error: server({
    httpStatus: 500,
    rpcCode: RPC_CODES.internal,
    message: 'An unexpected fault inside the server.',
    suggestion: 'Tell the user what happened; report it if it repeats.',
  }),
  command_failed: server({
    httpStatus: 500,
    message: 'The command failed and wrote no document.',
    suggestion: 'Read what it wrote to stderr.',
  }),
} as const satisfies Record<string, CodeRow>;

/** A code that both servers raise. */
export type SharedCode = keyof typeof SHARED_CODES;

/** A failure of a shared code, for the edges where no registry is at hand. Texts default to the row's. */
export function sharedFailure(code: SharedCode, given: Partial<Failure> = {}): Failure {
  const { rpcCode: _rpcCode, ...row } = SHARED_CODES[code] as CodeRow;
  return { code, ...row, notices: [], ...given };
}

/** One surface that sends a frozen `error` beside the canonical `code`. */
export interface FrozenPair {
  /** Values of `error` that the surface has always sent. */
  errors: readonly string[];
  code: string;
  /** Where it happens, in words. */
  where: string;
  /** The only transport that sends the frozen value, where it is not every one. */
  transport?: Connection['transport'];
}

/** The four pairs, frozen for good. Source: AGENT_OPERATOR v1, Precedence. */
export const FROZEN_PAIRS: readonly FrozenPair[] = [
  { errors: ['unknown_operation'], code: 'unknown_tool', where: 'an unknown operation over HTTP', transport: 'http' },
  { errors: ['invalid_params'], code: 'not_found', where: 'a job that does not exist' },
  { errors: ['page_identity_changed'], code: 'page_not_found', where: 'a page missing while a write is replayed' },
  {
    errors: ['permission_denied', 'missing_scope'],
    code: 'insufficient_scope',
    where: 'a missing scope, with the value that its surface always sent',
  },
];

/** The value of `error` for a failure: its frozen value where this transport sends one, else its code. */
export function errorValue(failure: Pick<Failure, 'code' | 'legacyError'>, transport: Connection['transport']): string {
  const { code, legacyError } = failure;
  if (legacyError === undefined) return code;
  const pair = FROZEN_PAIRS.find((one) => one.code === code && one.errors.includes(legacyError));
  return pair?.transport === undefined || pair.transport === transport ? legacyError : code;
}

/**
 * The canonical code of an error document from any server: `code`, else `error`, else the code inside a nested legacy
 * error; undefined for what is no error document. Source: AGENT_OPERATOR v1, Precedence.
 */
export function readCode(document: unknown): string | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const { code, error } = document as { code?: unknown; error?: unknown };
  if (typeof code === 'string') return code;
  return typeof error === 'string' ? error : readCode(error);
}
