// The real `brain` server as a child process on a temporary folder: start, kill, start again, ask.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/** How a server is started. `env` goes over a bare environment. */
export interface BrainOptions {
  /** Absent: the built-in one. */
  registrations?: Record<string, unknown>;
  env?: Record<string, string>;
  dataDir?: string;
  /** Default: a free one. Give that of a killed server to take its place. */
  port?: number;
  /** The command's file; default is the source. */
  server?: string;
}

/** Answer of the API. `body` is parsed JSON; undefined for an empty one. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

/** A running server. */
export interface BrainProcess {
  baseUrl: string;
  port: number;
  dataDir: string;
  pid: number;
  /** Everything that it said on stderr. */
  log(): string;
  /** One request; a body is sent as JSON, a mutation gets a fresh key unless `key` is given. */
  api(method: string, path: string, body?: unknown, options?: ApiOptions): Promise<ApiAnswer>;
  /** Resolves with the exit code, or the signal's name. */
  ended: Promise<number | string>;
  kill(signal?: NodeJS.Signals): Promise<number | string>;
}

/** Choices of one request. */
export interface ApiOptions {
  key?: string;
  headers?: Record<string, string>;
}

/** A folder for a server's data, not made yet. */
export function newDataDir(): string {
  return join(mkdtempSync(join(tmpdir(), 'brain-')), 'data');
}

/** Removes such a folder. */
export function removeDataDir(dataDir: string): void {
  rmSync(dirname(dataDir), { recursive: true, force: true });
}

/** Absolute path of a harness in the fixtures. */
export function fixtureHarness(name: string): string {
  return join(root, 'test/fixtures/brain', name);
}

let keys = 0;

/** Starts a server and waits until it is ready, or has ended; with `waitFor: 'listening'` only until it answers. */
export async function startBrain(
  options: BrainOptions,
  waitFor: 'ready' | 'listening' = 'ready',
): Promise<BrainProcess> {
  const dataDir = options.dataDir ?? newDataDir();
  const flags = ['--listen', `127.0.0.1:${options.port ?? 0}`, '--data-dir', dataDir];
  const map = options.registrations ? ['--agentloops', JSON.stringify(options.registrations)] : [];
  const server = options.server ?? join(root, 'packages/brain/src/bin/brain.ts');
  const child = spawn(process.execPath, [server, ...flags, ...map], {
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...options.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  const ended = new Promise<number | string>((done) =>
    child.on('close', (code, signal) => done(code ?? signal ?? 'gone')),
  );
  const port = await readPort(child, dataDir);
  const baseUrl = `http://127.0.0.1:${port}`;
  const started: BrainProcess = {
    baseUrl,
    port,
    dataDir,
    pid: child.pid ?? 0,
    log: () => text,
    api: (method, path, body, choice) => callApi(baseUrl, method, path, { body, ...choice }),
    ended,
    kill(signal = 'SIGKILL') {
      child.kill(signal);
      return ended;
    },
  };
  if (port > 0) await waitUntil(child, `${baseUrl}/health/${waitFor === 'ready' ? 'ready' : 'live'}`);
  return started;
}

async function waitUntil(child: ChildProcess, url: string): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 204) return;
    await new Promise((done) => setTimeout(done, 10));
  }
}

async function callApi(
  baseUrl: string,
  method: string,
  path: string,
  { body, key, headers = {} }: ApiOptions & { body?: unknown },
): Promise<ApiAnswer> {
  keys += 1;
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && { 'idempotency-key': key ?? `key-${process.pid}-${keys}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** The port that the server listens on, as it writes it down itself; 0 when it ended before that. */
async function readPort(child: ChildProcess, dataDir: string): Promise<number> {
  const file = join(dataDir, 'server.json');
  while (child.exitCode === null && child.signalCode === null) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    // An earlier server's file names another process; half a file names none.
    if (text.endsWith('}')) {
      const { pid, listen } = JSON.parse(text) as { pid: number; listen: string };
      if (pid === child.pid) return Number(listen.split(':').at(-1));
    }
    await new Promise((done) => setTimeout(done, 10));
  }
  return 0;
}
