// Speaks `environment/v1` to a service: one POST an operation, sent once, and what its answer means. No session here.

import {
  ENVIRONMENT_CONTRACT,
  type EnvironmentOperation,
  EnvironmentOperationResult,
  type EnvironmentReceipt,
} from '@gbrain/brain-protocol/environment-wire';
import { parseJson } from '@gbrain/wire/parse-json';
import type { Clock } from '../clock.ts';
import { Refusal } from '../session/refusal.ts';
import type { Limits } from '../settings.ts';
import { isLoopback } from '../settings.ts';
import { type Post, PostError, readText } from './post.ts';

/** How an operation ended: a receipt, or no usable one. `sent` false: the service got nothing. */
export type OperationOutcome =
  | { receipt: EnvironmentReceipt }
  | { receipt?: undefined; message: string; sent: boolean; unreachable: boolean; late: boolean };

/** Where and how an operation is sent. */
export interface OperationTarget {
  url: string;
  credential?: string;
  /** Milliseconds for the whole exchange; 0 is no bound. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Posts operations. */
export class EnvironmentClient {
  readonly #ports: { clock: Clock; limits: Limits; post: Post };

  constructor(ports: { clock: Clock; limits: Limits; post: Post }) {
    this.#ports = ports;
  }

  /** Sends one operation. It never throws for what the service or the network does. */
  async send(operation: EnvironmentOperation['operation'], target: OperationTarget): Promise<OperationOutcome> {
    const { clock, limits, post } = this.#ports;
    const deadline = new AbortController();
    const stop = target.timeoutMs > 0 ? clock.timer(target.timeoutMs, () => deadline.abort()) : undefined;
    const signal = target.signal ? AbortSignal.any([target.signal, deadline.signal]) : deadline.signal;
    try {
      const answer = await post({
        url: `${target.url.replace(/\/+$/, '')}/v1/operations`,
        headers: {
          'content-type': 'application/json',
          ...(target.credential !== undefined && { authorization: `Bearer ${target.credential}` }),
        },
        body: JSON.stringify({ contract: ENVIRONMENT_CONTRACT, operation }),
        connectMs: limits.maxEnvironmentConnectMs,
        signal,
        effect: operation.request.type === 'execute' ? 'tool' : 'environment',
      });
      const { text, cut } = await readText(answer.body, limits.maxEnvironmentResponseBytes);
      if (cut) return lost(`its answer is longer than ${limits.maxEnvironmentResponseBytes} bytes`, true);
      if (answer.status < 200 || answer.status > 299)
        return lost(`it answered ${answer.status}: ${text.slice(0, 500)}`, true);
      return readReceipt(text, operation.sequence);
    } catch (error) {
      if (!(error instanceof PostError)) throw error;
      const late = deadline.signal.aborted && !target.signal?.aborted;
      return { message: error.message, sent: error.sent, unreachable: !error.aborted, late };
    } finally {
      stop?.();
    }
  }
}

function lost(message: string, sent: boolean): OperationOutcome {
  return { message, sent, unreachable: false, late: false };
}

function readReceipt(text: string, sequence: number): OperationOutcome {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return lost('its answer is not JSON', true);
  }
  const parsed = EnvironmentOperationResult.safeParse(value);
  if (!parsed.success) return lost('its answer is not of the contract environment/v1', true);
  if (parsed.data.sequence !== sequence) return lost('its answer is about another operation', true);
  return { receipt: parsed.data.receipt };
}

/** Refuses a URL that is neither HTTPS nor plain HTTP on loopback, or that carries credentials. */
export function checkEnvironmentUrl(text: string): void {
  const url = new URL(text);
  const plain = url.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
  if (url.protocol !== 'https:' && !plain) {
    throw new Refusal(
      'invalid_request',
      `An environment is reached over HTTPS, or over HTTP on loopback: ${url.origin}.`,
    );
  }
  if (url.username || url.password || url.hash || url.search) {
    throw new Refusal('invalid_request', 'The URL of an environment has no credentials, query or fragment.');
  }
}
