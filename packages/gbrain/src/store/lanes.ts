// The Store over any engine that can carry bursts of statements: queries, batches, transactions, retries.
// It must not know how an engine is reached; that is a Lanes (one for the embedded engine, one for a server).
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { fromServer, storeError } from './faults.ts';
import { LaneTx } from './lane-tx.ts';
import { startLimit, withLimit } from './limit.ts';
import type { Reply } from './protocol.ts';
import type { CallOptions, EngineFacts, Sql, Store, Tx, TxOptions } from './store.ts';
import { StoreError } from './store.ts';

/** What travels in one message: statements up to the first error, or one script of fixed text. */
export interface Burst {
  readonly statements: readonly Sql[];
  readonly script?: string;
  /** True when a finished burst may have committed a write; a lost reply is then `outcome_unknown`. */
  readonly commits: boolean;
}

/** One connection, held by one caller at a time. */
export interface Lane {
  /**
   * Gives the server's reply, its error included. Rejects with StoreError when the lane was lost; it is dead then.
   * Throws TypeError at once, with nothing sent, when a value cannot be bound.
   */
  run(burst: Burst, signal: AbortSignal): Promise<Reply>;
  release(): void;
}

/** The connections of one engine. */
export interface Lanes {
  readonly facts: EngineFacts;
  /** Waits for a free lane. Rejects with StoreError: the signal's, `closed`, or why the engine cannot be reached. */
  acquire(signal: AbortSignal): Promise<Lane>;
  /** Statements that must precede others in a transaction so that the server stops by itself after `ms`. */
  prologue(ms: number): readonly Sql[];
  /** Waits for lanes in use, then ends the engine; acquire rejects with `closed` from the start. */
  close(): Promise<void>;
}

/** Bounds of calls that bring none of their own, in milliseconds. */
export interface StoreTimeouts {
  queryMs: number;
  txMs: number;
  /** How long an outcome is awaited once a commit was sent. */
  commitMs: number;
}

/** 30 s a query, 60 s a transaction, 30 s a commit. */
export const defaultTimeouts: StoreTimeouts = { queryMs: 30_000, txMs: 60_000, commitMs: 30_000 };

const retriesMax = 3;

const writes = /\b(insert|update|delete|merge|into|nextval|setval|call)\b/i;
const readsFirst = /^\s*(select|with|values|table|show|explain)\b/i;

/**
 * A statement that can only read: its loss is never an unknown outcome, and it may be sent again. Words are enough,
 * because values are bound; a doubt counts as a write. (`for update` locks rows, and its lock dies with the lane.)
 */
const isRead = ({ text }: Sql) => readsFirst.test(text) && !writes.test(text.replace(/\bfor (no key )?update\b/gi, ''));

/** The port over lanes. */
export class LaneStore implements Store {
  readonly facts: EngineFacts;
  readonly #lanes: Lanes;
  readonly #timeouts: StoreTimeouts;
  readonly #inside = new AsyncLocalStorage<{ open: boolean }>();
  readonly #lastly: () => Promise<unknown>;
  #closing: Promise<void> | undefined;

  /** `lastly` is what is still to be done when the store is closed to its callers. */
  constructor(lanes: Lanes, timeouts: Partial<StoreTimeouts> = {}, lastly = async (): Promise<unknown> => undefined) {
    this.#lanes = lanes;
    this.#lastly = lastly;
    this.facts = lanes.facts;
    this.#timeouts = { ...defaultTimeouts, ...timeouts };
  }

  async query<Row = Record<string, unknown>>(statement: Sql, options?: CallOptions): Promise<Row[]> {
    const [rows] = await this.batch([statement], options);
    return rows as Row[];
  }

  async batch(statements: readonly Sql[], options: CallOptions = {}): Promise<Record<string, unknown>[][]> {
    this.#check();
    if (statements.length === 0) return [];
    const timeoutMs = options.timeoutMs ?? this.#timeouts.queryMs;
    const prologue = this.#lanes.prologue(timeoutMs);
    const reads = statements.every(isRead);
    const burst: Burst = { statements: [...prologue, ...statements], commits: !reads };
    const limit = startLimit(timeoutMs, options.signal);
    try {
      return await this.#retry(limit.signal, reads, async () => {
        const lane = await this.#lanes.acquire(limit.signal);
        try {
          const reply = await lane.run(burst, limit.signal);
          if (reply.error) throw fromServer(reply.error, limit.signal);
          return reply.results.slice(prologue.length);
        } finally {
          lane.release();
        }
      });
    } finally {
      limit.end();
    }
  }

  async tx<T>(body: (tx: Tx) => Promise<T>, options: TxOptions = {}): Promise<T> {
    this.#check();
    const limit = startLimit(options.timeoutMs ?? this.#timeouts.txMs, options.signal);
    try {
      return await this.#retry(limit.signal, true, () => this.#attempt(body, options, limit.signal));
    } finally {
      limit.end();
    }
  }

  async #attempt<T>(body: (tx: Tx) => Promise<T>, options: TxOptions, signal: AbortSignal): Promise<T> {
    const lane = await this.#lanes.acquire(signal);
    const tx = new LaneTx(lane, signal, [
      beginStatement(options),
      ...this.#lanes.prologue(options.timeoutMs ?? this.#timeouts.txMs),
    ]);
    const mark = { open: true };
    try {
      const value = await withLimit(
        this.#inside.run(mark, () => body(tx)),
        signal,
      );
      const commit = startLimit(this.#timeouts.commitMs);
      try {
        await tx.commit(commit.signal, options.readOnly === true);
      } finally {
        commit.end();
      }
      return value;
    } catch (error) {
      const roll = startLimit(this.#timeouts.commitMs);
      await tx.rollback(roll.signal).finally(() => roll.end());
      // A conflict that the body wrapped in an error of its own is still a conflict.
      throw tx.conflict ?? error;
    } finally {
      mark.open = false;
      lane.release();
    }
  }

  /** Repeats what another transaction disturbed, and what a lost connection surely undid when `repeatable`. */
  async #retry<T>(signal: AbortSignal, repeatable: boolean, attempt: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        const fault = error instanceof StoreError ? error.fault : undefined;
        const again = fault === 'serialization' || (repeatable && fault === 'unreachable' && wasLost(error));
        if (!again || tries === retriesMax || signal.aborted) throw error;
        // Two transactions that disturbed each other must not meet again in step.
        await pause(2 ** tries * 5 * (0.5 + Math.random()), undefined, { signal }).catch(() => {
          throw signal.reason;
        });
      }
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#lastly().then(
      () => this.#lanes.close(),
      // Whatever kept it from being done, the engine is ended.
      () => this.#lanes.close(),
    );
    return this.#closing;
  }

  #check(): void {
    if (this.#closing) throw storeError('closed');
    // Where one connection serves everybody this call would wait for the transaction that waits for it.
    if (this.#inside.getStore()?.open) {
      throw storeError('other', { message: 'The store was called inside its own transaction: use the transaction' });
    }
  }
}

/** A lane that broke after it had worked, or a server that shut down under it; not one that cannot be reached. */
const wasLost = (error: unknown) => error instanceof StoreError && /^(lost|57P0[12])$/.test(error.at ?? '');

function beginStatement(options: TxOptions): Sql {
  const isolation = options.isolation ?? (options.readOnly ? 'repeatable read' : 'read committed');
  return { text: `begin isolation level ${isolation}${options.readOnly ? ' read only' : ''}`, params: [] };
}
