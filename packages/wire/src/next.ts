// Decides what the reader of a fix does; the only place where `next` comes from. It renders nothing.
import type { Actor, Connection, Next } from './action.ts';

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
