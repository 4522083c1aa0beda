// One schedule from a seed: a server, sessions, clients who want things at the wrong time, and everything that breaks.
import { jsonAnswer } from '@gbrain/brain/http/answer';
import type { CreateSessionRequest } from '@gbrain/brain-protocol/session';
import { BEHAVIOURS } from './behaviours.ts';
import { SimHost } from './host.ts';
import { SimNetwork } from './network.ts';
import { Oracle } from './oracle.ts';
import { SimPipes } from './pipes.ts';
import { createRandom, type Random } from './random.ts';
import { never, SimClock } from './sim-clock.ts';
import { type SimServer, type SimWorld, startSimServer } from './sim-server.ts';

/** What became of a schedule. */
export interface ScheduleResult {
  seed: number;
  violations: string[];
  /** Everything durable, as text. */
  journal: string;
  records: number;
  steps: number;
  /** Lives of the server. */
  lives: number;
}

/** Runs the schedule of a seed. */
export async function runSchedule(seed: number): Promise<ScheduleResult> {
  return new Schedule(seed).run();
}

/** More than any schedule needs; one that needs more has come into a circle. */
const MAX_STEPS = 5000;

class Schedule {
  readonly #seed: number;
  readonly #random: Random;
  readonly #clock = new SimClock();
  readonly #oracle = new Oracle();
  readonly #world: SimWorld;
  readonly #host: SimHost;
  #server: SimServer;
  #lives = 1;
  #keys = 0;
  #plannedMs = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = createRandom(seed);
    const random = this.#random;
    const [clock, oracle] = [this.#clock, this.#oracle];
    const maxConcurrency = random.int(1, 3);
    this.#world = {
      clock,
      random: random.fork(),
      oracle,
      network: new SimNetwork({
        clock,
        random: random.fork(),
        oracle,
        faults: random.pick([0, 0.05, 0.2]),
        callBack: (token, call) => void this.#callBack(token, call),
      }),
      pipes: new SimPipes({ clock, random: random.fork(), oracle, maxConcurrency }),
      workers: random.int(1, 2),
      maxConcurrency,
      diskFaults: random.pick([0, 0, 0.02]),
    };
    this.#host = new SimHost({ clock, random: random.fork(), oracle });
    this.#server = this.#start();
  }

  async run(): Promise<ScheduleResult> {
    const random = this.#random;
    const crashes = random.pick([0, 1, 1, 2]);
    for (let count = 0; count < crashes; count += 1) this.#at(random.int(20, 1500), () => this.#crash());
    const kills = random.pick([0, 0, 1, 2]);
    for (let count = 0; count < kills; count += 1)
      this.#at(random.int(20, 1500), () => this.#world.pipes.killOne(random));
    const sessions = random.int(1, 3);
    for (let count = 0; count < sessions; count += 1) this.#plan();
    const rested = await this.#clock.run(MAX_STEPS);
    if (!rested) this.#oracle.report(`no rest after ${MAX_STEPS} steps`);
    if (!this.#server.life.alive) {
      this.#server = this.#start();
      await this.#clock.run(MAX_STEPS);
    }
    this.#checkMemory();
    this.#oracle.finish();
    const records = [...this.#oracle.records.values()].reduce((sum, list) => sum + list.length, 0);
    const { steps } = this.#clock;
    const journal = this.#oracle.toText();
    return { seed: this.#seed, violations: this.#oracle.violations, journal, records, steps, lives: this.#lives };
  }

  #at(ms: number, then: () => void): void {
    this.#plannedMs = Math.max(this.#plannedMs, ms);
    this.#clock.timer(ms, then);
  }

  #start(): SimServer {
    const server = startSimServer(this.#world);
    this.#host.attach(server);
    server.life.onDeath(() => {
      this.#clock.timer(this.#random.int(1, 100), () => {
        this.#lives += 1;
        this.#server = this.#start();
      });
    });
    this.#watchStream(server);
    return server;
  }

  #crash(): void {
    this.#server.crash();
  }

  /** A client's plan for one session of its own. */
  #plan(): void {
    const random = this.#random;
    const createKey = this.#newKey('create');
    const secret = `sk-sim-${createKey}`;
    const behaviour = random.pick(BEHAVIOURS);
    const wishes = random.int(2, 6);
    const times = Array.from({ length: wishes }, () => random.int(100, 1800)).sort((left, right) => left - right);
    let sessionId: string | undefined;
    const create = async () => {
      const body = toCreateRequest(secret, behaviour, this.#host.hostId);
      const answer = await this.#mutate('create', createKey, body, (extras) =>
        this.#server.sessions.create(body, extras),
      );
      if (!answer) return;
      sessionId = (answer as { session_id: string }).session_id;
      this.#oracle.hide(sessionId, secret);
    };
    this.#at(random.int(10, 60), () => void create());
    for (const time of times) {
      this.#at(time, () => {
        if (sessionId === undefined) void create();
        else this.#wish(sessionId);
      });
    }
  }

  #wish(sessionId: string): void {
    const random = this.#random;
    const kind = random.int(0, 19);
    if (kind < 12) void this.#send(sessionId, this.#newKey('send'));
    else if (kind < 16) void this.#cancel(sessionId);
    else if (kind < 18) {
      // The same key from two places, or again later.
      const key = this.#newKey('twin');
      void this.#send(sessionId, key);
      this.#clock.timer(random.int(0, 200), () => void this.#send(sessionId, key));
    } else if (kind === 18) void this.#end(sessionId);
    else this.#world.pipes.killOne(random);
  }

  async #send(sessionId: string, key: string): Promise<void> {
    const { sessions } = this.#server;
    const body = { input: { message: `Go ${key}` } };
    const isAsync = this.#random.chance(0.5);
    const scope = `${sessionId}/message${isAsync ? '-async' : ''}`;
    const answer = await this.#mutate(scope, key, body, async (extras) => {
      const turn = await sessions.send(sessionId, body, extras, { async: isAsync });
      if (isAsync) {
        await turn.started;
        return turn.sequence;
      }
      await turn.done;
      return turn.summary();
    });
    if (answer === undefined) return;
    if (typeof answer === 'number') this.#oracle.onAccepted(sessionId, `${scope} ${key}`, answer);
    else this.#oracle.onTurnAnswered(sessionId, (answer as { last_sequence: number }).last_sequence);
  }

  async #cancel(sessionId: string): Promise<void> {
    const turn = this.#server.turns.find(sessionId)?.sequence;
    const key = this.#newKey('cancel');
    const done = await this.#mutate(`${sessionId}/cancel`, key, null, async (extras) => {
      await this.#server.sessions.cancel(sessionId, extras);
      return true;
    });
    if (done) this.#oracle.onCancelled(sessionId, turn);
  }

  async #end(sessionId: string): Promise<void> {
    const { sessions } = this.#server;
    const ended = await this.#mutate(`${sessionId}/end`, this.#newKey('end'), null, (extras) =>
      sessions.end(sessionId, extras),
    );
    if (ended) this.#oracle.onEnded(sessionId);
  }

  /** A mutation as the routes do it; gives the answer's body, undefined for a refusal or when the server went away. */
  async #mutate(
    scope: string,
    key: string,
    body: unknown,
    work: (extras: Parameters<Parameters<SimServer['idempotency']['run']>[1]>[0]) => Promise<unknown>,
  ): Promise<unknown> {
    const { idempotency, life } = this.#server;
    if (!life.alive) return undefined;
    try {
      const answer = await idempotency.run({ scope, key, body }, async (extras) => jsonAnswer(200, await work(extras)));
      if (!life.alive) return never();
      return answer.status >= 400 || answer.body === '' ? true : JSON.parse(answer.body);
    } catch (error) {
      if (!(error instanceof Error && error.name === 'Refusal'))
        this.#oracle.report(`a request broke: ${String(error)}`);
      return undefined;
    }
  }

  async #callBack(token: string, { method, output }: { method: 'returned' | 'finish' | 'result'; output: number }) {
    const { tools, sessions, life } = this.#server;
    if (!life.alive) return;
    for (const [sessionId, records] of this.#oracle.records) {
      for (const { kind, sequence } of records) {
        if (kind !== 'tool_call_started' || !tools.findExecution(sessionId, sequence, token)) continue;
        await tools
          .update(sessions.open(sessionId), sequence, { type: method, outcome: { status: 'ok', value: output } })
          .catch((error: Error) => {
            if (error.name !== 'Refusal') this.#oracle.report(`a report broke: ${error.message}`);
          });
        return;
      }
    }
  }

  /** Everybody who listens hears each durable record once, in order, and no other. */
  #watchStream(server: SimServer): void {
    const seen = new Map<string, number>();
    server.journal.onCommit((batches) => {
      for (const sessionId of new Set(batches.flatMap(({ row }) => (row ? [row.sessionId] : [])))) {
        if (seen.has(sessionId)) continue;
        // What this very commit holds was published before anybody listened.
        seen.set(sessionId, this.#oracle.records.get(sessionId)?.length ?? 0);
        server.hub.listen(sessionId, {
          onEvent: ({ sequence }) => {
            const last = seen.get(sessionId) ?? 0;
            const isDurable = (this.#oracle.records.get(sessionId)?.length ?? 0) >= sequence;
            if (sequence !== last + 1 || !isDurable)
              this.#oracle.report(`${sessionId}: a stream gave ${sequence} after ${last}`);
            seen.set(sessionId, sequence);
          },
        });
      }
    });
  }

  /** At rest, what is in memory is what the records say. */
  #checkMemory(): void {
    if (!this.#server.life.alive || this.#server.journal.condition !== 'open') return;
    for (const sessionId of this.#oracle.records.keys()) {
      const live = toPlain(this.#server.sessions.read(sessionId).state);
      if (live !== toPlain(this.#oracle.stateOf(sessionId)))
        this.#oracle.report(`${sessionId}: memory and journal differ`);
    }
  }

  #newKey(what: string): string {
    this.#keys += 1;
    return `${what}-${this.#keys}`;
  }
}

function toPlain(state: unknown): string {
  return JSON.stringify(state, (_, value) => (value instanceof Map ? [...value].sort() : value));
}

function toCreateRequest(apiKey: string, behaviour: string, hostId: string): CreateSessionRequest {
  // The checks of the one are short, those of the other go the way of what may take long.
  const tool = (name: string, place: string, bound: object = {}) => ({
    name,
    description: '',
    input_schema: { type: 'object', properties: { n: { type: 'integer', maximum: 8, ...bound } } },
    placements: { [place]: {} },
  });
  return {
    agentloop: { name: 'sim', configuration: { behaviour } },
    model: { provider: 'sim', name: 'm', api_key: apiKey },
    tools: [tool('near', 'desk'), tool('far', 'box', { multipleOf: 1 })],
    environments: [
      { name: 'desk', driver: 'host', host_id: hostId },
      { name: 'box', driver: 'http', url: 'http://127.0.0.1:1' },
    ],
  };
}
