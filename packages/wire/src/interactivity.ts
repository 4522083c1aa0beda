// Decides whether a command may ask the person at the terminal. It reads no environment: the variables are passed in.

/** Variables that say an agent runs this process. Source: AGENT_OPERATOR v1, Interactivity and stdin. */
export const AGENT_VARIABLES = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CODEX_SANDBOX',
  'CODEX_CI',
  'OPENCODE',
  'OPENCODE_PID',
] as const;

/** What decides. */
export interface InteractivityFacts {
  stdinIsTerminal: boolean;
  stdoutIsTerminal: boolean;
  /** The process's environment; a variable set to the empty text counts as unset. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** Why no prompt is shown: each is a decline, never an agreement. */
export type PromptRefusal = 'not_a_terminal' | 'non_interactive' | 'ci' | 'agent_process';

/**
 * Why a command must not prompt; undefined when it may. A terminal is always needed; GBRAIN_NON_INTERACTIVE=1 beats
 * GBRAIN_INTERACTIVE=1, which beats CI and an agent's marker. No variable ever stands for consent.
 */
export function decidePromptRefusal(facts: InteractivityFacts): PromptRefusal | undefined {
  const isSet = (name: string): boolean => (facts.environment[name] ?? '') !== '';
  if (facts.environment.GBRAIN_NON_INTERACTIVE === '1') return 'non_interactive';
  if (!facts.stdinIsTerminal || !facts.stdoutIsTerminal) return 'not_a_terminal';
  if (facts.environment.GBRAIN_INTERACTIVE === '1') return undefined;
  if (isSet('CI')) return 'ci';
  return AGENT_VARIABLES.some(isSet) ? 'agent_process' : undefined;
}
