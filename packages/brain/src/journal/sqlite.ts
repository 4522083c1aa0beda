// The journal on SQLite: the queue in front, the writer on its thread, reads here. It knows no session and no command.
import { Worker } from 'node:worker_threads';
import type { DataPaths } from './data-dir.ts';
import type { AppendOptions, Batch, Journal, JournalCondition } from './journal.ts';
import type { WriterData, WriterReply, WriterRequest } from './journal-writer.ts';
import { CommitQueue, type CommitResult } from './queue.ts';
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
  const workerData: WriterData = {
    paths,
    ...(options.fault !== undefined && { fault: options.fault }),
    ...(options.maxPages !== undefined && { maxPages: options.maxPages }),
  };
  const thread = new Worker(writerEntry(), { workerData, name: 'journal-writer' });
  const opened = await nextReply(thread);
  if (opened.type === 'refused') throw new JournalOpenError(opened.code, opened.message);
  if (opened.type !== 'ready') throw new JournalOpenError('journal_unusable', `the writer said ${opened.type}`);
  return new SqliteJournal(thread, new JournalReader(paths));
}

/** The thread's file: beside this one in the sources, at the root of the folder in a bundle. */
function writerEntry(): URL {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return new URL('./journal-writer.ts', here);
  return new URL(here.includes('/chunks/') ? '../journal-writer.js' : './journal-writer.js', here);
}

function nextReply(thread: Worker): Promise<WriterReply> {
  return new Promise((resolve) => {
    const settle = (reply: WriterReply) => {
      thread.off('message', settle);
      thread.off('error', onError);
      thread.off('exit', onExit);
      resolve(reply);
    };
    const onError = (error: unknown) => settle({ type: 'failed', message: `the writer broke: ${String(error)}` });
    const onExit = () => settle({ type: 'failed', message: 'the writer ended' });
    thread.on('message', settle);
    thread.on('error', onError);
    thread.on('exit', onExit);
  });
}

class SqliteJournal implements Journal {
  readonly #thread: Worker;
  readonly #reader: JournalReader;
  readonly #queue: CommitQueue;
  readRecords: Journal['readRecords'];
  readSession: Journal['readSession'];
  listSessions: Journal['listSessions'];
  listNotAtRest: Journal['listNotAtRest'];
  readRequest: Journal['readRequest'];
  readSealed: Journal['readSealed'];
  listHosts: Journal['listHosts'];

  constructor(thread: Worker, reader: JournalReader) {
    this.#thread = thread;
    this.#reader = reader;
    this.#queue = new CommitQueue({ commit: (batches) => this.#commit(batches), timer: startTimer });
    this.readRecords = reader.readRecords.bind(reader);
    this.readSession = reader.readSession.bind(reader);
    this.listSessions = reader.listSessions.bind(reader);
    this.listNotAtRest = reader.listNotAtRest.bind(reader);
    this.readRequest = reader.readRequest.bind(reader);
    this.readSealed = reader.readSealed.bind(reader);
    this.listHosts = reader.listHosts.bind(reader);
  }

  get condition(): JournalCondition {
    return this.#queue.condition;
  }

  get commits(): number {
    return this.#queue.commits;
  }

  get queuedBytes(): number {
    return this.#queue.queuedBytes;
  }

  append(batch: Batch, options: AppendOptions): Promise<void> {
    return this.#queue.append(batch, options);
  }

  onCommit(listener: (batches: readonly Batch[]) => void): void {
    this.#queue.onCommit(listener);
  }

  onCondition(listener: (condition: JournalCondition, message: string) => void): void {
    this.#queue.onCondition(listener);
  }

  async close(): Promise<void> {
    await this.#queue.drain();
    this.#reader.close();
    const closed = nextReply(this.#thread);
    this.#thread.postMessage({ type: 'close' } satisfies WriterRequest);
    await closed;
    await this.#thread.terminate();
  }

  async #commit(batches: Batch[]): Promise<CommitResult> {
    const answered = nextReply(this.#thread);
    this.#thread.postMessage({ type: 'commit', batches } satisfies WriterRequest);
    const reply = await answered;
    if (reply.type === 'committed' || reply.type === 'full' || reply.type === 'failed') return reply;
    return { type: 'failed', message: `the writer said ${reply.type}` };
  }
}

function startTimer(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}
