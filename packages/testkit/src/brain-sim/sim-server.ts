// One life of a server: the real services over simulated ports, put together as the real server does it.
import { ControlService } from '@gbrain/brain/effects/control';
import { EnvironmentClient } from '@gbrain/brain/effects/environment-client';
import { HostService } from '@gbrain/brain/effects/hosts';
import { ModelService } from '@gbrain/brain/effects/model';
import { Providers } from '@gbrain/brain/effects/providers';
import { answerSchema, SchemaChecks } from '@gbrain/brain/effects/schema-checks';
import { ToolService } from '@gbrain/brain/effects/tool';
import { Idempotency } from '@gbrain/brain/http/idempotency';
import type { Batch } from '@gbrain/brain/journal/journal';
import { MemoryJournal } from '@gbrain/brain/journal/memory';
import type { CommitResult } from '@gbrain/brain/journal/queue';
import type { Sealer } from '@gbrain/brain/journal/seal';
import { silentLog } from '@gbrain/brain/log';
import { Hub } from '@gbrain/brain/session/hub';
import type { LiveSession } from '@gbrain/brain/session/live';
import { SessionService } from '@gbrain/brain/session/sessions';
import { TurnService } from '@gbrain/brain/session/turns';
import { type Limits, NUMBER_SETTINGS } from '@gbrain/brain/settings';
import { Pool } from '@gbrain/brain/workers/pool';
import type { SimNetwork } from './network.ts';
import type { Oracle } from './oracle.ts';
import type { SimPipes } from './pipes.ts';
import type { Random } from './random.ts';
import { Life, never, type SimClock } from './sim-clock.ts';
import { SIM_BOUNDS } from './watched.ts';

/** What every life shares. */
export interface SimWorld {
  clock: SimClock;
  random: Random;
  oracle: Oracle;
  network: SimNetwork;
  pipes: SimPipes;
  workers: number;
  maxConcurrency: number;
  /** How often a commit goes wrong. */
  diskFaults: number;
}

/** A running server. */
export interface SimServer {
  life: Life;
  journal: MemoryJournal;
  sessions: SessionService;
  turns: TurnService;
  tools: ToolService;
  hosts: HostService;
  hub: Hub;
  idempotency: Idempotency;
  /** Resolves when recovery is done and workers have been tried. */
  ready: Promise<void>;
  /** The machine loses power: a commit that is under way is on disk or not. */
  crash(): void;
}

const limits: Limits = {
  ...(Object.fromEntries(
    Object.entries(NUMBER_SETTINGS).map(([key, row]) => [key, row.default * row.scale]),
  ) as Limits),
  maxModelCalls: SIM_BOUNDS.modelCalls,
  maxTurnMs: 4000,
  maxToolMs: 700,
  maxModelMs: 600,
  maxEnvironmentMs: 500,
  maxEmittedBytes: SIM_BOUNDS.emittedBytes,
  sessionIdleTtlMs: 900,
};

/** Values are not hidden here: what is simulated is the order of things. */
const sealer: Sealer = {
  seal: (_, __, text) => Buffer.from(text),
  unseal: (_, __, value) => Buffer.from(value).toString(),
};

/** Starts a life over what earlier ones left. */
export function startSimServer(world: SimWorld): SimServer {
  // Another machine, or the same one after its clock was set.
  const life = new Life(world.clock, world.random.int(-500, 500));
  life.onDeath(() => world.oracle.onDeath());
  const disk = new SimDisk(world, life);
  const { journal } = disk;
  const hub = new Hub(journal);
  const post = world.network.toPost(life);
  const randomText = (length: number) => world.random.text(length);
  const publicUrl = () => 'http://brain';
  const client = new EnvironmentClient({ clock: life, limits, post });
  const hosts = new HostService({ clock: life, limits, journal, randomText });
  const onObservation = (session: LiveSession) => sessions.wake(session);
  const schemas = new SchemaChecks(async (question) => answerSchema(question));
  const tools = new ToolService({
    clock: life,
    limits,
    hosts,
    environments: client,
    schemas,
    publicUrl,
    randomText,
    onObservation,
  });
  const control = new ControlService({
    limits,
    client,
    schemas,
    publicUrl,
    deriveToken: (words) => `token ${words}`,
    onObservation,
  });
  const provider = { id: 'sim', dialect: 'openai_responses' as const, baseUrl: 'http://model', models: [] };
  const providers = new Providers([provider]);
  const models = new ModelService({ clock: life, limits, hub, providers, post });
  const parts = { clock: life, limits, log: silentLog, models, tools, control, providers };
  const turns = new TurnService({ ...parts, openStateDir: () => '/state' });
  const pool = startPool(world, life, turns);
  const sessions: SessionService = new SessionService({
    ...parts,
    journal,
    sealer,
    pool,
    hosts,
    turns,
    schemas,
    randomText,
    removeStateDir: async () => {},
  });
  const idempotency = new Idempotency(journal, life, (text) => text);
  // A server whose recovery cannot be written ends at once, as the real one does.
  const ready = sessions.recover().then(
    () => pool.start(),
    () => life.end(),
  );
  return { life, journal, sessions, turns, tools, hosts, hub, idempotency, ready, crash: () => disk.crash() };
}

function startPool(world: SimWorld, life: Life, turns: TurnService): Pool {
  const { workers, maxConcurrency } = world;
  const registration = { name: 'sim', command: '/sim', args: [], configuration: {}, workers, maxConcurrency };
  return new Pool([registration], {
    clock: life,
    log: silentLog,
    initializeMs: 1000,
    startLink: world.pipes.toStartLink(life),
    identities: { bind: () => undefined },
    stateDir: () => '/state',
    onCall: async (worker, { session_id, sequence, method, input }) => {
      return turns.findActivation(worker, session_id, sequence).call(method, input);
    },
    onMismatch: (_, reason) => world.oracle.report(`identity: ${reason}`),
  });
}

/** The disk under one life: slow, sometimes full, sometimes broken, and cut off by a crash. */
class SimDisk {
  readonly journal: MemoryJournal;
  readonly #world: SimWorld;
  readonly #life: Life;
  #writing: readonly Batch[] | undefined;

  constructor(world: SimWorld, life: Life) {
    this.#world = world;
    this.#life = life;
    this.journal = new MemoryJournal(world.oracle, {
      timer: (ms, then) => life.timer(ms, then),
      decideCommit: (batches) => this.#commit(batches),
    });
  }

  crash(): void {
    const { random, oracle } = this.#world;
    const writing = this.#writing;
    if (!this.#life.alive) return;
    if (writing && random.chance(0.5)) oracle.apply(writing);
    this.#life.end();
  }

  async #commit(batches: readonly Batch[]): Promise<CommitResult> {
    const { random, clock, diskFaults } = this.#world;
    if (!this.#life.alive) return never();
    this.#writing = batches;
    const kind = random.chance(diskFaults) ? random.pick(['full', 'full', 'failed'] as const) : 'committed';
    await clock.wait(random.int(1, 8));
    if (!this.#life.alive) return never();
    this.#writing = undefined;
    if (kind === 'failed') {
      // After a failed sync nobody knows what is on disk; the process is restarted soon.
      if (random.chance(0.5)) this.#world.oracle.apply(batches);
      this.#life.timer(random.int(1, 50), () => this.#life.end());
    }
    return kind === 'committed' ? { type: kind } : { type: kind, message: `simulated: ${kind}` };
  }
}
