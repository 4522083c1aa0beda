// How every call ends: plain data that crosses the owner's socket and that the renderers turn into bytes.
import type { Failure } from '@gbrain/wire/envelope';
import type { Notice } from '@gbrain/wire/notice';
import type { Target } from './context.ts';

export interface OkOutcome {
  kind: 'ok';
  op: string;
  output: unknown;
  notices: Notice[];
  meta: Record<string, unknown>;
  target?: Target;
}

export interface FailedOutcome {
  kind: 'failed';
  op: string;
  failure: Failure;
  target?: Target;
}

export type Outcome = OkOutcome | FailedOutcome;
