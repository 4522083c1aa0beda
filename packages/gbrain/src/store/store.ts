// The storage port: what the two engines have in common, and the few facts in which they differ.
// Nothing above this folder knows which engine it talks to.

/** A statement with its bound values; values are text, numbers, booleans, null, Date, Uint8Array or arrays of these. */
export interface Sql {
  readonly text: string;
  readonly params: readonly unknown[];
}

/** Runs statements one after another on one connection. */
export interface Queryable {
  /**
   * Rows of one statement. Rejects with StoreError. bigint and xid8 columns come back as JavaScript numbers (ids stay
   * below 2^53), json parsed, timestamptz as Date (milliseconds), bytea as Uint8Array, arrays as arrays; every other
   * type (uuid, numeric, date, ...) as the text Postgres prints.
   */
  query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]>;
  /**
   * Several statements in one round trip, in order; the rows of each. On an error nothing after it has run
   * (inside `tx` the transaction is then aborted, outside it the batch is one transaction).
   */
  batch(statements: readonly Sql[]): Promise<Record<string, unknown>[][]>;
}

/** A transaction. A savepoint lets one part fail without the rest; a serialisation failure dooms the whole. */
export interface Tx extends Queryable {
  /**
   * Statements whose rows nobody needs: they travel with the next round trip of the transaction, its commit at the
   * latest, in order. What the server says against one of them is the error of that round trip.
   */
  queue(statements: readonly Sql[]): Promise<void>;
  savepoint<T>(body: () => Promise<T>): Promise<T>;
  /** Fixed text of several commands, without values or rows. For migrations; costs a round trip of its own. */
  script(text: string): Promise<void>;
}

/** Bounds of one call outside a transaction; without them the store's own deadline holds (30 s). */
export interface CallOptions {
  /** Ends the statement. A TimeoutError as its reason counts as a deadline (`timeout`), anything else is `aborted`. */
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** Bounds and kind of one transaction. */
export interface TxOptions {
  /** Aborts the transaction; once the commit was sent it waits for its outcome. */
  signal?: AbortSignal;
  /** Bound of the whole transaction, waiting for the connection included; 60 s unless the store says otherwise. */
  timeoutMs?: number;
  /** One snapshot for all its reads (repeatable read) and no writes. */
  readOnly?: boolean;
  /** Read committed, or repeatable read when `readOnly`. */
  isolation?: 'read committed' | 'repeatable read' | 'serializable';
}

/** The few facts in which the engines differ. */
export interface EngineFacts {
  engine: 'pglite' | 'postgres';
  /** Major version of Postgres, e.g. 18. */
  serverMajor: number;
  /** False where one connection serves everybody (embedded). */
  concurrent: boolean;
}

/** A brain's database. One instance a process and brain; safe to call from everywhere at once. */
export interface Store extends Queryable {
  readonly facts: EngineFacts;
  query<Row = Record<string, unknown>>(statement: Sql, options?: CallOptions): Promise<Row[]>;
  batch(statements: readonly Sql[], options?: CallOptions): Promise<Record<string, unknown>[][]>;
  /**
   * Runs `body` in one transaction and commits it; rolls back when it throws. When `tx` resolves, the commit is on
   * disk. Serialisation failures and deadlocks are retried at most 3 times, so `body` must be repeatable.
   */
  tx<T>(body: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>;
  /** Same outcome for a second call. After it every method rejects with StoreError `closed`. */
  close(): Promise<void>;
}

/** Closed set of storage faults; raw engine text stays in `cause` and never reaches a reply. */
export type StoreFault =
  | 'unique_violation'
  | 'foreign_key_violation'
  | 'check_violation'
  | 'serialization'
  | 'timeout'
  | 'aborted'
  | 'disk_full'
  | 'read_only'
  | 'unreachable'
  | 'auth_failed'
  | 'schema_missing'
  /** The database holds a breaking migration that this code does not know. */
  | 'schema_newer'
  /** An applied migration differs from the one of that number in this code. */
  | 'schema_changed'
  /** The embedded folder is of another Postgres major or format; the message names both. */
  | 'incompatible'
  | 'damaged'
  | 'closed'
  | 'outcome_unknown'
  | 'other';

/** The only error that a store rejects with, but for a TypeError when a value cannot be bound. */
export class StoreError extends Error {
  readonly fault: StoreFault;
  /** Constraint, SQLSTATE or path that names the place, when the engine told it. */
  readonly at?: string;
  constructor(fault: StoreFault, message: string, options?: { cause?: unknown; at?: string }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StoreError';
    this.fault = fault;
    if (options?.at !== undefined) this.at = options.at;
  }
}
