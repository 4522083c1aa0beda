// Follows commits in the background: pages that are marked get their files, a few at a time, and what a bulk import
// left undone is done. One a process, for as long as it has the brain open.
import { setTimeout as pause } from 'node:timers/promises';
import { parts } from '../../generated/parts.ts';
import type { Store } from '../../store/store.ts';
import { onCommit } from '../pages/after-commit.ts';
import { catchUpLeft } from '../pages/catch-up.ts';
import {
  clearUnfinished,
  contentRoot,
  type Directory,
  DiskFault,
  openDirectory,
  projectPage,
  settleDirectory,
} from './project.ts';
import {
  hasDue,
  keepProjected,
  type MarkedPage,
  type ProjectedFile,
  putOff,
  readDirectories,
  readForProjection,
  readMarked,
  wasText,
} from './projection.sql.ts';

/** What follows commits while a brain is open. */
export interface Followers {
  /** Does what is due, and ends; at most `boundMs`. What is left waits in the outbox. */
  stop(boundMs: number): Promise<void>;
}

/** Where a brain's files are. */
export interface FollowedBrain {
  store: Store;
  brainId: string;
  home: string;
  now(): Date;
  /** Told of a fault that nobody waits for. */
  report(error: unknown): void;
}

const BATCH_PAGES = 128;
const WIDTH = 8;
/** A command that only reads is over before this. */
const FIRST_LOOK_MS = 400;
/** Commits that follow each other closely are taken together, so that a writer does not wait for files. */
const GATHER_MS = 200;
const RETRY_MS = 30_000;

/** Writes one batch of marked pages; the number that was done. Puts all of them off when the disk takes nothing. */
export async function projectBatch(brain: Omit<FollowedBrain, 'report'>, limit = BATCH_PAGES): Promise<number> {
  const { store } = brain;
  const marked = await readMarked(store, limit);
  if (marked.length === 0) return 0;
  const directories = new Map<string, Directory>();
  try {
    for (const sourceId of new Set(marked.map((page) => page.sourceId))) {
      const root = contentRoot(brain.home, brain.brainId, sourceId);
      directories.set(sourceId, await openDirectory(root, (pageId, hash) => wasText(store, pageId, hash)));
    }
    const done = await projectAll(directories, marked);
    for (const directory of directories.values()) await settleDirectory(directory);
    await store.batch(keepProjected(done, brain.now()));
    return done.length;
  } catch (error) {
    const code = error instanceof DiskFault ? error.reason : (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    const until = new Date(brain.now().getTime() + RETRY_MS);
    await store.query(
      putOff(
        marked.map(({ pageId }) => pageId),
        until,
        code,
      ),
    );
    return 0;
  }
}

async function projectAll(
  directories: ReadonlyMap<string, Directory>,
  marked: readonly MarkedPage[],
): Promise<ProjectedFile[]> {
  const done: ProjectedFile[] = [];
  const queue = marked.values();
  const work = async () => {
    for (const page of queue) done.push(await projectPage(directories.get(page.sourceId)!, page));
  };
  const ended = await Promise.allSettled(Array.from({ length: WIDTH }, work));
  // Every worker is over before a fault is told, so that nothing is written behind its back.
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return done;
}

/** Starts following a brain's commits. */
export function followCommits(brain: FollowedBrain): Followers {
  const following = new Following(brain);
  // On a server the pages have no files here; what a bulk left is looked for once.
  const unsubscribe = brain.store.facts.engine === 'pglite' ? onCommit(brain.store, () => following.onCommit()) : noop;
  return {
    stop: async (boundMs) => {
      unsubscribe();
      await following.stop(boundMs);
    },
  };
}

const noop = (): void => undefined;

class Following {
  readonly #brain: FollowedBrain;
  readonly #openedAt: Date;
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #hasWritten = false;
  #isCaughtUp = false;
  #hasDirectories = false;

  constructor(brain: FollowedBrain) {
    this.#brain = brain;
    this.#openedAt = brain.now();
    this.#startIn(FIRST_LOOK_MS);
  }

  onCommit(): void {
    this.#hasWritten = true;
    this.#startIn(GATHER_MS);
  }

  async stop(boundMs: number): Promise<void> {
    clearTimeout(this.#timer);
    if (await this.#isWorkLeft()) this.#start();
    const isOver = new AbortController();
    const bound = pause(boundMs, undefined, { signal: isOver.signal }).catch(noop);
    await Promise.race([this.#running, bound]);
    isOver.abort();
    this.#end.abort();
    clearTimeout(this.#timer);
    // The batch in hand ends: its files and its rows belong together.
    await this.#running;
  }

  /** What this process wrote, or what one before it left when it was killed: a short command finishes that too. */
  async #isWorkLeft(): Promise<boolean> {
    if (this.#hasWritten || this.#running) return this.#hasWritten;
    return hasDue(this.#brain.store).catch((error: unknown) => {
      this.#brain.report(error);
      return false;
    });
  }

  #startIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#start();
    }, ms).unref();
  }

  #start(): void {
    if (this.#end.signal.aborted) return;
    const after = this.#running ?? Promise.resolve();
    const run = after
      .then(() => this.#run())
      .catch((error: unknown) => {
        if (!this.#end.signal.aborted) this.#brain.report(error);
      })
      .finally(() => {
        if (this.#running === run) this.#running = undefined;
      });
    this.#running = run;
  }

  async #openDirectories(): Promise<boolean> {
    const { store, home, brainId } = this.#brain;
    const sources = await readDirectories(store);
    for (const sourceId of sources) await clearUnfinished(contentRoot(home, brainId, sourceId));
    return sources.length > 0;
  }

  async #run(): Promise<void> {
    if (!this.#isCaughtUp) {
      const left = { before: this.#openedAt, signal: this.#end.signal };
      await catchUpLeft(
        this.#brain.store,
        parts.map(({ value }) => value),
        left,
      );
    }
    this.#isCaughtUp = true;
    this.#hasDirectories ||= await this.#openDirectories();
    if (!this.#hasDirectories) return;
    // What was written during a batch that is not full is gathered for the next one: a look after every batch would
    // stand between each few writes of somebody who goes on writing.
    while (!this.#end.signal.aborted && (await projectBatch(this.#brain)) === BATCH_PAGES);
  }
}

/** Writes the file of one page now, whether it is marked or not; undefined where its source has no directory. */
export async function projectNow(
  brain: Omit<FollowedBrain, 'report'>,
  pageId: number,
): Promise<ProjectedFile | undefined> {
  const { store } = brain;
  const page = await readForProjection(store, pageId);
  if (!page) return undefined;
  const root = contentRoot(brain.home, brain.brainId, page.sourceId);
  const directory = await openDirectory(root, (id, hash) => wasText(store, id, hash));
  const done = await projectPage(directory, page);
  await settleDirectory(directory);
  await store.batch(keepProjected([done], brain.now()));
  return done;
}
