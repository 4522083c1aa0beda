// The documents that `--json` owes when a command has none of its own, and the words of slow reads. It prints nothing.
import { type EndingSignal, EXIT, signalOfExit } from './exit.ts';
import { inlineValue } from './markers.ts';

/** The document of a command that ended without one. Key order is the order of this interface. */
export interface FallbackDocument {
  error: 'command_failed' | 'interrupted';
  code: string;
  message: string;
  suggestion: string;
  exit_code: number;
  contract_version: 1;
}

/** How a command ended, as far as its document goes. */
export interface CommandEnd {
  /** The words of the command line after `gbrain` that name the command. */
  command: string;
  exit: number;
  /** A document was written. */
  wroteDocument: boolean;
  /** The code of the last error that was rendered for people, if any. */
  lastCode?: string;
}

/**
 * The document still owed at the end of a `--json` command; undefined when one was written or the command succeeded.
 * Source: AGENT_OPERATOR v1, `--json` documents.
 */
export function decideFallback(end: CommandEnd): FallbackDocument | undefined {
  if (end.wroteDocument || end.exit === EXIT.ok) return undefined;
  const signal = signalOfExit(end.exit);
  return signal === undefined ? failedDocument(end) : interruptedDocument(end.command, signal, end.exit);
}

function failedDocument(end: CommandEnd): FallbackDocument {
  return {
    error: 'command_failed',
    code: end.lastCode ?? 'command_failed',
    message: `gbrain ${inlineValue(end.command)} ended with exit code ${end.exit} and wrote no document.`,
    suggestion: 'Read what the command wrote to stderr, then tell the user or correct the command.',
    exit_code: end.exit,
    contract_version: 1,
  };
}

function interruptedDocument(command: string, signal: EndingSignal, exit: number): FallbackDocument {
  return {
    error: 'interrupted',
    code: 'interrupted',
    message: `gbrain ${inlineValue(command)} was cut off by ${signal} before it had an answer.`,
    suggestion:
      'This is not an empty result. Ask the user whether to run it again, with a longer timeout if it was slow.',
    exit_code: exit,
    contract_version: 1,
  };
}

/** Why a slow read left a field out. Source: AGENT_OPERATOR v1, Slow reads. */
export type IncompleteReason = 'not_read' | 'bounded' | 'budget';

/** A field to read as unknown, never as none. */
export interface IncompleteField {
  field: string;
  reason: IncompleteReason;
}

/** What a slow read adds to its document. */
export interface ReadCompleteness {
  elapsed_ms: number;
  complete: boolean;
  incomplete?: IncompleteField[];
}

/** The keys that say how far a slow read came; `incomplete` only when something is missing, each field once. */
export function readCompleteness(elapsedMs: number, incomplete: readonly IncompleteField[]): ReadCompleteness {
  const elapsed_ms = Math.max(0, Math.round(elapsedMs));
  const fields = [...new Map(incomplete.map(({ field, reason }) => [field, { field, reason }])).values()];
  return fields.length === 0 ? { elapsed_ms, complete: true } : { elapsed_ms, complete: false, incomplete: fields };
}

/** A slow read that a signal cut off. */
export interface CutRead {
  signal: EndingSignal;
  /** What was being read, in a few words. */
  read: string;
  elapsedMs: number;
}

/** The document of a slow read that a signal cut off. */
export interface CutReadDocument {
  error: 'interrupted';
  code: 'interrupted';
  signal: EndingSignal;
  read: string;
  elapsed_ms: number;
  complete: false;
  contract_version: 1;
}

/** The document of a cut read, to be written at once. */
export function cutReadDocument({ signal, read, elapsedMs }: CutRead): CutReadDocument {
  const elapsed_ms = Math.max(0, Math.round(elapsedMs));
  return { error: 'interrupted', code: 'interrupted', signal, read, elapsed_ms, complete: false, contract_version: 1 };
}

/** How often a slow read says that it goes on, in milliseconds. */
export const STILL_READING_MS = 10_000;

/** The stderr line with which a slow read starts. */
export function readingLine(what: string): string {
  return `[gbrain] reading ${inlineValue(what)}; large brains can take minutes`;
}

/** The stderr line that follows every STILL_READING_MS. */
export function stillReadingLine(what: string, elapsedMs: number): string {
  return `[gbrain] still reading ${inlineValue(what)} (${Math.round(elapsedMs / 1000)} s)`;
}

/** The stderr line of a cut read. */
export function cutReadLine({ signal, read, elapsedMs }: CutRead): string {
  const seconds = Math.round(elapsedMs / 1000);
  return `[gbrain] Interrupted by ${signal} after ${seconds} s while reading ${inlineValue(read)}`;
}
