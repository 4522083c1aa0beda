// Opens the embedded engine as a Store: one engine thread behind a queue, killed and reopened when it must be.
// It must not know tables, and it takes no lock: the brain's owner holds that before it opens.
import { checkFolder, createFolder, engineMajor, hasDatabase, writeRecord } from './data-folder.ts';
import { storeError } from './faults.ts';
import { type Burst, type Lane, LaneStore, type Lanes, type StoreTimeouts } from './lanes.ts';
import { withLimit } from './limit.ts';
import { type Care, maintain } from './maintain.ts';
import type { EngineOptions } from './pglite-engine.ts';
import { EngineThread } from './pglite-thread.ts';
import { prepareEngine } from './prepared-engine.ts';
import { encodeBurst, encodeScript, parseReply, type Reply } from './protocol.ts';
import { sql } from './sql.ts';
import type { Store } from './store.ts';
import { StoreError } from './store.ts';

/** How an embedded store is opened. */
export interface PgliteOptions extends Partial<StoreTimeouts> {
  /** The data folder, private to one brain. */
  dataDir: string;
  /** Makes the folder from the shipped template when there is none; its brain gets ids of its own. */
  create?: boolean;
  /** Off only for stores that may vanish with the power, such as a test's; true unless said. */
  durable?: boolean;
  /** Log between two checkpoints, in bytes; 64 MiB unless said. */
  checkpointBytes?: number;
  /** Quiet after which the engine cares for its tables; 5 s unless said. */
  quietMs?: number;
}

/** Starting, recovery from a crash included: a log of 100 MB takes a second or so. */
const openMaxMs = 120_000;
/** How long a cancelled statement may still finish by itself, which is cheaper than a new engine. */
const cancelGraceMs = 100;
const closeMaxMs = 30_000;
const quietMsDefault = 5_000;
/** Commits after which the planner's figures are looked after for the first time. */
const firstCareCommits = 32;

/**
 * Opens the store of a data folder; migrations are the caller's. Rejects with StoreError: `schema_missing` when there
 * is no database and `create` is not set, `incompatible`, `damaged`, `disk_full`, `read_only`, `timeout`.
 */
export async function openPglite(options: PgliteOptions): Promise<Store> {
  const { dataDir, durable = true, checkpointBytes } = options;
  const engine = { dataDir, durable, ...(checkpointBytes === undefined ? {} : { checkpointBytes }) };
  const isNew = options.create === true && !hasDatabase(dataDir);
  // The disk is busy with the new folder for as long as the processor is with the engine's code.
  prepareEngine();
  const record = await folderOf(dataDir, isNew);
  const lanes = new PgliteLanes(engine);
  await lanes.open();
  const keeper = new LaneStore(lanes, options);
  const store = new LaneStore(lanes, options, async () => {
    if (lanes.commits > 0) await maintain(keeper, { figuresOnly: true });
  });
  lanes.careFor(options.quietMs ?? quietMsDefault, (care) => maintain(keeper, care));
  if (!record.born) {
    await store.batch(birth);
    await writeRecord(dataDir, { ...record, born: true });
  }
  return store;
}

async function folderOf(dataDir: string, isNew: boolean): Promise<ReturnType<typeof checkFolder>> {
  if (isNew) await createFolder(dataDir);
  return checkFolder(dataDir);
}

/** Gives a brain unpacked from the template its own ids and birthday; repeating it before first use is harmless. */
const birth = [
  sql`update brain set brain_id = gen_random_uuid(), incarnation = gen_random_uuid(), created_at = now()`,
  sql`update sources set incarnation = gen_random_uuid(), created_at = now()`,
];

/** The one lane of an embedded engine, handed from caller to caller in order. */
class PgliteLanes implements Lanes {
  readonly facts = { engine: 'pglite', serverMajor: engineMajor, concurrent: false } as const;
  readonly #options: EngineOptions;
  #thread: Promise<EngineThread> | undefined;
  #tail: Promise<void> = Promise.resolve();
  #callers = 0;
  #quiet: NodeJS.Timeout | undefined;
  #quietMs = quietMsDefault;
  #care: ((care: Care) => Promise<unknown>) | undefined;
  #caring = false;
  #careAt = firstCareCommits;
  #closed = false;
  /** Bursts that may have committed something. */
  commits = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Sets the care of the tables; in quiet times it must end soon after `stop` gives true. */
  careFor(quietMs: number, care: (care: Care) => Promise<unknown>): void {
    this.#quietMs = quietMs;
    this.#care = care;
  }

