// What can go wrong with a call of a model provider, as one closed set. A provider's own text never leaves this file.
import type { TokenUse } from './purse.ts';

/** How a call failed. */
export type FaultKind =
  /** The key was refused. */
  | 'auth'
  /** The account has no credit left. */
  | 'quota'
  | 'rate_limited'
  /** The provider answered with a fault of its own (5xx). */
  | 'overloaded'
  | 'timeout'
  /** No connection, or it was cut. */
  | 'network'
  /** The model, or the address, does not exist there. */
  | 'not_found'
  | 'too_long'
  /** Any other refusal of the request (4xx). */
  | 'rejected'
  /** The answer is not what the interface promises. */
  | 'invalid_response'
  | 'cancelled';

/** Whether a failed call may have cost something; what is not known counts as spent. */
export type Billed = 'no' | 'unknown' | 'yes';

/** The only error with which a call of a provider ends. */
export class ProviderFault extends Error {
  readonly kind: FaultKind;
  /** `provider:model`. */
  readonly model: string;
  readonly billed: Billed;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** What it used, where it answered and the answer was no good. */
  readonly use?: TokenUse;
  constructor(
    kind: FaultKind,
    model: string,
    rest: { billed: Billed; status?: number; retryAfterMs?: number; use?: TokenUse; cause?: unknown },
  ) {
    super(`${model}: ${kind}`, rest.cause === undefined ? undefined : { cause: rest.cause });
    this.name = 'ProviderFault';
    this.kind = kind;
    this.model = model;
    this.billed = rest.billed;
    if (rest.status !== undefined) this.status = rest.status;
    if (rest.retryAfterMs !== undefined) this.retryAfterMs = rest.retryAfterMs;
    if (rest.use) this.use = rest.use;
  }
}

/** A fault in words for a person; it holds nothing that a provider wrote. */
export function describeFault(fault: ProviderFault): string {
  const said: Record<FaultKind, string> = {
    auth: 'refused the key',
    quota: 'says that the account has no credit left',
    rate_limited: 'says that too many calls were made',
    overloaded: `failed on its side${fault.status === undefined ? '' : ` (HTTP ${fault.status})`}`,
    timeout: 'did not answer in time',
    network: 'could not be reached, or cut the connection',
    not_found: 'does not know this model',
    too_long: 'says that the text is too long',
    rejected: `refused the request${fault.status === undefined ? '' : ` (HTTP ${fault.status})`}`,
    invalid_response: 'gave an answer that is not usable',
    cancelled: 'was not waited for',
  };
  return `${fault.model} ${said[fault.kind]}`;
}

/** True for faults that pass by themselves. */
export const isTransient = (kind: FaultKind): boolean =>
  kind === 'rate_limited' || kind === 'overloaded' || kind === 'timeout' || kind === 'network';

/** The parts of a library's error that tell what happened. */
interface HttpFault {
  status: number;
  body: string;
  headers: Readonly<Record<string, string>>;
}

const RETRY_AFTER_MS_MAX = 3_600_000;

function retryAfterOf(headers: Readonly<Record<string, string>>): number | undefined {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, RETRY_AFTER_MS_MAX) : undefined;
}

/** What a refusal by HTTP means. */
export function faultOfHttp(model: string, { status, body, headers }: HttpFault, cause: unknown): ProviderFault {
  const retryAfterMs = retryAfterOf(headers);
  const rest = { status, cause, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const make = (kind: FaultKind, billed: Billed) => new ProviderFault(kind, model, { ...rest, billed });
  if (status === 401 || status === 403) return make('auth', 'no');
  if (status === 402 || (status === 429 && /insufficient_quota|billing|credit/i.test(body))) return make('quota', 'no');
  if (status === 429) return make('rate_limited', 'no');
  if (status === 404) return make('not_found', 'no');
  if (status === 408 || status === 504) return make('timeout', 'unknown');
  if (status >= 500) return make('overloaded', 'unknown');
  if (status === 413 || /maximum context|too (?:long|large)|token limit|max(?:imum)?[ _]tokens|exceed/i.test(body)) {
    return make('too_long', 'no');
  }
  if (status >= 400) return make('rejected', 'no');
  return make('invalid_response', 'unknown');
}

const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** The system's word for a broken connection, wherever in the chain of causes it stands. */
export function systemCodeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string' && /^(?:E[A-Z_]+|UND_[A-Z_]+)$/.test(code)) return code;
    const inner = (at as { errors?: unknown[] }).errors?.[0];
    if (inner instanceof Error) {
      const found = systemCodeOf(inner);
      if (found) return found;
    }
  }
  return undefined;
}

/** A broken connection: one that was never made has cost nothing. */
export function faultOfNetwork(model: string, error: unknown): ProviderFault {
  const code = systemCodeOf(error);
  const billed = code !== undefined && NEVER_SENT.has(code) ? 'no' : 'unknown';
  return new ProviderFault('network', model, { billed, cause: error });
}
