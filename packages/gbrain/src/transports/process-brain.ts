// The one brain that a process may have open: opened at the first call that needs it, closed once.
import { type Followers, followCommits } from '../areas/content/projector.ts';
import { embedWrites } from '../areas/vectors/embed-on-write.ts';
import { queueOf } from '../areas/writes/queue.ts';
import type { OpenBrain } from '../brain.ts';
import { passPoint } from '../fault-points.ts';
import type { Located } from '../home/locate.ts';
import { type OpenOptions, openBrainAt } from '../home/open-brain.ts';
import type { Host } from '../host.ts';
import { drainTurns } from './drain-turns.ts';

type Openable = Extract<Located, { kind: 'pglite' | 'postgres' }>;

interface Place {
  located: Openable;
  options: OpenOptions;
  host: Host;
  isServer: boolean;
}

async function openPlace({ located, options }: Place): Promise<OpenBrain> {
  await passPoint('store_opening');
  const brain = await openBrainAt(located, options);
  await passPoint('store_opened');
  return brain;
}

/** How long an orderly end waits for files of pages that this process wrote; the rest waits in the outbox. */
const FOLLOW_MS = 10_000;

/** How long it waits for vectors of those pages; what is left waits in the rows and is found by the next process. */
const EMBED_MS = 5_000;

/** The brain of a process, or the place for it. */
export class ProcessBrain {
  #located: Place | undefined;
  #opening: Promise<OpenBrain> | undefined;
  #checkLock: OpenBrain['checkLock'];
  #followers: Followers | undefined;
  #embedding: ReturnType<typeof embedWrites> | undefined;
  #draining: ReturnType<typeof drainTurns> | undefined;

  /** Hands over how the lock of an embedded brain is asked for, for as long as this process owns it. */
  ownedBy(checkLock: NonNullable<OpenBrain['checkLock']>): void {
    this.#checkLock = checkLock;
  }

  /** Says which brain to open. Only whoever holds its lock, or reaches a server, may say so. */
  use(located: Openable, options: OpenOptions, process: { host: Host; isServer: boolean }): void {
    this.#located = { located, options, ...process };
  }

  /** The open brain; a failed opening is tried again by the next call. */
  open(): Promise<OpenBrain> {
    const place = this.#located;
    if (!place) throw new Error('a brain was opened before it was attached');
    this.#opening ??= this.#openAt(place).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #openAt(place: Place): Promise<OpenBrain> {
    const brain = await openPlace(place);
    const { homeRoot: home, reportFault, observes } = place.options;
    if (observes) return this.#checkLock ? { ...brain, checkLock: this.#checkLock } : brain;
    const report = (error: unknown) => reportFault('writing the content directory', error);
    this.#followers = followCommits({
      store: brain.store,
      brainId: brain.brainId,
      home,
      now: () => new Date(),
      report,
    });
    const embedded = (error: unknown) => reportFault('embedding what was written', error);
    this.#embedding = embedWrites({ store: brain.store, host: place.host, report: embedded }, place);
    if (place.isServer) this.#draining = drainTurns(place.host);
    return this.#checkLock ? { ...brain, checkLock: this.#checkLock } : brain;
  }

  /** Closes the brain if it was opened. */
  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#located = undefined;
    this.#checkLock = undefined;
    const brain = await opening?.catch(() => undefined);
    if (!brain) return;
    await this.#draining?.stop();
    this.#draining = undefined;
    // A write that was accepted is not lost to an orderly end, even when its caller did not wait for it.
    await queueOf(brain.store).drain();
    await this.#followers?.stop(FOLLOW_MS);
    await this.#embedding?.stop(EMBED_MS);
    this.#followers = undefined;
    this.#embedding = undefined;
    await brain.close();
  }
}
