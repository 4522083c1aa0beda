// The index of an open brain: loaded from its snapshot or built from rows, and kept up with the change feed.
// It knows no file system; where the snapshot is kept is handed in.
import { createHash } from 'node:crypto';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { ChunkText, IndexChange, IndexDocument } from '../../index/document.ts';
import { LexicalIndex } from '../../index/lexical-index.ts';
import type { WordTable } from '../../index/meaning/word-table.ts';
import { openStemmer, type Stemmer } from '../../index/stemming.ts';
import { cursorText, type FeedCursor, parseCursor, readPart } from '../../store/feed.ts';
import type { Store } from '../../store/store.ts';
import { storedVectors } from '../vectors/stored-vectors.ts';
import { type FeedMark, LiveVectors } from './live-vectors.ts';
import {
  type ChunkRow,
  type DocumentRow,
  type FeedRow,
  readChange,
  readDocuments,
  readDocumentsAfter,
  readFeed,
  readFeedEnd,
} from './search.sql.ts';
import type { SnapshotFile } from './snapshot-file.ts';

/** What a live index stands on. */
export interface LiveIndexOptions {
  store: Store;
  incarnation: string;
  file: SnapshotFile;
  /** Where the vectors are kept; without it they are read from the rows each time. */
  vectorsFile?: SnapshotFile;
  /** Language of the stemmed stream, e.g. `english`. */
  language: string;
  /** The table of near words of that language, where there is one. */
  words?: () => WordTable | null;
}

/** Changes that are read at once where only their pages count, and behind which a file of vectors is left. */
const CHANGES_A_READ = 1_000;
const CHANGES_BEHIND_MAX = 20_000;
/** Pages that are read at once; they are indexed in turns of some milliseconds. */
const PAGES_A_READ = 128;
/** Changes after which a snapshot is worth writing again. */
const SAVE_AFTER = 50;

const FIELD: Record<ChunkRow['source'], ChunkText['field']> = {
  compiled_truth: 'body',
  timeline: 'timeline',
  fenced_code: 'code',
};

function fieldOf({ source, role }: ChunkRow): ChunkText['field'] {
  return role === 'user' || role === 'assistant' ? role : FIELD[source];
}

/** A row as the index takes it. */
export function toDocument(row: DocumentRow): IndexDocument {
  return {
    pageId: row.id,
    sourceId: row.source_id,
    visibility: row.visibility,
    slug: row.slug,
    title: row.title,
    aliases: [row.aliases].flat().filter((one): one is string => typeof one === 'string'),
    type: row.type,
    effectiveDate: row.effective_date?.toISOString().slice(0, 10) ?? null,
    chunks: row.chunks.map((chunk) => ({ index: chunk.index, field: fieldOf(chunk), text: chunk.text })),
    timeline: row.timeline,
  };
}

const hashOf = (row: FeedRow | undefined): string =>
  createHash('sha256')
    .update(row ? `${row.xid}:${row.position} ${row.page_id} ${row.revision}` : '')
    .digest('hex');

const hashAt = async (store: Store, { last }: FeedCursor): Promise<string> =>
  hashOf(last.position === 0 ? undefined : await readChange(store, last));

/** Merges everything into one segment, in turns. */
async function compact(index: LexicalIndex): Promise<void> {
  while (index.step()) await otherWork();
  index.beginCompaction();
  while (index.step()) await otherWork();
}

/** An index that follows its brain. */
export class LiveIndex {
  readonly #options: LiveIndexOptions;
  #index: LexicalIndex;
  #cursor: FeedCursor;
  #lastHash: string;
  #unsaved: number;
  #following: Promise<LexicalIndex> | undefined;
  #next: Promise<LexicalIndex> | undefined;
  #merging: NodeJS.Immediate | undefined;
  /** The vectors of the brain, followed along the same feed of pages. */
  readonly vectors: LiveVectors;
  /** Why the snapshot was not used, when there was one. */
  readonly rebuilt: string | undefined;
  #isRebuiltTold = false;

