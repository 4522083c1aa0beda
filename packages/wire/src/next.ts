// Decides what the reader of a fix does; the only place where `next` comes from. It renders nothing.
import type { Actor, Connection, Effect, Next, Preapproval } from './action.ts';

/** The facts that decide `next`, all of them known when a fix is rendered. */
export interface NextFacts {
  /** The stored fix asks the user: every way out is the user's decision. */
  userDecision: boolean;
  transport: Connection['transport'];
  hasArgv: boolean;
  /** The stored fix has an MCP call, callable or not. */
  hasMcp: boolean;
  /** That call is on the reader's tool list. Ignored on the CLI, which calls no tool. */
  mcpCallable: boolean;
  /** The stored actor. */
  actor: Actor;
  /** No consent is needed, or a preapproval covers it. */
  consentCovered: boolean;
}

/** What a fix can be reached by on one connection. */
export type Reach = 'none' | 'callable' | 'cli_only_on_mcp' | 'mcp_only_on_cli';

/** How the reader reaches the step. Source: AGENT_OPERATOR v1, The next decision table, rows 2 and 4. */
export function decideReach(facts: Pick<NextFacts, 'transport' | 'hasArgv' | 'hasMcp' | 'mcpCallable'>): Reach {
  if (facts.transport === 'cli') {
    if (facts.hasArgv) return 'callable';
    return facts.hasMcp ? 'mcp_only_on_cli' : 'none';
  }
  if (facts.hasMcp && facts.mcpCallable) return 'callable';
  return facts.hasArgv ? 'cli_only_on_mcp' : 'none';
}

/** The six rows, first match wins. Source: AGENT_OPERATOR v1, The next decision table. */
export function decideNext(facts: NextFacts): Next {
  const reach = decideReach(facts);
  if (facts.userDecision) return 'ask_user';
  if (reach === 'none') return 'report';
  if (facts.actor === 'provider') return 'wait';
  if (facts.actor === 'user' || facts.actor === 'host_admin' || reach !== 'callable') return 'tell_user_to_run';
  return facts.consentCovered ? 'run' : 'ask_user';
}

/**
 * True when the user has already agreed to every effect. `paid` is covered at or under the limit a run, compared in
 * whole micro-dollars; an unknown estimate (null or absent) is not under any limit. `persistent_install` is covered by
 * its own setting. `destructive`, `credentials` and `egress` never are, nor is a mixture that holds one of them.
 * Source: AGENT_OPERATOR v1, Consent and preapproval.
 */
export function isConsentCovered(
  consent: readonly Effect[],
  preapproval: Preapproval,
  estUsd: number | null | undefined,
): boolean {
  return consent.every((effect) => {
    if (effect === 'persistent_install') return preapproval.persistentInstall;
    if (effect !== 'paid') return false;
    return isUnderLimit(estUsd, preapproval.paidMaxUsdPerRun);
  });
}

function isUnderLimit(estUsd: number | null | undefined, limitUsd: number | undefined): boolean {
  if (estUsd === null || estUsd === undefined || limitUsd === undefined) return false;
  if (!Number.isFinite(estUsd) || !Number.isFinite(limitUsd) || estUsd < 0 || limitUsd < 0) return false;
  // 0.1 + 0.2 dollars must count as under a limit of 0.3.
  return Math.round(estUsd * 1e6) <= Math.round(limitUsd * 1e6);
}