  prologue(): [] {
    return [];
  }

  /** The running engine, or a new one in place of one that died. */
  async open(): Promise<EngineThread> {
    const current = await this.#thread?.catch(() => undefined);
    if (current && !current.dead) return current;
    // Two engines must never share a folder, and a dead one may still be on its way out.
    await current?.gone;
    this.#thread = EngineThread.start(this.#options, openMaxMs);
    return this.#thread;
  }

  async acquire(signal: AbortSignal): Promise<Lane> {
    if (this.#closed) throw storeError('closed');
    let release = () => {};
    const before = this.#tail;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#tail = before.then(() => held);
    this.#callers += 1;
    clearTimeout(this.#quiet);
    const leave = () => {
      release();
      this.#callers -= 1;
      if (this.#caring || this.#closed) return;
      if (this.commits >= this.#careAt) this.#refreshFigures();
      else if (this.#callers === 0) this.#awaitQuiet();
    };
    try {
      await withLimit(before, signal);
      const thread = await withLimit(this.open(), signal);
      const run = (burst: Burst, until: AbortSignal) => {
        if (burst.commits) this.commits += 1;
        return runBurst(thread, burst, until);
      };
      return { run, release: leave };
    } catch (error) {
      leave();
      throw error;
    }
  }

  #awaitQuiet(): void {
    this.#quiet = setTimeout(() => {
      this.#takeCare({ stop: () => this.#closed || this.#callers > 0 });
    }, this.#quietMs);
    this.#quiet.unref();
  }

  /** A long run of writes knows no quiet: the planner's figures follow each doubling of it. */
  #refreshFigures(): void {
    this.#careAt = 2 * this.commits;
    this.#takeCare({ figuresOnly: true, stop: () => this.#closed });
  }

  #takeCare(care: Care): void {
    this.#caring = true;
    const rest = () => {
      this.#caring = false;
    };
    // Its failing harms nothing: what is due stays due, and the next time tries again.
    this.#care?.(care).then(rest, rest);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#quiet);
    await this.#tail;
    const thread = await this.#thread?.catch(() => undefined);
    if (thread && !thread.dead) await thread.close(closeMaxMs);
  }
}

/**
 * One burst; past its bound the engine is killed, because nothing else stops a statement in it. Throws TypeError at
 * once for a value that cannot be bound.
 */
function runBurst(thread: EngineThread, burst: Burst, signal: AbortSignal): Promise<Reply> {
  const { kept } = thread;
  if (burst.script !== undefined) {
    kept.forget();
    return askWithin(thread, encodeScript(burst.script), burst.commits, signal);
  }
  const texts = burst.statements.map(({ text }) => text);
  const names = kept.namesFor(texts);
  const settle = (reply?: Reply) => kept.settle(texts, names, reply);
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = encodeBurst(burst.statements, names);
  } catch (error) {
    settle();
    throw error;
  }
  const answer = askWithin(thread, bytes, burst.commits, signal);
  answer.then(settle, () => settle());
  return answer;
}

async function askWithin(
  thread: EngineThread,
  bytes: Uint8Array<ArrayBuffer>,
  commits: boolean,
  signal: AbortSignal,
): Promise<Reply> {
  if (signal.aborted) throw signal.reason;
  let graceTimer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    const reason = signal.reason as StoreError;
    const kill = () => void thread.kill(reason);
    if (reason.fault === 'timeout') kill();
    else graceTimer = setTimeout(kill, cancelGraceMs);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return parseReply(await thread.ask(bytes));
  } catch (error) {
    if (error instanceof StoreError && commits) {
      throw storeError('outcome_unknown', { cause: error, at: error.fault });
    }
    throw error;
  } finally {
    clearTimeout(graceTimer);
    signal.removeEventListener('abort', onAbort);
  }
}
