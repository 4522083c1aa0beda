// A harness as a child process in its own group: lines in and out, stderr to the log, SIGKILL to the group.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { CallParams } from '@gbrain/brain-protocol/harness';
import { createJsonLineDecoder, createLineDecoder } from '@gbrain/wire/json-lines';
import { createPeer, type Peer } from '@gbrain/wire/json-rpc';
import { JsonRpcError, RPC_CODES } from '@gbrain/wire/json-rpc-message';
import { parseJson } from '@gbrain/wire/parse-json';
import { reach } from '../fault.ts';
import type { Log } from '../log.ts';
import { Refusal } from '../session/refusal.ts';
import type { LinkEnd, StartLink, WorkerLink } from './link.ts';

/** What processes are started with. */
export interface ProcessOptions {
  maxLineBytes: number;
  /** The server's environment; only an allow-list of it goes on. */
  env: Record<string, string | undefined>;
  log: Log;
  onStarted(pid: number): void;
  onGone(pid: number): void;
}

/** What a worker gets of the server's environment: never a key, never a token. Source: sessions facts D.6. */
const ALLOWED_ENV = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'NODE_EXTRA_CA_CERTS', 'TMPDIR'];

/** Longest stderr line that is logged; the rest of it is dropped with the stream's decoder. */
const STDERR_LINE_BYTES = 65_536;

/** Makes the function that starts worker processes. */
export function createProcessStarter(options: ProcessOptions): StartLink {
  return ({ registration, command, args, stateDir, onCall }) => {
    const env: Record<string, string> = { HOME: stateDir };
    for (const name of ALLOWED_ENV) {
      const value = options.env[name];
      if (value !== undefined) env[name] = value;
    }
    const child = spawn(command, args, { cwd: stateDir, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    return new ProcessLink(child, { ...options, registration, onCall });
  };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

interface LinkOptions extends ProcessOptions {
  registration: string;
  onCall(params: CallParams): Promise<unknown>;
}

class ProcessLink implements WorkerLink {
  readonly pid: number | undefined;
  readonly ended: Promise<LinkEnd>;
  readonly #child: Child;
  readonly #peer: Peer;
  readonly #options: LinkOptions;
  #end!: (end: LinkEnd) => void;
  #violation: string | undefined;
  #killed = false;
  #corked = false;

  constructor(child: Child, options: LinkOptions) {
    this.#child = child;
    this.#options = options;
    this.pid = child.pid;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#peer = createPeer({
      send: (message) => this.#write(message),
      findHandler: (method) => (method === 'brain/call' ? (params) => this.#answer(params) : undefined),
      toError: (thrown) => toRpcError(thrown),
      onFault: (fault) => this.#violate(fault.message),
      onNotification: (method) => options.log.warn('harness sent a notification, ignored', { method }),
    });
    if (child.pid !== undefined) options.onStarted(child.pid);
    this.#listen();
  }

  request(method: string, params: Record<string, unknown>): Promise<unknown> {
    const answered = this.#peer.request(method, params);
    // After the write that carries the line.
    if (method === 'run') setImmediate(() => reach('after_send_before_reply', 'run'));
    return answered;
  }

  closeInput(): void {
    this.#child.stdin.end();
  }

  kill(): void {
    this.#killed = true;
    killGroup(this.pid);
  }

  #listen(): void {
    const { registration, maxLineBytes, log } = this.#options;
    const child = this.#child;
    const lines = createJsonLineDecoder({ maxLineBytes }, parseJson);
    child.stdout.on('data', (chunk: Buffer) => {
      const { items, fault } = lines.push(chunk);
      for (const item of items) this.#peer.receive(item);
      if (fault) this.#violate(`${fault.message} Only the protocol belongs on stdout; all else goes to stderr.`);
    });
    const diagnostics = createLineDecoder({ maxLineBytes: STDERR_LINE_BYTES });
    child.stderr.on('data', (chunk: Buffer) => {
      const { items } = diagnostics.push(chunk);
      for (const text of items) if (text.trim()) log.info(text, { harness: registration, pid: this.pid });
    });
    // A broken pipe shows as the process ending, which is where it is handled.
    child.stdin.on('error', () => {});
    child.on('error', (error) => this.#finish('exited', `could not be started: ${error.message}`));
    child.on('close', (code, signal) => this.#finish('exited', signal ? `ended by ${signal}` : `exited with ${code}`));
    child.on('exit', () => {
      if (this.pid !== undefined) this.#options.onGone(this.pid);
      // Children may hold the pipes open; nothing of the group is to survive its leader.
      killGroup(this.pid);
    });
  }

  /** Lines of one turn of the event loop leave in one write. */
  #write(message: unknown): void {
    const { stdin } = this.#child;
    if (!this.#corked) {
      this.#corked = true;
      stdin.cork();
      setImmediate(() => {
        this.#corked = false;
        stdin.uncork();
      });
    }
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  async #answer(params: unknown): Promise<unknown> {
    const parsed = CallParams.safeParse(params);
    if (!parsed.success) {
      throw new Refusal('invalid_request', parsed.error.issues[0]?.message ?? 'The parameters are not valid.');
    }
    return this.#options.onCall(parsed.data);
  }

  #violate(message: string): void {
    if (this.#violation !== undefined) return;
    this.#violation = message;
    this.#options.log.warn('harness broke the protocol and is killed', {
      harness: this.#options.registration,
      pid: this.pid,
      reason: message,
    });
    killGroup(this.pid);
    this.#finish('protocol', message);
  }

  #finish(reason: LinkEnd['reason'], message: string): void {
    const end: LinkEnd = this.#violation
      ? { reason: 'protocol', message: this.#violation }
      : { reason: this.#killed ? 'killed' : reason, message };
    this.#end(end);
    this.#peer.close(new Error(end.message));
  }
}

/** What a callback's failure is on the wire; a foreign error says nothing of itself and is fatal. */
export function toRpcError(thrown: unknown): { code: number; message: string; data?: unknown } {
  if (thrown instanceof JsonRpcError) return thrown.toObject();
  if (!(thrown instanceof Refusal)) {
    return { code: RPC_CODES.internal, message: 'internal error', data: { code: 'internal', fatal: true } };
  }
  const { code, facts, fatal } = thrown;
  const data = {
    code,
    fatal,
    ...(thrown.retryable && { retryable: true }),
    ...(facts.ambiguous && { ambiguous: true }),
    ...(facts.sequence !== undefined && { sequence: facts.sequence }),
    ...(facts.details !== undefined && { details: facts.details }),
  };
  return {
    code: code === 'invalid_request' ? RPC_CODES.invalidParams : RPC_CODES.service,
    message: thrown.message,
    data,
  };
}

/** SIGKILL to a process group; a group that is gone is fine. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
