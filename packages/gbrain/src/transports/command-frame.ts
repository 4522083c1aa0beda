// A whole command line as it crosses the owner's socket, and what came of it: shapes only, known to both sides.

/** One of a terminal's two outputs as its command sees it. */
export interface Screen {
  isTerminal: boolean;
  columns?: number;
}

/** A command that its caller did not read: the owner, who has the program loaded, parses, runs and renders it. */
export interface SentCommand {
  argv: readonly string[];
  /** Folder and home in which it was typed. */
  cwd: string;
  home: string;
  /** What a command line reads of its environment: `GBRAIN_*`, and what says how a terminal draws. */
  env: Readonly<Record<string, string>>;
  stdinIsTerminal: boolean;
  stdout: Screen;
  stderr: Screen;
  /** Id of its write, if it is one: whoever asks again asks for the same. */
  requestId: string;
}

/** What came of it: texts in the order in which they are written, or that its caller has to run it. */
export type CommandDone =
  | { kind: 'done'; exit: number; written: [to: 'stdout' | 'stderr', text: string][] }
  | { kind: 'elsewhere' };

/** A command that was sent and has no answer. */
export interface SentBefore {
  requestId: string;
  /** The owner may have begun it. */
  wasSent: boolean;
}
