// A home whose commands and server run inside the test's own process: the real front doors, pipeline and engine, and no
// program to start. What only a process has (its death, its signals, its own environment) needs the built binary.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { OpenBrain } from 'gbrain/brain';
import type { SessionSurface } from 'gbrain/context';
import { errors } from 'gbrain/generated/errors';
import { notices } from 'gbrain/generated/notices';
import { operations } from 'gbrain/generated/operations';
import { settings } from 'gbrain/generated/settings';
import { homeAt } from 'gbrain/home/home';
import { type Doors, makeHost, type ProcessFacts } from 'gbrain/home/local-host';
import { buildRegistry } from 'gbrain/registry';
import { attach } from 'gbrain/transports/attach';
import { type Reach, runCli } from 'gbrain/transports/cli';
import { serveMcpStdio } from 'gbrain/transports/mcp-stdio';
import { ProcessBrain } from 'gbrain/transports/process-brain';
import { VERSION } from 'gbrain/version';
import { buildTemplate } from '../../../tools/build-template.ts';
import { McpPipe } from './mcp-pipe.ts';

/** How a command line ended. */
export interface CliDone {
  exit: number;
  stdout: string;
  stderr: string;
}

/** What a command line is given beside its words. */
export interface CliGiven {
  /** Piped text, a stream, or nothing: an empty pipe. */
  stdin?: string | Readable;
  env?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** A running session over its pipe. */
export interface ServedSession {
  readonly pipe: McpPipe;
  /** The brain that this server has open. */
  brain(): Promise<OpenBrain>;
  end(): Promise<void>;
}

const registry = buildRegistry({ operations, errors, notices, settings });

/** Everything that is registered in the product. */
export const productRegistry = registry;

const refuse = async (): Promise<never> => {
  throw new Error('a command line of a test serves nothing and starts no other server');
};

const noDoors: Doors = { serveStdio: refuse, connectTools: refuse };

function collector() {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

/** A temporary home. Dispose it: `await using home = await HomeInProcess.withBrain()`. */
export class HomeInProcess {
  readonly folder = mkdtempSync(join(tmpdir(), 'gbrain-home-'));
  readonly root = join(this.folder, '.gbrain');
  readonly brainPath = join(this.root, 'brain.pglite');
  /** Lines that a process would have logged: unexpected faults with their stacks. */
  readonly log: string[] = [];
  readonly #sessions = new Set<ServedSession>();

  /** A home with an empty embedded brain. */
  static async withBrain(): Promise<HomeInProcess> {
    const made = await preparedBrain();
    const home = new HomeInProcess();
    cpSync(made.root, home.root, { recursive: true });
    return home;
  }

  #facts(env: Readonly<Record<string, string>>): ProcessFacts {
    return {
      version: VERSION,
      registry,
      home: homeAt(this.root),
      env: { HOME: this.folder, GBRAIN_HOME: this.root, PATH: '/usr/bin:/bin', ...env },
      launcher: process.execPath,
      log: (line) => void this.log.push(line),
    };
  }

  /** Runs a command line as `gbrain` does, this process' own signals and exit status left out. */
  async cli(argv: readonly string[], given: CliGiven = {}): Promise<CliDone> {
    const { stdin = '', env = {}, signal = new AbortController().signal } = given;
    const out = collector();
    const err = collector();
    const brain = new ProcessBrain();
    const input = typeof stdin === 'string' ? Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]) : stdin;
    const host = makeHost(this.#facts(env), brain, noDoors);
    const streams = { stdin: input, stdout: out.stream, stderr: err.stream };
    const identity = { version: VERSION, transport: 'cli' as const, serve: false };
    const reach = (how: Reach) => attach({ host, brain, identity, signal, ...how });
    const exit = await runCli({ argv, cwd: process.cwd(), host, streams, signal, reach });
    return { exit, stdout: out.text(), stderr: err.text() };
  }

  /** The document of a command line with `--json`, whatever its exit status. */
  async document(argv: readonly string[], given: CliGiven = {}): Promise<{ exit: number; body: Document }> {
    const done = await this.cli(withJson(argv), given);
    try {
      return { exit: done.exit, body: JSON.parse(done.stdout) as Document };
    } catch {
      throw new Error(`gbrain ${argv.join(' ')} wrote no document: ${done.stdout}${done.stderr}`);
    }
  }

  /** Starts a session on a pipe, handshake done. */
  async serve(options: { surface?: SessionSurface; access?: 'full' | 'read-only' } = {}): Promise<ServedSession> {
    const { surface = 'full', access = 'full' } = options;
    const brain = new ProcessBrain();
    const host = makeHost(this.#facts({}), brain, noDoors);
    const stop = new AbortController();
    const [stdin, protocol, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const log = (line: string) => void stderr.write(`${line}\n`);
    const ends = { stdin, stdout: protocol, stderr, once: () => undefined };
    const pipe = new McpPipe(ends as never);
    const served = serveMcpStdio(host, brain, { stdin, protocol, log }, { surface, access, signal: stop.signal });
    const session: ServedSession = {
      pipe,
      brain: () => brain.open(),
      end: async () => {
        this.#sessions.delete(session);
        stdin.end();
        await served;
      },
    };
    this.#sessions.add(session);
    await pipe.initialize();
    return session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.end()));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

/** A JSON document. */
export type Document = Record<string, unknown>;

/** `--json` before a bare `--`. */
function withJson(argv: readonly string[]): string[] {
  const flags = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  return flags.includes('--json') ? [...argv] : [...flags, '--json', ...argv.slice(flags.length)];
}

let prepared: Promise<HomeInProcess> | undefined;

/** A home with an empty brain, made once a test process by `init`; its copies are brains of their own. */
function preparedBrain(): Promise<HomeInProcess> {
  prepared ??= (async () => {
    await buildTemplate();
    const home = new HomeInProcess();
    process.once('exit', () => rmSync(home.folder, { recursive: true, force: true }));
    const made = await home.cli(['init', '--pglite', '--no-embedding', '--json']);
    if (made.exit !== 0) throw new Error(`init failed: ${made.stdout}${made.stderr}`);
    rmSync(`${home.brainPath}.run`, { recursive: true, force: true });
    return home;
  })();
  return prepared;
}
