// Random choices from a seed: the same seed, the same choices, on every machine.

/** A stream of choices. */
export interface Random {
  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** True with that probability. */
  chance(probability: number): boolean;
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** Letters and digits. */
  text(length: number): string;
  /** A stream of its own, which takes one choice from this one. */
  fork(): Random;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Choices from a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[int(0, list.length - 1)] as (typeof list)[number],
    text: (length) => Array.from({ length }, () => LETTERS[int(0, LETTERS.length - 1)]).join(''),
    fork: () => createRandom(int(0, 4_294_967_295)),
  };
}
