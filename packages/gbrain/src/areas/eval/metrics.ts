// Figures of rankings: of one question, and of many with intervals. Pure; chance comes from a seed.

/** Figures of one question or means over many, each 0 to 1. */
export type Figures = Readonly<Record<string, number>>;

/** A mean with its 95 % interval. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Ranks at which the counts are taken. */
export const CUTS = [1, 5, 10] as const;
const NDCG_CUT = 10;

/**
 * Figures of one ranking against the graded answers. `any@k`: an answer is among the first k; `strict@k`: every answer
 * is; `R@k`: share of the answers among the first k; `nDCG@10`; `MRR`: one over the rank of the first answer.
 */
export function figuresOf(ranking: readonly string[], gold: ReadonlyMap<string, number>): Figures {
  const figures: Record<string, number> = {};
  for (const k of CUTS) {
    const hits = new Set(ranking.slice(0, k).filter((key) => gold.has(key))).size;
    figures[`any@${k}`] = hits > 0 ? 1 : 0;
    figures[`strict@${k}`] = hits === gold.size ? 1 : 0;
    figures[`R@${k}`] = hits / gold.size;
  }
  const gain = (grades: readonly number[]): number =>
    grades.slice(0, NDCG_CUT).reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0);
  const ideal = gain([...gold.values()].sort((a, b) => b - a));
  figures['nDCG@10'] = ideal > 0 ? gain(ranking.map((key) => gold.get(key) ?? 0)) / ideal : 0;
  const first = ranking.findIndex((key) => gold.has(key));
  figures.MRR = first < 0 ? 0 : 1 / (first + 1);
  return figures;
}

const Z = 1.959964;

/**
 * Wilson's interval of a share of `count` questions. For figures that are no shares of questions (R@k, nDCG, MRR) it
 * is wider than need be: no value between 0 and 1 varies more than a yes or no with the same mean.
 */
export function wilson(mean: number, count: number): Interval {
  if (count === 0) return { value: 0, low: 0, high: 1 };
  const square = Z * Z;
  const middle = (mean + square / (2 * count)) / (1 + square / count);
  const half = (Z / (1 + square / count)) * Math.sqrt((mean * (1 - mean)) / count + square / (4 * count * count));
  return { value: mean, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** Means over questions. */
export function meansOf(list: readonly Figures[]): Figures {
  const means: Record<string, number> = {};
  for (const figures of list)
    for (const [name, value] of Object.entries(figures)) means[name] = (means[name] ?? 0) + value / list.length;
  return means;
}

/** Numbers in [0, 1) from a seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const RESAMPLES = 2000;

/** Mean of paired differences with its 95 % bootstrap interval, drawn from a seed. */
export function pairedDifference(differences: readonly number[], seed: number): Interval {
  const count = differences.length;
  if (count === 0) return { value: 0, low: 0, high: 0 };
  const random = numbersFrom(seed);
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += differences[Math.floor(random() * count)]!;
    return sum / count;
  }).sort();
  const value = differences.reduce((sum, one) => sum + one, 0) / count;
  return { value, low: means[Math.floor(RESAMPLES * 0.025)]!, high: means[Math.floor(RESAMPLES * 0.975)]! };
}

/** `count` of the items, chosen by a seed and kept in their order. */
export function sampleOf<T>(items: readonly T[], count: number, seed: number): T[] {
  if (count >= items.length) return [...items];
  const random = numbersFrom(seed);
  const order = items.map((_, place) => ({ place, key: random() })).sort((a, b) => a.key - b.key || a.place - b.place);
  const chosen = order.slice(0, count).map(({ place }) => place);
  return chosen.sort((a, b) => a - b).map((place) => items[place]!);
}
