// A transaction pooler for tests: many clients over few server sessions, a session changing hands after every
// transaction. It keeps no session state for anybody, as such poolers do; it must not know SQL.
import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** A running pooler. */
export interface Pooler {
  port: number;
  /** How often a session went to another client than the one before. */
  handovers: number;
  close(): Promise<void>;
}

interface Session {
  socket: Socket;
  processId: number;
  secretKey: number;
  lastClient: number;
}

interface Client {
  id: number;
  socket: Socket;
  session: Session | undefined;
  /** Bytes that wait for a session. */
  waiting: Buffer[];
  /** Messages sent that the server will answer with "ready". */
  open: number;
  started: boolean;
  buffer: Buffer;
}

const startupCode = 196_608;
const cancelCode = 80_877_102;
const sslCode = 80_877_103;

const framed = (kind: string, body: Buffer) => {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const numbers = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => {
    bytes.writeInt32BE(value, i * 4);
  });
  return bytes;
};

/** Starts a pooler before a database; `sessions` server sessions serve any number of clients. */
export async function openPooler(url: string, sessions: number): Promise<Pooler> {
  const pool = new TransactionPool(url);
  await pool.start(sessions);
  return pool;
}

class TransactionPool implements Pooler {
  port = 0;
  handovers = 0;
  readonly #url: string;
  readonly #free: Session[] = [];
  readonly #queue: Client[] = [];
  readonly #clients = new Map<number, Client>();
  readonly #drivers: pg.Client[] = [];
  readonly #server = createServer((socket) => this.#accept(socket));
  #lastId = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async start(sessions: number): Promise<void> {
    for (let i = 0; i < sessions; i += 1) this.#free.push(await this.#openSession());
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    this.port = (this.#server.address() as { port: number }).port;
  }

  async close(): Promise<void> {
    for (const client of this.#clients.values()) client.socket.destroy();
    for (const driver of this.#drivers)
      (driver as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #openSession(): Promise<Session> {
    const driver = new pg.Client({ connectionString: this.#url });
    driver.on('error', () => undefined);
    await driver.connect();
    this.#drivers.push(driver);
    const inner = driver as unknown as { connection: { stream: Socket }; processID: number; secretKey: number };
    const { stream: socket } = inner.connection;
    socket.removeAllListeners('data');
    const session: Session = { socket, processId: inner.processID, secretKey: inner.secretKey, lastClient: 0 };
    let buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      buffer = Buffer.concat([buffer, chunk]);
      while (buffer.length >= 5 && buffer.length > buffer.readInt32BE(1)) {
        const size = buffer.readInt32BE(1) + 1;
        this.#fromServer(session, buffer.subarray(0, size));
        buffer = buffer.subarray(size);
      }
    });
    return session;
  }

  #fromServer(session: Session, message: Buffer): void {
    const client = [...this.#clients.values()].find((one) => one.session === session);
    if (client && !client.socket.destroyed) client.socket.write(message);
    if (message[0] !== 0x5a) return;
    if (client) client.open -= 1;
    const idle = message[5] === 0x49;
    if (idle && (!client || client.open === 0)) this.#release(session, client);
    // Whoever left in the middle of a transaction must not leave it open for the next.
    else if (!idle && !client) session.socket.write(framed('Q', Buffer.from('rollback\0')));
  }

  #release(session: Session, client: Client | undefined): void {
    if (client) client.session = undefined;
    this.#free.push(session);
    const next = this.#queue.shift();
    if (next) this.#assign(next);
  }

  #assign(client: Client): void {
    if (client.session) return;
    // The session that rested longest, so that a client seldom meets the same one again.
    const session = this.#free.shift();
    if (!session) {
      if (!this.#queue.includes(client)) this.#queue.push(client);
      return;
    }
    if (session.lastClient !== client.id) this.handovers += 1;
    session.lastClient = client.id;
    client.session = session;
    for (const bytes of client.waiting.splice(0)) session.socket.write(bytes);
  }

  #accept(socket: Socket): void {
    this.#lastId += 1;
    const client: Client = {
      id: this.#lastId,
      socket,
      session: undefined,
      waiting: [],
      open: 0,
      started: false,
      buffer: Buffer.alloc(0),
    };
    this.#clients.set(client.id, client);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#leave(client));
    socket.on('data', (chunk) => {
      client.buffer = Buffer.concat([client.buffer, chunk]);
      if (!client.started) this.#greet(client);
      if (client.started) this.#fromClient(client);
    });
  }

  #greet(client: Client): void {
    if (client.buffer.length < 8 || client.buffer.length < client.buffer.readInt32BE(0)) return;
    const size = client.buffer.readInt32BE(0);
    const code = client.buffer.readInt32BE(4);
    const rest = client.buffer.subarray(size);
    if (code === cancelCode) {
      this.#cancel(client.buffer.readInt32BE(8), client.socket);
      return;
    }
    client.buffer = rest;
    if (code === sslCode) client.socket.write('N');
    if (code !== startupCode) return;
    client.started = true;
    const greeting = [framed('R', numbers(0)), framed('K', numbers(client.id, 7)), framed('Z', Buffer.from('I'))];
    client.socket.write(Buffer.concat(greeting));
  }

  #cancel(clientId: number, socket: Socket): void {
    const session = this.#clients.get(clientId)?.session;
    if (!session) {
      socket.end();
      return;
    }
    const { port, hostname } = new URL(this.#url);
    const line = connect(Number(port), hostname, () => {
      line.end(numbers(16, cancelCode, session.processId, session.secretKey));
    });
    line.on('error', () => undefined);
    // Closed once the server has carried it out, as the server itself would do.
    line.on('close', () => socket.end());
  }

  #fromClient(client: Client): void {
    while (client.buffer.length >= 5 && client.buffer.length > client.buffer.readInt32BE(1)) {
      const size = client.buffer.readInt32BE(1) + 1;
      const message = Buffer.from(client.buffer.subarray(0, size));
      client.buffer = client.buffer.subarray(size);
      const kind = String.fromCharCode(message[0] as number);
      if (kind === 'X') {
        client.socket.end();
        return;
      }
      if (kind === 'S' || kind === 'Q') client.open += 1;
      if (client.session) client.session.socket.write(message);
      else client.waiting.push(message);
    }
    if (client.waiting.length > 0) this.#assign(client);
  }

  #leave(client: Client): void {
    this.#clients.delete(client.id);
    const at = this.#queue.indexOf(client);
    if (at >= 0) this.#queue.splice(at, 1);
    // Nothing asked and still held: a transaction was open. Its end is not awaited here; "ready" frees the session.
    if (client.session && client.open === 0) client.session.socket.write(framed('Q', Buffer.from('rollback\0')));
  }
}
