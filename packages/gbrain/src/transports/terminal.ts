// The terminal's side of a command: is a person there, colour, progress line, piped input with its time bounds.
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { styleText } from 'node:util';
import type { Progress } from '../context.ts';
import { raise } from '../failure.ts';
import type { HumanView } from '../operation.ts';
import { PaceKeeper, paceBar, paceLine } from '../render/progress-text.ts';

/** The three streams of a command. */
export interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
}

type Env = Readonly<Record<string, string | undefined>>;

/** Columns of a terminal that does not say how wide it is, or says 0 as recorders of terminals do. */
const NARROW = 80;

/** How output is drawn: colour only on a terminal, and not with NO_COLOR. */
export function viewOf({ stdout }: Streams, env: Env): HumanView {
  const colour = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const style = (name: 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan') => (text: string) =>
    colour ? styleText(name, text, { validateStream: false }) : text;
  return {
    colour,
    columns: stdout.isTTY === true ? stdout.columns || NARROW : Number.POSITIVE_INFINITY,
    bold: style('bold'),
    dim: style('dim'),
    green: style('green'),
    yellow: style('yellow'),
    red: style('red'),
    cyan: style('cyan'),
  };
}

/** Time between two lines of progress where lines are kept. */
const LINE_EVERY_MS = 10_000;

/**
 * How far a run is: on a terminal one line that is drawn over, elsewhere a line now and then; nothing when `quiet`.
 * `end` clears it.
 */
export function progressLine({ stderr }: Streams, quiet: boolean, nowMs: () => number = () => performance.now()) {
  const keeper = new PaceKeeper();
  let isDrawn = false;
  let saidMs = nowMs();
  return {
    show(progress: Progress): void {
      if (quiet) return;
      const now = nowMs();
      const pace = keeper.at(progress, now);
      if (stderr.isTTY === true) {
        stderr.write(`\r\u001b[K${paceBar(pace, stderr.columns || NARROW)}`);
        isDrawn = true;
      } else if (now - saidMs >= LINE_EVERY_MS) {
        saidMs = now;
        stderr.write(`${paceLine(pace)}\n`);
      }
    },
    end(): void {
      if (isDrawn) stderr.write('\r\u001b[K');
      isDrawn = false;
    },
  };
}

/** Writes a text whole. Rejects when the disk behind the stream refuses it; a reader that went away is no fault. */
export function writeWhole(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (text === '') return Promise.resolve();
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      const { code } = (error ?? {}) as NodeJS.ErrnoException;
      if (!error || code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') resolve();
      else reject(error);
    });
  });
}

const FIRST_BYTE_MS = 30_000;
const INACTIVITY_MS = 60_000;

/**
 * Bytes of a pipe. Raises `stdin_silent` when no byte comes within the first bound, or none more within the second, so
 * that a pipe that somebody forgot open ends in words; rejects with the signal's reason, whatever the pipe does.
 * Source: AGENT_OPERATOR v1, Interactivity and stdin.
 */
export async function* readPipe(stdin: Readable, env: Env, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const asked = Number(env.GBRAIN_STDIN_TIMEOUT_MS);
  let boundMs = Number.isFinite(asked) && asked > 0 ? asked : FIRST_BYTE_MS;
  const iterator = stdin[Symbol.asyncIterator]();
  const aborted = Promise.withResolvers<'aborted'>();
  signal.addEventListener('abort', () => aborted.resolve('aborted'), { once: true });
  if (signal.aborted) aborted.resolve('aborted');
  for (;;) {
    const bound = Promise.withResolvers<'silent'>();
    const timer = setTimeout(() => bound.resolve('silent'), boundMs);
    const next = await Promise.race([iterator.next(), bound.promise, aborted.promise]);
    clearTimeout(timer);
    // A pipe that is still open would keep the process up.
    if (typeof next === 'string') stdin.destroy();
    if (next === 'aborted') throw signal.reason;
    if (next === 'silent') raise('stdin_silent', { seconds: boundMs / 1000 });
    if (next.done) return;
    yield typeof next.value === 'string' ? Buffer.from(next.value) : (next.value as Uint8Array);
    boundMs = INACTIVITY_MS;
  }
}

/** Bytes of a file that a flag names. Raises `invalid_params` when it cannot be read. */
export async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'a file that exists' : 'a file that can be read';
    raise('invalid_params', { param: 'file', problem: 'shape', expected: why }, error);
  }
}
