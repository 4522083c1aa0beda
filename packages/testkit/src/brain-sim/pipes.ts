// Simulated harness processes: the real binding with loops that behave and loops that do not, behind slow pipes.

import type { LinkEnd, StartLink, WorkerLink } from '@gbrain/brain/workers/link';
import { toRpcError } from '@gbrain/brain/workers/process';
import type { CallParams } from '@gbrain/brain-protocol/harness';
import { type OpenHarness, openHarness } from '@gbrain/harness/harness';
import { createPeer, type Peer } from '@gbrain/wire/json-rpc';
import type { JsonRpcMessage } from '@gbrain/wire/json-rpc-message';
import { simHarness } from './behaviours.ts';
import type { Oracle } from './oracle.ts';
import type { Random } from './random.ts';
import type { Life, SimClock } from './sim-clock.ts';

/** What processes are made from. */
export interface PipesOptions {
  clock: SimClock;
  random: Random;
  oracle: Oracle;
  maxConcurrency: number;
}

/** All harness processes, of every life of the server. */
export class SimPipes {
  readonly #options: PipesOptions;
  readonly #links = new Set<SimLink>();

  constructor(options: PipesOptions) {
    this.#options = options;
  }

  /** How one life of the server starts workers. */
  toStartLink(life: Life): StartLink {
    return ({ onCall }) => {
      const link: SimLink = new SimLink(life, this.#options, {
        onCall,
        onGone: () => this.#links.delete(link),
        findForeign: () => [...this.#links].find((other) => other !== link)?.lastRun,
      });
      this.#links.add(link);
      return link;
    };
  }

  /** Kills one process, if there is one. */
  killOne(random: Random): void {
    const links = [...this.#links];
    if (links.length > 0) random.pick(links).die('exited');
  }
}

let pids = 1;

interface RunName {
  session_id: string;
  sequence: number;
}

interface LinkPorts {
  onCall(params: CallParams): Promise<unknown>;
  onGone(): void;
  /** A run of another process. */
  findForeign(): RunName | undefined;
}

class SimLink implements WorkerLink {
  readonly pid = pids++;
  readonly ended: Promise<LinkEnd>;
  readonly #life: Life;
  readonly #options: PipesOptions;
  readonly #brain: Peer;
  readonly #harness: OpenHarness;
  readonly #toHarness: Pipe;
  readonly #toBrain: Pipe;
  readonly #onGone: () => void;
  /** Results that each session's harness has seen. */
  readonly #modelResults = new Map<string, number>();
  readonly #calls = new Map<string | number, CallParams>();
  readonly #runs = new Map<string | number, string>();
  #end: (end: LinkEnd) => void = () => {};
  #dead = false;
  #raw = 1;
  #lastRun: RunName | undefined;
  readonly #findForeign: () => RunName | undefined;

