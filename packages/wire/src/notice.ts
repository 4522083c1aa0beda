// Advice that rides a successful result: stored shape, rendered shape and the order of kinds.
import type { Action, RenderedAction } from './action.ts';

/** Kinds in the order in which their blocks are printed. Source: AGENT_OPERATOR v1, Notices. */
export const NOTICE_KINDS = ['safety', 'degraded', 'ask', 'coaching', 'info'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export interface DecisionOption {
  id: string;
  label: string;
  argv?: string[];
}

export interface Decision {
  id: string;
  question: string;
  options: DecisionOption[];
  default: string;
  default_reason: string;
}

/** A notice as an operation raises it. */
export interface Notice {
  code: string;
  kind: NoticeKind;
  why: string;
  fix?: Action;
  user_message?: string;
  decisions?: Decision[];
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
