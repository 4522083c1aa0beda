// Opens a Postgres server as a Store: a small pool of connections that assumes a transaction pooler in between.
// It must not know tables. No session state, no named statement, no session lock is ever used.
import { storeError } from './faults.ts';
import { type Burst, type Lane, LaneStore, type Lanes, type StoreTimeouts } from './lanes.ts';
import { PostgresClient, type ServerAddress } from './postgres-client.ts';
import { encodeBurst, encodeScript, type Reply } from './protocol.ts';
import { sql } from './sql.ts';
import type { EngineFacts, Sql, Store } from './store.ts';
import { StoreError } from './store.ts';

/** How a server's store is opened. */
export interface PostgresOptions extends Partial<StoreTimeouts> {
  /** postgres://user:password@host:port/database, with libpq's parameters. */
  url: string;
  /** Connections at most; 10 unless said. */
  connectionsMax?: number;
  /** Bound of one connection attempt; 10 s unless said. */
  connectMs?: number;
}

/** The oldest major whose SQL we write. */
const serverMajorMin = 15;
/** An unused connection is given back to the server after this. */
const idleMs = 30_000;

/**
 * Connects and reads the server's version. Rejects with StoreError: `unreachable`, `auth_failed`, `incompatible` for a
 * server older than Postgres 15.
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const facts: EngineFacts = { engine: 'postgres', serverMajor: 0, concurrent: true };
  const pool = new PostgresPool(options, facts);
  const store = new LaneStore(pool, options);
  try {
    const [row] = await store.query<{ version: string }>(sql`select current_setting('server_version_num') as version`);
    facts.serverMajor = Math.floor(Number(row?.version) / 10_000);
    if (facts.serverMajor < serverMajorMin) {
      throw storeError('incompatible', {
        message: `The server is Postgres ${facts.serverMajor}; gbrain needs Postgres ${serverMajorMin} or newer`,
      });
    }
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Waiter {
  give(client: PostgresClient): void;
  /** A place in the pool came free, but no connection. */
  retry(): void;
}

/** At most so many connections; a caller beyond that waits in order. */
class PostgresPool implements Lanes {
  readonly facts: EngineFacts;
  readonly #address: ServerAddress;
  readonly #sizeMax: number;
  readonly #idle: { client: PostgresClient; timer: NodeJS.Timeout }[] = [];
  readonly #waiters: Waiter[] = [];
  #size = 0;
  #closed = false;
  #drained: () => void = () => {};

  constructor(options: PostgresOptions, facts: EngineFacts) {
    this.facts = facts;
    this.#address = { url: options.url, connectMs: options.connectMs ?? 10_000 };
    this.#sizeMax = options.connectionsMax ?? 10;
  }

  prologue(ms: number): readonly Sql[] {
    // Local to the transaction, because behind a pooler the next one may run on another session. The formats are
    // what the codec reads, whatever the server's own defaults are.
    return [
      sql`select set_config('statement_timeout', ${String(ms)}, true),
        set_config('idle_in_transaction_session_timeout', ${String(ms)}, true),
        set_config('datestyle', 'ISO, YMD', true), set_config('timezone', 'UTC', true),
        set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true)`,
    ];
  }

  async acquire(signal: AbortSignal): Promise<Lane> {
    const client = await this.#take(signal);
    let held = true;
    return {
      run: (burst, until) => runBurst(client, burst, until),
      release: () => {
        if (held) this.#give(client);
        held = false;
      },
    };
  }

  async #take(signal: AbortSignal): Promise<PostgresClient> {
    for (;;) {
      if (this.#closed) throw storeError('closed');
      if (signal.aborted) throw signal.reason;
      const idle = this.#idle.pop();
      if (idle) {
        clearTimeout(idle.timer);
        if (!idle.client.lost) return idle.client;
        this.#size -= 1;
        continue;
      }
      if (this.#size < this.#sizeMax) return this.#connect(signal);
      const given = await this.#wait(signal);
      if (given) return given;
    }
  }

  async #connect(signal: AbortSignal): Promise<PostgresClient> {
    this.#size += 1;
    const connecting = PostgresClient.connect(this.#address);
    return new Promise((resolve, reject) => {
      let left = false;
      const onAbort = () => {
        left = true;
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      connecting.then(
        (client) => (left ? this.#give(client) : resolve(client)),
        (error: unknown) => {
          this.#shrink();
          reject(error);
        },
      );
      connecting.catch(() => undefined).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  #wait(signal: AbortSignal): Promise<PostgresClient | undefined> {
    return new Promise((resolve, reject) => {
      const settle = (client?: PostgresClient) => {
        signal.removeEventListener('abort', onAbort);
        resolve(client);
      };
      const waiter: Waiter = { give: settle, retry: () => settle() };
      const onAbort = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  #give(client: PostgresClient): void {
    if (client.lost || this.#closed) {
      if (!client.lost) void client.end();
      this.#shrink();
      return;
    }
    const waiter = this.#waiters.shift();
    if (waiter) {
      waiter.give(client);
      return;
    }
    const timer = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((entry) => entry.client === client),
        1,
      );
      void client.end();
      this.#shrink();
    }, idleMs);
    timer.unref();
    this.#idle.push({ client, timer });
  }

  #shrink(): void {
    this.#size -= 1;
    this.#waiters.shift()?.retry();
    if (this.#size === 0) this.#drained();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.retry();
    const drained = new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    for (const { client, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      await client.end();
      this.#shrink();
    }
    if (this.#size > 0) await drained;
  }
}

function runBurst(client: PostgresClient, burst: Burst, signal: AbortSignal): Promise<Reply> {
  const bytes = burst.script === undefined ? encodeBurst(burst.statements) : encodeScript(burst.script);
  return sendWithin(client, bytes, burst.commits, signal);
}

async function sendWithin(
  client: PostgresClient,
  bytes: Uint8Array,
  commits: boolean,
  signal: AbortSignal,
): Promise<Reply> {
  if (signal.aborted) throw signal.reason;
  try {
    return await client.run(bytes, signal);
  } catch (error) {
    // A cancelled burst has an outcome (none); only a lost reply leaves it open.
    if (error instanceof StoreError && commits && client.lost) {
      throw storeError('outcome_unknown', { cause: error, at: error.fault });
    }
    throw error;
  }
}
