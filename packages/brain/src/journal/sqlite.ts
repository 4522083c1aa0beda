// The journal on SQLite: the queue in front, the writer on its thread, reads here. It knows no session and no command.
import { Worker } from 'node:worker_threads';
import { threadEntry } from '../thread-entry.ts';
import type { DataPaths } from './data-dir.ts';
import type { Batch, Journal } from './journal.ts';
import type { WriterData, WriterReply, WriterRequest } from './journal-writer.ts';
import { CommitQueue, type CommitResult } from './queue.ts';
import { QueuedJournal } from './queued-journal.ts';
import { JournalReader } from './reader.ts';

/** The journal cannot be opened; `code` is `records_lost` when the database is older than what was acknowledged. */
export class JournalOpenError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'JournalOpenError';
    this.code = code;
  }
}

/** Settings for tests. */
export interface SqliteOptions {
  /** What `BRAIN_FAULT` says. */
  fault?: string;
  maxPages?: number;
}

/** Opens the journal of a locked data folder. Rejects with a JournalOpenError. */
export async function openSqliteJournal(paths: DataPaths, options: SqliteOptions = {}): Promise<Journal> {
  const writer = new WriterThread(paths, options);
  const opened = await writer.next();
  if (opened.type === 'refused') throw new JournalOpenError(opened.code, opened.message);
  if (opened.type === 'ready') return new SqliteJournal(writer, new JournalReader(paths));
  const message = 'message' in opened ? opened.message : `the writer said ${opened.type}`;
  throw new JournalOpenError('journal_unusable', message);
}

/** The writer's thread. There is one request at a time, and each has one reply. */
class WriterThread {
  readonly #thread: Worker;
  readonly #requests = new Int32Array(new SharedArrayBuffer(4));
  #resolve: (reply: WriterReply) => void = () => {};
  /** Set once it has ended: every later reply. */
  #gone: WriterReply | undefined;

  constructor(paths: DataPaths, { fault, maxPages }: SqliteOptions) {
    const workerData: WriterData = {
      paths,
      requests: this.#requests,
      ...(fault !== undefined && { fault }),
      ...(maxPages !== undefined && { maxPages }),
    };
    this.#thread = new Worker(threadEntry(import.meta.url, 'journal/journal-writer'), {
      workerData,
      name: 'journal-writer',
    });
    this.#thread.on('message', (reply: WriterReply) => this.#resolve(reply));
    this.#thread.on('error', (error) => this.#end(`the writer broke: ${String(error)}`));
    this.#thread.on('exit', () => this.#end('the writer ended'));
  }

  /** Its next reply. */
  next(): Promise<WriterReply> {
    if (this.#gone) return Promise.resolve(this.#gone);
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  ask(request: WriterRequest): Promise<WriterReply> {
    const reply = this.next();
    this.#thread.postMessage(request);
    Atomics.add(this.#requests, 0, 1);
    Atomics.notify(this.#requests, 0);
    return reply;
  }

  async close(): Promise<void> {
    await this.ask({ type: 'close' });
    await this.#thread.terminate();
  }

  #end(message: string): void {
    this.#gone ??= { type: 'failed', message };
    this.#resolve(this.#gone);
  }
}

class SqliteJournal extends QueuedJournal implements Journal {
  readonly #writer: WriterThread;
  readonly #reader: JournalReader;
  readRecords: Journal['readRecords'];
  readSession: Journal['readSession'];
  listSessions: Journal['listSessions'];
  listNotAtRest: Journal['listNotAtRest'];
  readRequest: Journal['readRequest'];
  readSealed: Journal['readSealed'];
  listHosts: Journal['listHosts'];

  constructor(writer: WriterThread, reader: JournalReader) {
    super(new CommitQueue({ commit: (batches) => commitWith(writer, batches), timer: startTimer }));
    this.#writer = writer;
    this.#reader = reader;
    this.readRecords = reader.readRecords.bind(reader);
    this.readSession = reader.readSession.bind(reader);
    this.listSessions = reader.listSessions.bind(reader);
    this.listNotAtRest = reader.listNotAtRest.bind(reader);
    this.readRequest = reader.readRequest.bind(reader);
    this.readSealed = reader.readSealed.bind(reader);
    this.listHosts = reader.listHosts.bind(reader);
  }

  async close(): Promise<void> {
    await this.queue.drain();
    this.#reader.close();
    await this.#writer.close();
  }
}

async function commitWith(writer: WriterThread, batches: Batch[]): Promise<CommitResult> {
  const reply = await writer.ask({ type: 'commit', batches });
  if (reply.type === 'committed' || reply.type === 'full' || reply.type === 'failed') return reply;
  return { type: 'failed', message: `the writer said ${reply.type}` };
}

function startTimer(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}
