// Puts the step that frees the brain's lock before the step that needs it. It finds no owner and stops none.
import type { Action } from './action.ts';

/** The process that has the brain open. */
export interface LockOwner {
  pid: number;
  /** What it is to the user, such as `another agent session`. */
  description: string;
}

/**
 * A two-step plan: the user stops the owner, then the given step runs; its own `verify` ends the plan. A step that
 * needs no lock, and one whose owner is not known, come back as they are. Source: AGENT_OPERATOR v1, Exclusive fixes.
 */
export function withOwnerStopped(action: Action, owner: LockOwner | undefined): Action {
  if (!action.requires_exclusive || owner === undefined) return action;
  const { pid, description } = owner;
  return {
    argv: ['kill', String(pid)],
    consent: [],
    actor: 'user',
    why: `The next step needs the lock of the brain, which ${description} (PID ${pid}) holds.`,
    user_message: `Your brain is open in ${description} (PID ${pid}). Please close it, then I can go on.`,
    requires_exclusive: false,
    // biome-ignore lint/suspicious/noThenProperty: the wire's name for step two; it is never a function.
    then: action,
  };
}
