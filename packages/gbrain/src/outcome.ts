// How every call ends: plain data that crosses the owner's socket and that the renderers turn into bytes.
import type { Failure } from '@gbrain/wire/envelope';
import type { Notice } from '@gbrain/wire/notice';
import type { Target } from './context.ts';

/** A call that did what it was asked. */
export interface OkOutcome {
  kind: 'ok';
  op: string;
  output: unknown;
  notices: Notice[];
  meta: Record<string, unknown>;
  /** Lines that follow the body in a block of their own, e.g. `[gbrain dates] ...`. */
  lines?: string[];
  target?: Target;
}

/** A call that ended with a registered code. */
export interface FailedOutcome {
  kind: 'failed';
  op: string;
  failure: Failure;
  target?: Target;
}

/** The end of a call. */
export type Outcome = OkOutcome | FailedOutcome;
