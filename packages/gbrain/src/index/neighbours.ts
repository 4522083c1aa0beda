// What the chunks around a chunk say, by their distance in words. For texts whose words are spread over the chunks
// around the one that answers: a question in one turn, its answer in the next. Knows no score and no field.

/** How far the chunks around one count. */
export interface Spread {
  /** Chunks on either side. */
  readonly reach: number;
  /** Words over which an occurrence falls to a third. */
  readonly scale: number;
  /** What the chunks before count (a question and its answer), and those behind. */
  readonly before: number;
  readonly after: number;
}

/** One chunk of a page: its words, and what it holds of each term. */
export interface Neighbour {
  readonly size: number;
  readonly held: Float64Array;
}

/** Neighbours that count less than this are too far away. */
const SHARE_MIN = 0.01;

/**
 * What each chunk of a page holds of each term together with those around it, in the order of the chunks. A chunk that
 * stands alone gives what it holds itself.
 */
export const withNeighbours = (chunks: readonly Neighbour[], spread: Spread): Float64Array[] =>
  chunks.map((chunk, at) => {
    let sums = chunk.held;
    for (const direction of [-1, 1]) {
      const factor = direction < 0 ? spread.before : spread.after;
      let distance = chunk.size / 2;
      for (let step = 1; step <= spread.reach; step++) {
        const other = chunks[at + direction * step];
        if (!other) break;
        const share = Math.exp(-(distance + other.size / 2) / spread.scale);
        if (share < SHARE_MIN) break;
        distance += other.size;
        if (sums === chunk.held) sums = chunk.held.slice();
        for (let term = 0; term < sums.length; term++) sums[term]! += other.held[term]! * share * factor;
      }
    }
    return sums;
  });
