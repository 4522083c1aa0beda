// The exit codes of the command line, as one table and a few choices; it ends no process.

/** Exit codes by name. Source: AGENT_OPERATOR v1, Exit codes. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  confirmationRequired: 3,
  pending: 10,
  partial: 11,
  noResults: 12,
  pendingVerify: 13,
  cleanupPending: 14,
  lockedElsewhere: 75,
  deadline: 124,
  hangup: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** One row of the published table. */
export interface ExitRow {
  exit: number;
  /** The code or state that an agent reads with it, where there is one. */
  name: string;
  meaning: string;
  action: string;
}

/** The published table, in ascending order. */
export const EXIT_ROWS: readonly ExitRow[] = [
  { exit: EXIT.ok, name: 'ok', meaning: 'The command did what it was asked.', action: 'Go on.' },
  {
    exit: EXIT.failed,
    name: 'failed',
    meaning: 'The command failed.',
    action: 'Follow `fix.next`; retry only when `retryable` is true.',
  },
  {
    exit: EXIT.usage,
    name: 'usage',
    meaning: 'The command line or its input is wrong; nothing ran.',
    action: 'Correct it; `gbrain <command> --help` shows what it takes.',
  },
  {
    exit: EXIT.confirmationRequired,
    name: 'confirmation_required',
    meaning: 'The user must agree first; nothing ran.',
    action: 'Relay `user_message` and stop; run `fix.command` only after they agree.',
  },
  {
    exit: EXIT.pending,
    name: 'write_pending',
    meaning: 'A write was accepted and has not ended yet.',
    action: 'Poll its receipt with `gbrain write-request -- <id>`.',
  },
  {
    exit: EXIT.partial,
    name: 'partial',
    meaning: 'A budget stopped the work; the rest can be resumed.',
    action: 'Run `resume_command`.',
  },
  {
    exit: EXIT.noResults,
    name: 'no_results',
    meaning: 'A recall or lookup matched nothing (only with GBRAIN_FAIL_ON_EMPTY=1).',
    action: 'Take it as a miss, not as a failure.',
  },
  {
    exit: EXIT.pendingVerify,
    name: 'pending_verify',
    meaning: 'A harness is wired; its check waits for the server.',
    action: 'Start the server, then run `fix.command`.',
  },
  {
    exit: EXIT.cleanupPending,
    name: 'bootstrap_cleanup_pending',
    meaning: 'A harness is wired; old enrolments or tokens wait to be cleaned up.',
    action: 'Follow `fix.next`, then run the command again.',
  },
  {
    exit: EXIT.lockedElsewhere,
    name: 'migrations_running',
    meaning: 'Another runner holds the migration lock.',
    action: 'Wait, then run it again.',
  },
  {
    exit: EXIT.deadline,
    name: 'timeout',
    meaning: 'The deadline of the command ran out.',
    action: 'Look at what is still running before you repeat it.',
  },
  { exit: EXIT.hangup, name: 'interrupted', meaning: 'SIGHUP ended the command.', action: 'As for 130.' },
  {
    exit: EXIT.interrupted,
    name: 'interrupted',
    meaning: 'SIGINT ended the command.',
    action: 'Ask the user whether to run it again; nothing was read, which is not an empty result.',
  },
  { exit: EXIT.terminated, name: 'interrupted', meaning: 'SIGTERM ended the command.', action: 'As for 130.' },
];

/** Signals that end a command with a document of their own. */
export type EndingSignal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

const SIGNAL_EXITS: Record<EndingSignal, number> = {
  SIGHUP: EXIT.hangup,
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
};

/** The exit code of a command that a signal ended. */
export function exitOfSignal(signal: EndingSignal): number {
  return SIGNAL_EXITS[signal];
}

/** The signal that an exit code stands for; undefined for the other codes. */
export function signalOfExit(exit: number): EndingSignal | undefined {
  return (Object.keys(SIGNAL_EXITS) as EndingSignal[]).find((signal) => SIGNAL_EXITS[signal] === exit);
}

/** What decides whether a pending write counts as success. */
export interface PendingPolicy {
  /** `--accept-pending`, or `--no-accept-pending` as false. */
  flag?: boolean;
  /** `GBRAIN_ACCEPT_PENDING=1`. */
  environment: boolean;
}

/** The exit code to end with: a pending write counts as success where the user said so; the flag beats the variable. */
export function decidePendingExit(exit: number, policy: PendingPolicy): number {
  const accepts = policy.flag ?? policy.environment;
  return exit === EXIT.pending && accepts ? EXIT.ok : exit;
}
