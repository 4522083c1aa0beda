// A thread that checks values against schemas, one after another. One that takes too long is ended with its thread, and
// its schema is not used again: a pattern can be written that runs for years over forty letters.
import { Worker } from 'node:worker_threads';
import { threadEntry } from '../thread-entry.ts';
import type { SchemaQuestion } from './schema-checks.ts';
import type { SchemaAnswer } from './schema-worker.ts';

/** How long one check may take: a thousand times what an ordinary one needs. */
export const CHECK_MS = 2000;

/** What the thread may hold besides the value, which is no larger than a request. */
const MEMORY_MB = 512;

interface Job {
  question: SchemaQuestion;
  resolve(fault: string | undefined): void;
}

/** Checks that the main thread never waits for. The thread starts with the first one, and keeps no process alive. */
export class SchemaThread {
  #thread: Worker | undefined;
  #isReady = false;
  #waiting: Job[] = [];
  #running: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Schemas that ran out of time. */
  readonly #slow = new WeakSet<object>();

  /** Why not, or that it could not be found out; undefined when it fits, or can be used. */
  ask(question: SchemaQuestion): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ question, resolve });
      this.#next();
    });
  }

  #next(): void {
    if (this.#running) return;
    const job = this.#waiting.shift();
    if (!job) return;
    this.#running = job;
    if (this.#slow.has(job.question.schema)) {
      this.#settle('The schema took too long for an earlier value and is not used again. Simplify its patterns.');
      return;
    }
    this.#thread ??= this.#start();
    if (this.#isReady) this.#post();
  }

  #start(): Worker {
    const thread = new Worker(threadEntry(import.meta.url, 'effects/schema-worker'), {
      name: 'schema-checks',
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    this.#isReady = false;
    thread.on('message', (answer: SchemaAnswer) => {
      if (thread !== this.#thread) return;
      if (answer.type === 'ready') {
        this.#isReady = true;
        this.#post();
      } else this.#settle(answer.fault);
    });
    thread.on('error', (error) => {
      if (thread === this.#thread) this.#giveUp(`The schema cannot be used: ${error.message}`);
    });
    thread.unref();
    return thread;
  }

  #post(): void {
    if (!this.#running) return;
    this.#timer = setTimeout(() => {
      this.#giveUp(`It was not checked within ${CHECK_MS / 1000} s. Make the schema shorter, or its patterns simpler.`);
    }, CHECK_MS);
    this.#timer.unref();
    this.#thread?.postMessage(this.#running.question);
  }

  #giveUp(why: string): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
    if (this.#running) this.#slow.add(this.#running.question.schema);
    this.#settle(why);
  }

  #settle(fault: string | undefined): void {
    clearTimeout(this.#timer);
    const job = this.#running;
    this.#running = undefined;
    job?.resolve(fault);
    this.#next();
  }
}
