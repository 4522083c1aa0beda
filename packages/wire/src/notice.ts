// Advice that rides a successful result: stored shape, rendered shape and the order of kinds.
import type { Action, RenderedAction } from './action.ts';

/** Kinds in the order in which their blocks are printed. Source: AGENT_OPERATOR v1, Notices. */
export const NOTICE_KINDS = ['safety', 'degraded', 'ask', 'coaching', 'info'] as const;

/** What a notice is about, and with it what the reader does. Source: AGENT_OPERATOR v1, What to do with each kind. */
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** One answer to a decision; `argv` applies it, where a command does. */
export interface DecisionOption {
  id: string;
  label: string;
  argv?: string[];
}

/** A question that belongs to the user, with the answer that holds until they decide. */
export interface Decision {
  id: string;
  question: string;
  options: DecisionOption[];
  default: string;
  default_reason: string;
}

/** How much content is hidden, by `<kind>:<source>`; null is a count that could not be read, which is not zero. */
export type CoverageCounts = Readonly<Record<string, number | null>>;

/** A notice as an operation raises it. */
export interface Notice {
  code: string;
  kind: NoticeKind;
  why: string;
  fix?: Action;
  user_message?: string;
  decisions?: Decision[];
  /** True when it describes this call's result, so that it is shown on every call it is about. Never rendered. */
  per_call?: boolean;
  /** True when the brain's configuration alone causes it, so that every call would repeat it. Never rendered. */
  config_only?: boolean;
  /** Counts of a coverage notice: it shows again when they grow. Never rendered. */
  coverage?: CoverageCounts;
}

/** A notice as one connection sees it. Key order is the order of this interface. */
export interface RenderedNotice {
  code: string;
  kind: NoticeKind;
  why: string;
  fix?: RenderedAction;
  user_message?: string;
  decisions?: Decision[];
  contract_version: 1;
}
