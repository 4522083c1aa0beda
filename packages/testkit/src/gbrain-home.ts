// A home of its own for the built binary: runs commands in it, starts servers, and leaves nothing behind.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtGbrain, launcherFolder } from './gbrain-binary.ts';

/** How a command is run. */
export interface RunOptions {
  /** Piped input; `closed` gives an empty one, `open` a pipe that stays silent. Default `closed`. */
  stdin?: string | Uint8Array | 'closed' | 'open';
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** A command that is still running then fails the test; default 120,000. */
  limitMs?: number;
  /** Told when the process runs; to send it signals. */
  onStart?(child: ChildProcess): void;
}

/** How a command ended. */
export interface RunResult {
  argv: readonly string[];
  exit: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

const LIMIT_MS = 120_000;

/** The environment of a command: nothing of the test's own but what a process needs to start. */
export function bareEnv(home: string, more: RunOptions['env'] = {}): Record<string, string> {
  const env = {
    PATH: `${launcherFolder}:${process.env.PATH ?? ''}`,
    HOME: home,
    TMPDIR: tmpdir(),
    LANG: 'C.UTF-8',
    GBRAIN_HOME: join(home, '.gbrain'),
    ...more,
  };
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** Runs a program to its end. Rejects only when it cannot start or runs past its limit. */
export function runProgram(argv: readonly string[], options: RunOptions & { env: Record<string, string> }) {
  const { stdin = 'closed', env, cwd, limitMs = LIMIT_MS } = options;
  const child = spawn(argv[0]!, argv.slice(1), { env, ...(cwd && { cwd }), stdio: ['pipe', 'pipe', 'pipe'] });
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout.on('data', (chunk: Buffer) => chunks.stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.stderr.push(chunk));
  // A command that ends before it has read its input is no fault of the test.
  child.stdin.on('error', () => undefined);
  const limit = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`${argv.join(' ')} still ran after ${limitMs} ms: ${textOf(chunks.stderr)}`));
  }, limitMs);
  child.once('error', reject);
  child.once('close', (exit, signal) => {
    clearTimeout(limit);
    child.stdin.destroy();
    resolve({ argv, exit, signal, stdout: textOf(chunks.stdout), stderr: textOf(chunks.stderr) });
  });
  if (stdin === 'closed') child.stdin.end();
  else if (stdin !== 'open') child.stdin.end(stdin);
  options.onStart?.(child);
  return promise;
}

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');

/** A temporary home with the built binary. Dispose it: `await using home = new GbrainHome()`. */
export class GbrainHome {
  readonly launcher = builtGbrain();
  /** HOME of its processes; `GBRAIN_HOME` is `.gbrain` below it. */
  readonly folder: string;
  readonly root: string;
  readonly brainPath: string;
  readonly env: Record<string, string>;
  readonly #children = new Set<ChildProcess>();

  constructor(options: { env?: RunOptions['env']; folder?: string } = {}) {
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'gbrain-home-'));
    this.root = join(this.folder, '.gbrain');
    this.brainPath = join(this.root, 'brain.pglite');
    this.env = bareEnv(this.folder, options.env);
  }

  /** A home with an empty brain in it. */
  static async withBrain(options: { env?: RunOptions['env'] } = {}): Promise<GbrainHome> {
    const home = new GbrainHome(options);
    const made = await preparedBrain();
    mkdirSync(home.root, { recursive: true, mode: 0o700 });
    cpSync(made, home.root, { recursive: true });
    return home;
  }

  /** Runs `gbrain` with these arguments. */
  run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const onStart = (child: ChildProcess) => {
      this.#keep(child);
      options.onStart?.(child);
    };
    const env = { ...this.env, ...definedOf(options.env) };
    return runProgram([this.launcher, ...args], { cwd: this.folder, ...options, env, onStart });
  }

  /** Runs a command with `--json` that must succeed; gives its document. */
  async json<T = Record<string, unknown>>(args: readonly string[], options: RunOptions = {}): Promise<T> {
    const done = await this.run([...args, '--json'], options);
    if (done.exit !== 0)
      throw new Error(`gbrain ${args.join(' ')} ended with ${done.exit}: ${done.stdout}${done.stderr}`);
    return JSON.parse(done.stdout) as T;
  }

  /** Starts a process whose pipes the caller holds; killed when the home is disposed. */
  start(args: readonly string[], env: RunOptions['env'] = {}): ChildProcessWithoutNullStreams {
    const child = spawn(this.launcher, [...args], {
      env: { ...this.env, ...definedOf(env) },
      cwd: this.folder,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.on('error', () => undefined);
    this.#keep(child);
    return child;
  }

  #keep(child: ChildProcess): void {
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = [...this.#children];
    await Promise.all(
      running.map((child) => {
        const closed = new Promise((resolve) => child.once('close', resolve));
        child.kill('SIGKILL');
        return closed;
      }),
    );
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

const definedOf = (env: RunOptions['env'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));

let prepared: Promise<string> | undefined;

/** GBRAIN_HOME of an empty brain, made once a test process by `gbrain init`; its copies are brains of their own. */
function preparedBrain(): Promise<string> {
  prepared ??= (async () => {
    const home = new GbrainHome();
    process.once('exit', () => rmSync(home.folder, { recursive: true, force: true }));
    await home.json(['init', '--pglite', '--no-embedding']);
    rmSync(`${home.brainPath}.run`, { recursive: true, force: true });
    return home.root;
  })();
  return prepared;
}