  constructor(life: Life, options: PipesOptions, { onCall, onGone, findForeign }: LinkPorts) {
    this.#findForeign = findForeign;
    this.#life = life;
    this.#options = options;
    this.#onGone = onGone;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#toHarness = new Pipe(options.clock, options.random, (message) => this.#atHarness(message));
    this.#toBrain = new Pipe(options.clock, options.random, (message) => {
      if (life.alive && !this.#dead) this.#brain.receive(message);
    });
    this.#brain = createPeer({
      send: (message) => this.#toHarness.send(message),
      findHandler: () => (params) => onCall(params as unknown as CallParams),
      toError: toRpcError,
      onFault: ({ message }) => options.oracle.report(`a harness met a fault of the protocol: ${message}`),
    });
    this.#harness = openHarness(simHarness(options), {
      send: (message) => this.#fromHarness(message),
      warn: () => {},
    });
    life.onDeath(() => this.die('exited'));
  }

  /** The newest activation that it was given. */
  get lastRun(): RunName | undefined {
    return this.#lastRun;
  }

  request(method: string, params: Record<string, unknown>): Promise<unknown> {
    return this.#brain.request(method, params);
  }

  closeInput(): void {
    this.die('exited');
  }

  kill(): void {
    this.die('killed');
  }

  /** The process is gone; whoever is alive hears of it a little later. */
  die(reason: LinkEnd['reason']): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#onGone();
    void this.#harness.close();
    this.#life.timer(this.#options.random.int(0, 5), () => {
      this.#end({ reason, message: `ended by the simulation (${reason})` });
      this.#brain.close(new Error('gone'));
    });
  }

  #atHarness(message: unknown): void {
    if (this.#dead) return;
    this.#check(message as Record<string, unknown>);
    this.#harness.receive(message);
  }

  #fromHarness(message: JsonRpcMessage): void {
    if (this.#dead) return;
    if ('method' in message && 'id' in message) this.#calls.set(message.id, message.params as unknown as CallParams);
    const sessionId = 'method' in message || message.id === null ? undefined : this.#runs.get(message.id);
    const isRun = sessionId !== undefined && this.#lastRun?.session_id === sessionId;
    // A loop that does not wait for what it asked, and one that makes a success of every end.
    if (isRun && this.#options.random.chance(0.1)) this.#ask(this.#lastRun as RunName);
    const isLie = isRun && 'error' in message && this.#options.random.chance(0.5);
    this.#toBrain.send(isLie ? { jsonrpc: '2.0', id: message.id as number, result: {} } : message);
    if ('method' in message || message.id === null) return;
    this.#runs.delete(message.id);
    // A loop that goes on when its run is over, and one that speaks for a session of another process.
    if (isRun) this.#speakWithoutAuthority(this.#lastRun as RunName);
    const other = this.#findForeign();
    if (other) this.#speakWithoutAuthority(other);
  }

  #ask(run: RunName): void {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'By the way' }] }];
    const params = { ...run, method: 'model', input: { messages } };
    this.#toBrain.send({ jsonrpc: '2.0', id: `early-${this.#raw++}`, method: 'brain/call', params });
  }

  #speakWithoutAuthority(run: RunName): void {
    if (!this.#options.random.chance(0.3)) return;
    const params = { ...run, method: 'emit', input: { event_type: 'note', data: 'stray' } };
    this.#toBrain.send({ jsonrpc: '2.0', id: `raw-${this.#raw++}`, method: 'brain/call', params });
  }

  /** What a harness may be told is durable by then. */
  #check(message: Record<string, unknown>): void {
    const { oracle, maxConcurrency } = this.#options;
    const id = message.id as string | number;
    if (message.method === 'run') {
      const params = message.params as RunName & { input: { transcript: unknown } };
      this.#runs.set(id, params.session_id);
      this.#lastRun = { session_id: params.session_id, sequence: params.sequence };
      if (this.#runs.size > maxConcurrency) oracle.report(`a worker runs ${this.#runs.size} activations at once`);
      if (new Set(this.#runs.values()).size < this.#runs.size) oracle.report('a session runs twice at once');
      oracle.onRun(params.session_id, params.sequence, params.input.transcript);
      return;
    }
    if ('method' in message) return;
    if (String(id).startsWith('raw')) {
      const code = (message.error as { data?: { code?: string } } | undefined)?.data?.code;
      if (code !== 'activation_closed') oracle.report(`a call without authority was answered ${code ?? 'well'}`);
      return;
    }
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (!call) return;
    const { session_id, method, sequence } = call;
    const { data } = (message.error ?? {}) as { data?: { fatal?: boolean } };
    if (data?.fatal) oracle.onFatal(session_id, sequence);
    if (method === 'set_transcript' && 'result' in message) oracle.onTranscriptSaved(session_id, call.input);
    if (method === 'model') this.#checkModel(session_id, message);
    if (method === 'dispatch' && Array.isArray(message.result)) {
      for (const one of message.result as { sequence: number }[]) {
        oracle.onObserved(session_id, one.sequence, ['tool_call_ended', 'tool_call_returned']);
      }
    }
  }

  #checkModel(sessionId: string, message: Record<string, unknown>): void {
    const { oracle } = this.#options;
    if ('result' in message) {
      const count = (this.#modelResults.get(sessionId) ?? 0) + 1;
      this.#modelResults.set(sessionId, count);
      oracle.onModelResults(sessionId, count);
      return;
    }
    const { sequence } = (message.error as { data?: { sequence?: number } }).data ?? {};
    if (sequence !== undefined) oracle.onObserved(sessionId, sequence, ['model_call_failed']);
  }
}

/** One direction of a pipe: slow, and in order. */
class Pipe {
  readonly #clock: SimClock;
  readonly #random: Random;
  readonly #deliver: (message: unknown) => void;
  #lastMs = 0;

  constructor(clock: SimClock, random: Random, deliver: (message: unknown) => void) {
    this.#clock = clock;
    this.#random = random;
    this.#deliver = deliver;
  }

  send(message: JsonRpcMessage): void {
    const text = JSON.stringify(message);
    this.#lastMs = Math.max(this.#lastMs, this.#clock.nowMs() + this.#random.int(0, 3));
    this.#clock.timer(this.#lastMs - this.#clock.nowMs(), () => this.#deliver(JSON.parse(text)));
  }
}
