// The one shape of every error: CLI document, MCP error block, HTTP body.
import type { Action, RenderedAction } from './action.ts';
import type { Notice, RenderedNotice } from './notice.ts';

/** Source: AGENT_OPERATOR v1, The error envelope. */
export type ErrorClass = 'caller' | 'consent' | 'retryable' | 'unavailable' | 'server' | 'host_only';

/** An error as the pipeline ends with it; plain data that crosses the owner's socket unchanged. */
export interface Failure {
  code: string;
  /** The frozen legacy value of `error` where it differs from `code`. */
  legacyError?: string;
  class: ErrorClass;
  retryable: boolean;
  exit: number;
  httpStatus: number;
  message: string;
  suggestion: string;
  reason?: string;
  why?: string;
  detail?: string;
  docs?: string;
  fix?: Action;
  protocolVersion?: 1;
  writeRequest?: unknown;
  writeError?: unknown;
  notices: Notice[];
  /** Present on `confirmation_required` only: the facts of the consent payload. */
  consent?: ConsentRequest;
}

/** What the user must agree to before a command runs. */
export interface ConsentRequest {
  effects: Action['consent'];
  actor: Action['actor'];
  what: string;
  why: string;
  risk: string;
  est_usd: number | null;
  user_message: string;
  approve: Action;
  preview_argv?: string[];
  plan_hash?: string;
}

/** The envelope on the wire. Key order is the order of this interface. */
export interface ErrorEnvelope {
  error: string;
  code: string;
  message: string;
  suggestion: string;
  docs?: string;
  detail?: string;
  protocol_version?: 1;
  write_request?: unknown;
  write_error?: unknown;
  reason?: string;
  why?: string;
  fix?: RenderedAction;
  docs_cmd: string[];
  class: ErrorClass;
  retryable: boolean;
  notices?: RenderedNotice[];
  contract_version: 1;
}
