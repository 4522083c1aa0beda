// One transaction on one lane: begin, savepoints, release and queued statements travel with the next burst.
// It must not know engines, retries or clocks.
import { fromServer, storeError } from './faults.ts';
import type { Lane } from './lanes.ts';
import type { Sql, StoreError, Tx } from './store.ts';

const word = (text: string): Sql => ({ text, params: [] });

/**
 * A transaction in one of four states: waiting (nothing sent; `#prefix` holds begin), open, failed (the server
 * refused a statement; only a savepoint around it or rollback leads on), ended. Its bursts run one after another.
 */
export class LaneTx implements Tx {
  /** The serialisation failure or deadlock that dooms this transaction; no savepoint can save it. */
  conflict: StoreError | undefined;
  readonly #lane: Lane;
  readonly #signal: AbortSignal;
  /** What goes out before the next statements; the words of this class and what was queued. */
  #prefix: Sql[];
  readonly #queued = new Set<Sql>();
  #sent = false;
  #lost = false;
  #ended = false;
  #failed: StoreError | undefined;
  #savepoints = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(lane: Lane, signal: AbortSignal, begin: readonly Sql[]) {
    this.#lane = lane;
    this.#signal = signal;
    this.#prefix = [...begin];
  }

  async query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    const [rows] = await this.batch([statement]);
    return rows as Row[];
  }

  async batch(statements: readonly Sql[]): Promise<Record<string, unknown>[][]> {
    if (statements.length === 0) return [];
    return this.#inTurn(() => this.#send(statements));
  }

  async queue(statements: readonly Sql[]): Promise<void> {
    await this.#inTurn(async () => {
      this.#assertUsable();
      for (const statement of statements) {
        this.#prefix.push(statement);
        this.#queued.add(statement);
      }
    });
  }

  #hasQueued(): boolean {
    return this.#prefix.some((statement) => this.#queued.has(statement));
  }

  async script(text: string): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#prefix.length > 0) await this.#send([]);
      await this.#send([], text);
    });
  }

  async savepoint<T>(body: () => Promise<T>): Promise<T> {
    this.#savepoints += 1;
    const name = `s${this.#savepoints}`;
    const mark = word(`savepoint ${name}`);
    await this.#inTurn(async () => {
      this.#assertUsable();
      this.#prefix.push(mark);
    });
    try {
      const value = await body();
      await this.#inTurn(async () => {
        this.#assertUsable();
        // What is queued inside must fail inside.
        if (this.#hasQueued()) await this.#send([]);
        const unsent = this.#prefix.indexOf(mark);
        if (unsent >= 0) this.#prefix.length = unsent;
        else this.#prefix.push(word(`release savepoint ${name}`));
      });
      return value;
    } catch (error) {
      await this.#inTurn(async () => this.#undo(mark, name));
      throw this.conflict ?? error;
    }
  }

  /** Takes the transaction back to `mark`; what was queued after it goes with it. */
  #undo(mark: Sql, name: string): void {
    if (this.#lost || this.#ended || this.conflict) return;
    const unsent = this.#prefix.indexOf(mark);
    if (unsent >= 0) {
      this.#prefix.length = unsent;
    } else {
      this.#prefix = [word(`rollback to savepoint ${name}`), word(`release savepoint ${name}`)];
      this.#failed = undefined;
    }
  }

  /** Commits; without a single statement there is nothing to commit. Rejects when any part failed; roll back then. */
  async commit(signal: AbortSignal, readOnly: boolean): Promise<void> {
    await this.#inTurn(async () => {
      this.#assertUsable();
      this.#ended = true;
      if (!this.#sent && !this.#hasQueued()) return;
      const burst = { statements: [...this.#prefix, word('commit')], commits: !readOnly };
      const reply = await this.#lane.run(burst, signal).catch((error: StoreError) => {
        this.#lost = true;
        throw error;
      });
      // A queued statement that was refused leaves the transaction open, for its rollback.
      this.#sent = reply.status !== 'I';
      if (reply.error) throw this.#note(fromServer(reply.error));
      if (reply.tags.at(-1) !== 'COMMIT') throw storeError('other', { message: 'The transaction was rolled back' });
    });
  }

  /** Rolls back what was sent. A lane that fails here is dead, and a dead lane's transaction is undone anyway. */
  async rollback(signal: AbortSignal): Promise<void> {
    await this.#inTurn(async () => {
      this.#ended = true;
      if (!this.#sent || this.#lost) return;
      await this.#lane.run({ statements: [word('rollback')], commits: false }, signal).catch(() => undefined);
    });
  }

  async #send(statements: readonly Sql[], script?: string): Promise<Record<string, unknown>[][]> {
    this.#assertUsable();
    const prefix = script === undefined ? this.#prefix : [];
    const burst = {
      statements: [...prefix, ...statements],
      commits: false,
      ...(script === undefined ? {} : { script }),
    };
    const answer = this.#lane.run(burst, this.#signal);
    // From here on the lane may have sent it; run throws at once, sending nothing, when a value cannot be bound.
    this.#sent = true;
    if (script === undefined) {
      this.#prefix = [];
      this.#queued.clear();
    }
    const reply = await answer.catch((error: StoreError) => {
      this.#lost = true;
      this.#failed = error;
      throw error;
    });
    if (reply.error) throw this.#note(fromServer(reply.error, this.#signal));
    return reply.results.slice(prefix.length);
  }

  #note(error: StoreError): StoreError {
    this.#failed = error;
    if (error.fault === 'serialization') this.conflict = error;
    return error;
  }

  #assertUsable(): void {
    if (this.#signal.aborted) throw this.#signal.reason;
    if (this.#ended) throw storeError('closed', { message: 'The transaction has ended' });
    const failed = this.conflict ?? this.#failed;
    if (failed) throw failed;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}