  private constructor(options: LiveIndexOptions, built: Built) {
    this.#options = options;
    const { incarnation, vectorsFile } = options;
    const pages = {
      mark: () => ({ position: cursorText(this.#cursor), hash: this.#lastHash }),
      changedSince: (mark: FeedMark) => this.#changedSince(mark),
    };
    this.vectors = new LiveVectors(
      storedVectors(options.store),
      vectorsFile && { file: vectorsFile, incarnation, pages },
    );
    this.#index = built.index;
    this.#cursor = built.cursor;
    this.#lastHash = built.lastHash;
    this.#unsaved = built.fromSnapshot ? 0 : SAVE_AFTER;
    this.rebuilt = built.refusal;
  }

  /** Opens the index of a brain: from its snapshot when that is of this brain and of its past, else from the rows. */
  static async open(options: LiveIndexOptions): Promise<LiveIndex> {
    const stemmer = await openStemmer(options.language);
    const loaded = await loadSnapshot(options, stemmer);
    if ('index' in loaded) return new LiveIndex(options, loaded);
    const built = await build(options.store, stemmer);
    return new LiveIndex(options, { ...built, ...(loaded.refusal && { refusal: loaded.refusal }) });
  }

  /** Why the snapshot was not used, for the one search that tells of it. */
  tellRebuilt(): string | undefined {
    if (this.#isRebuiltTold) return undefined;
    this.#isRebuiltTold = true;
    return this.rebuilt;
  }

  /** Gives the table of near words; null where there is none. */
  get words(): () => WordTable | null {
    return this.#options.words ?? (() => null);
  }

  /** The change that the index followed last, as transaction:number. */
  get position(): string {
    const { xid, position } = this.#cursor.last;
    return `${xid}:${position}`;
  }

  /** The index with every change applied that was committed when this was called. */
  current(): Promise<LexicalIndex> {
    const running = this.#following;
    if (!running) return this.#round();
    // The running round may have read the feed before the caller's own write, so the caller waits for the next one.
    this.#next ??= running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#round();
      });
    return this.#next;
  }

  #round(): Promise<LexicalIndex> {
    this.#following ??= this.#follow()
      .then(() => this.#index)
      .finally(() => {
        this.#following = undefined;
      });
    return this.#following;
  }

  async #follow(): Promise<void> {
    const { store } = this.#options;
    for (;;) {
      const { rows, cursor, hasMore } = await readPart(store, () => readFeed(store, this.#cursor, PAGES_A_READ));
      if (rows.length > 0) await this.#take(rows);
      // Nothing is awaited between the two: a snapshot that is saved meanwhile must hold a pair that belongs together.
      this.#cursor = cursor;
      if (rows.length > 0) this.#lastHash = hashOf(rows.at(-1));
      if (!hasMore) return;
    }
  }

  /** Applies changes as their pages stand now. */
  async #take(rows: readonly FeedRow[]): Promise<void> {
    const ids = [...new Set(rows.flatMap(({ page_id }) => (page_id === null ? [] : [page_id])))];
    const found = new Map((await readDocuments(this.#options.store, ids)).map((row) => [row.id, row]));
    const changes = ids.map((pageId): IndexChange => {
      const row = found.get(pageId);
      return row ? { kind: 'put', page: toDocument(row) } : { kind: 'remove', pageId };
    });
    for (const _turn of this.#index.applySlices(changes)) await otherWork();
    this.vectors.touch(ids);
    this.#unsaved += rows.length;
    this.#merge();
  }

  /** Merges in slices between other work. */
  #merge(): void {
    this.#merging ??= setImmediate(() => {
      this.#merging = undefined;
      if (this.#index.step()) this.#merge();
    });
  }

  /** Pages that changed since a mark; undefined where the mark is of another past, or too far back. */
  async #changedSince({ position, hash }: FeedMark): Promise<number[] | undefined> {
    const { store } = this.#options;
    const since = parseCursor(position);
    if (!since || (await hashAt(store, since)) !== hash) return undefined;
    let cursor: FeedCursor = since;
    const changed = new Set<number>();
    for (let read = 0; read < CHANGES_BEHIND_MAX; read += CHANGES_A_READ) {
      const part = await readPart(store, () => readFeed(store, cursor, CHANGES_A_READ));
      for (const { page_id } of part.rows) if (page_id !== null) changed.add(page_id);
      if (!part.hasMore) return [...changed];
      cursor = part.cursor;
    }
    return undefined;
  }

  /** Writes the snapshot when enough has changed since the last one. Other work has its turns meanwhile. */
  async save(): Promise<void> {
    if (this.#unsaved < SAVE_AFTER) return;
    const index = this.#index;
    await compact(index);
    const { incarnation, file } = this.#options;
    const stamp = { incarnation, position: cursorText(this.#cursor), lastChangeHash: this.#lastHash };
    this.#unsaved = 0;
    const work = index.snapshotSlices(stamp);
    let step = work.next();
    for (; !step.done; step = work.next()) await otherWork();
    await file.write(step.value);
  }

  /** Builds the index from the rows again, in place of what it holds, and keeps it. Gives how many pages it has. */
  async rebuild(): Promise<number> {
    // A round that began on the old index ends first; the next one begins on the new.
    await this.#following?.catch(() => undefined);
    const { store, language } = this.#options;
    const built = await build(store, await openStemmer(language));
    this.#index = built.index;
    this.#cursor = built.cursor;
    this.#lastHash = built.lastHash;
    this.#unsaved = SAVE_AFTER;
    await this.settle();
    return this.#index.stats().documents;
  }

  /** Follows the feed to its end and writes the snapshot: for the end of a bulk, so that no search has to build it. */
  async settle(): Promise<void> {
    await this.current();
    await this.save();
  }

  /** Writes what is worth keeping and ends background work. */
  async close(): Promise<void> {
    try {
      await this.save();
      await this.vectors.save();
    } finally {
      if (this.#merging) clearImmediate(this.#merging);
      this.#merging = undefined;
    }
  }
}

interface Built {
  index: LexicalIndex;
  cursor: FeedCursor;
  lastHash: string;
  fromSnapshot: boolean;
  refusal?: string;
}

async function loadSnapshot(options: LiveIndexOptions, stemmer: Stemmer): Promise<Built | { refusal?: string }> {
  const bytes = await options.file.read();
  if (!bytes) return {};
  const loaded = LexicalIndex.load(bytes, stemmer, options.incarnation);
  if (!loaded.ok) return { refusal: loaded.reason };
  const cursor = parseCursor(loaded.stamp.position);
  if (!cursor) return { refusal: 'malformed' };
  const lastHash = await hashAt(options.store, cursor);
  // The rows may have gone back in time (a restore): then the snapshot knows changes that never were.
  if (lastHash !== loaded.stamp.lastChangeHash) return { refusal: 'other_past' };
  return { index: loaded.index, cursor, lastHash, fromSnapshot: true };
}

async function build(store: Store, stemmer: Stemmer): Promise<Built> {
  // The end is read first: what changes while pages are read is followed afterwards.
  const end = await readPart(store, () => readFeedEnd(store));
  const index = new LexicalIndex(stemmer);
  for (let afterId = 0; ; ) {
    const rows = await readDocumentsAfter(store, afterId, PAGES_A_READ);
    const changes = rows.map((row): IndexChange => ({ kind: 'put', page: toDocument(row) }));
    for (const _turn of index.applySlices(changes)) await otherWork();
    if (rows.length < PAGES_A_READ) break;
    afterId = rows.at(-1)!.id;
  }
  await compact(index);
  return { index, cursor: end.cursor, lastHash: hashOf(end.rows.at(-1)), fromSnapshot: false };
}
