// What commands get of the process: arguments, environment and streams, never the process itself.
import type { Readable } from 'node:stream';
import { closest } from '@gbrain/wire/did-you-mean';

/** The world of one command. */
export interface CliContext {
  argv: string[];
  env: Record<string, string | undefined>;
  stdin: Readable;
  stdout(text: string): void;
  stderr(text: string): void;
  isTerminal: boolean;
  /** The Node that runs this. */
  execPath: string;
  onSignal(signals: NodeJS.Signals[], listener: () => void): void;
  /** Ends the process at once; for a second signal. */
  exit(code: number): void;
}

/** A command that cannot go on, with what to do next. */
export class CliError extends Error {
  readonly code: string;
  readonly suggestion: string;
  readonly exit: number;
  /** The command that is the next step, when there is one to run as it is. */
  readonly argv: string[] | undefined;

  constructor(code: string, message: string, suggestion: string, facts: { exit?: number; argv?: string[] } = {}) {
    super(message);
    this.name = 'CliError';
    this.code = code;
    this.suggestion = suggestion;
    this.exit = facts.exit ?? 1;
    this.argv = facts.argv;
  }
}

/** What to do about a name that there is not: the one that was probably meant, else `otherwise`. */
export function suggestName(name: string, known: readonly string[], otherwise: string): string {
  const meant = closest(name, known);
  return meant === undefined ? otherwise : `Did you mean ${meant}? ${otherwise}`;
}

/** Flags and the rest of the arguments. `--name value`, `--name=value`; a flag in `switches` has no value. */
export interface ParsedArgs {
  flags: Record<string, string>;
  rest: string[];
}

/** Splits arguments. Throws a CliError for a flag without its value, or one that stands there twice. */
export function parseArgs(argv: readonly string[], switches: readonly string[] = []): ParsedArgs {
  const flags: Record<string, string> = {};
  const rest: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const arg = argv[index] ?? '';
    if (!arg.startsWith('--')) {
      rest.push(arg);
      continue;
    }
    const [name = '', inline] = splitOnce(arg.slice(2));
    const value = inline ?? (switches.includes(name) ? 'true' : argv[++index]);
    if (value === undefined) throw new CliError('usage', `--${name} needs a value.`, 'See brain --help.', { exit: 2 });
    if (name in flags) throw new CliError('usage', `--${name} stands there twice.`, 'Give it once.', { exit: 2 });
    flags[name] = value;
  }
  return { flags, rest };
}

function splitOnce(text: string): [string, string?] {
  const at = text.indexOf('=');
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
