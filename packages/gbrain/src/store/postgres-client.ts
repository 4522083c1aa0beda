// One connection to a Postgres server: opened, sent bursts, cancelled, destroyed. Only this file imports the driver.
// It must not know pools, transactions or tables.
import pg from 'pg';
import { fromServer, fromSystem, storeError } from './faults.ts';
import { type Reply, ReplyBuilder, type ServerError } from './protocol.ts';
import type { StoreError } from './store.ts';

/** Where a server is. The URL is libpq's: postgres://user:password@host:port/database?sslmode=... */
export interface ServerAddress {
  url: string;
  connectMs: number;
}

/** The parts of the driver's connection that its own types leave out. */
interface Wire {
  stream: { write(bytes: Uint8Array): void; destroy(): void };
  ssl: unknown;
  on(event: string, listener: (error?: Error) => void): void;
  once(event: string, listener: (error?: Error) => void): void;
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
  end(): void;
}
interface DriverClient extends Omit<pg.Client, 'connection'> {
  connection: Wire;
  processID: number;
  secretKey: number;
}
const WireConnection = pg.Connection as unknown as new (config: { ssl: unknown }) => Wire;

/** How long a cancelled burst may take to end on the server before its connection is cut. */
const cancelGraceMs = 2_000;

/** A connection. One burst at a time. */
export class PostgresClient {
  readonly #driver: DriverClient;
  #lost: StoreError | undefined;

  private constructor(driver: DriverClient) {
    this.#driver = driver;
    // Without a listener the driver would end the process when an idle connection breaks.
    driver.on('error', (cause) => {
      this.#lost ??= storeError('unreachable', { cause, at: 'lost' });
    });
    driver.on('end', () => {
      this.#lost ??= storeError('unreachable', { at: 'lost' });
    });
  }

  /** Connects and logs in. Rejects with StoreError: `unreachable`, `auth_failed`, or what the server said. */
  static async connect(address: ServerAddress): Promise<PostgresClient> {
    const driver = new pg.Client({
      connectionString: address.url,
      connectionTimeoutMillis: address.connectMs,
      keepAlive: true,
      application_name: 'gbrain',
    }) as unknown as DriverClient;
    const client = new PostgresClient(driver);
    try {
      await driver.connect();
      return client;
    } catch (error) {
      driver.connection.stream.destroy();
      throw connectError(error);
    }
  }

  /** True once the connection is gone or no longer to be trusted. */
  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /**
   * Sends bytes of the wire protocol and gives the server's reply. When `signal` fires, the server is asked to
   * cancel; a statement that was faster than that gives its reply. Rejects with StoreError when the connection broke.
   */
  async run(bytes: Uint8Array, signal: AbortSignal): Promise<Reply> {
    if (this.#lost) throw this.#lost;
    const burst = new BurstQuery(bytes);
    let graceTimer: NodeJS.Timeout | undefined;
    let cancelled: Promise<void> | undefined;
    const onAbort = () => {
      const cut = Promise.withResolvers<void>();
      cancelled = Promise.race([sendCancel(this.#driver), cut.promise]);
      graceTimer = setTimeout(() => {
        this.destroy(signal.reason as StoreError);
        cut.resolve();
      }, cancelGraceMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      this.#driver.query(burst);
      const reply = await burst.done;
      // A request to cancel that is still on its way would stop whatever this connection runs next.
      await cancelled;
      if (reply.error?.severity === 'FATAL' || reply.error?.severity === 'PANIC') this.destroy(fromServer(reply.error));
      return reply;
    } catch (error) {
      this.#lost ??= storeError('unreachable', { cause: error, at: 'lost' });
      throw this.#lost;
    } finally {
      clearTimeout(graceTimer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Cuts the connection at once; the server undoes what it had open. */
  destroy(reason: StoreError): void {
    this.#lost ??= reason;
    this.#driver.connection.stream.destroy();
  }

  /** Says goodbye and closes. */
  async end(): Promise<void> {
    this.#lost ??= storeError('closed');
    await this.#driver.end();
  }
}

/**
 * Asks the server, over a connection of its own, to stop what `client` runs. Its failing changes nothing. Resolves when
 * the server has closed that connection: it does so once the request was carried out.
 */
function sendCancel(client: DriverClient): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wire = new WireConnection({ ssl: client.connection.ssl });
  const send = () => {
    wire.cancel(client.processID, client.secretKey);
    wire.end();
  };
  wire.on('error', () => resolve());
  wire.once('end', () => resolve());
  wire.once('connect', () => (client.connection.ssl ? wire.requestSsl() : send()));
  wire.once('sslconnect', send);
  wire.connect(client.port, client.host);
  return promise;
}

function connectError(error: unknown): StoreError {
  const code = (error as { code?: string }).code;
  if (error instanceof pg.DatabaseError) return fromServer(toServerError(error));
  const known = fromSystem(error);
  if (known) return known;
  // What is left (TLS refused, a timeout of the driver, a broken greeting) all means: no session here.
  return storeError('unreachable', { cause: error, ...(code === undefined ? {} : { at: code }) });
}

function toServerError(error: pg.DatabaseError): ServerError {
  const { severity = 'ERROR', code = 'XX000', message, detail, constraint, table, column } = error;
  return {
    severity,
    code,
    message,
    ...(detail === undefined ? {} : { detail }),
    ...(constraint === undefined ? {} : { constraint }),
    ...(table === undefined ? {} : { table }),
    ...(column === undefined ? {} : { column }),
  };
}

/** A burst as the driver's queue takes it (the way of pg-cursor): it writes its bytes itself and gathers the reply. */
class BurstQuery {
  readonly done: Promise<Reply>;
  readonly #bytes: Uint8Array;
  readonly #builder = new ReplyBuilder();
  #resolve: (reply: Reply) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }
  submit(connection: unknown): void {
    (connection as Wire).stream.write(this.#bytes);
  }
  handleRowDescription(message: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#builder.columns(message.fields.map((field) => ({ name: field.name, oid: field.dataTypeID })));
  }
  handleDataRow(message: { fields: (string | null)[] }): void {
    this.#builder.row(message.fields);
  }
  handleCommandComplete(message: { text: string }): void {
    this.#builder.complete(message.text);
  }
  handleEmptyQuery(): void {
    this.#builder.complete('');
  }
  handleReadyForQuery(): void {
    this.#resolve(this.#builder.reply);
  }
  handleError(error: unknown): void {
    // After an error of the server only "ready" follows, which the driver waits for before it sends anything else.
    if (error instanceof pg.DatabaseError) {
      this.#builder.error(toServerError(error));
      this.#resolve(this.#builder.reply);
    } else {
      this.#reject(error);
    }
  }
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}
