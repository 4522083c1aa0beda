// The words of all facts in memory, and which of them answer a question best: by the rarity of the shared words among
// exactly what the reader may see, and by what age has left of the confidence. Pure; the store is followed elsewhere.
import { decayedConfidence } from './fact.ts';

/** A fact as it is ranked; the text stays in the store. Moments are in milliseconds. */
export interface IndexedFact {
  id: number;
  sourceId: string;
  /** Told to the owner alone: the fact is private, or the page that states it is. */
  isPrivate: boolean;
  terms: readonly string[];
  kind: string;
  confidence: number;
  validFrom: Date;
  validUntil: number | null;
  expiredAt: number | null;
  isReplaced: boolean;
  createdAt: number;
}

/** What is asked of the index. */
export interface FactLookup {
  terms: readonly string[];
  /** Facts that the reader may see, and that are asked for at all. */
  admits(fact: IndexedFact): boolean;
  now: Date;
  /** Facts near to the question by meaning, with how near, from 0 to 1: it fills up what the words leave open. */
  near?: ReadonlyMap<number, number>;
  /** Share of the question's weight that an answer must hold. */
  shareMin: number;
  limit: number;
}

/** A fact with how well it answers. */
export interface RankedFact {
  id: number;
  /** Weight of the shared words in that of the question. */
  share: number;
  score: number;
}

/** Slots of facts that are gone before the index is made anew, and their share. */
const DEAD_MIN = 2_048;

/** How much a word tells that so many of so many facts hold. */
const weightOf = (facts: number, holders: number): number => Math.log(1 + (facts + 1) / (holders + 0.5));

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((term, i) => term === b[i]);

/** Facts by their words. */
export class FactIndex {
  #facts: (IndexedFact | undefined)[] = [];
  #slots = new Map<number, number>();
  #holders = new Map<string, number[]>();

  /** Facts that it holds. */
  get size(): number {
    return this.#slots.size;
  }

  /** The fact of an id. */
  get(id: number): IndexedFact | undefined {
    const slot = this.#slots.get(id);
    return slot === undefined ? undefined : this.#facts[slot];
  }

  /** Puts facts in the place of what it held of them. */
  put(facts: Iterable<IndexedFact>): void {
    for (const fact of facts) {
      const slot = this.#slots.get(fact.id);
      if (slot !== undefined && isSame(this.#facts[slot]!.terms, fact.terms)) {
        this.#facts[slot] = fact;
        continue;
      }
      this.remove([fact.id]);
      this.#add(fact);
    }
    if (this.#facts.length - this.#slots.size > Math.max(DEAD_MIN, this.#slots.size)) this.#compact();
  }

  /** Takes facts out. */
  remove(ids: Iterable<number>): void {
    for (const id of ids) {
      const slot = this.#slots.get(id);
      if (slot === undefined) continue;
      this.#facts[slot] = undefined;
      this.#slots.delete(id);
    }
  }

  #add(fact: IndexedFact): void {
    const slot = this.#facts.length;
    this.#facts.push(fact);
    this.#slots.set(fact.id, slot);
    for (const term of fact.terms) {
      const holders = this.#holders.get(term);
      if (holders) holders.push(slot);
      else this.#holders.set(term, [slot]);
    }
  }

  #compact(): void {
    const facts = this.#facts.filter((fact) => fact !== undefined);
    this.#facts = [];
    this.#slots = new Map();
    this.#holders = new Map();
    for (const fact of facts) this.#add(fact);
  }

  /** Facts that share words with a question, best first, the newer first among equals. */
  rank(asked: FactLookup): RankedFact[] {
    const shares = this.#shares(asked);
    const found: number[] = [];
    for (let slot = 0; slot < shares.length; slot++) if (shares[slot]! >= asked.shareMin) found.push(slot);
    return this.#best(found, shares, asked);
  }

  /** These facts, best first, also those that share no word with the question. */
  order(ids: readonly number[], asked: Omit<FactLookup, 'shareMin'>): RankedFact[] {
    const wanted = new Set(ids.flatMap((id) => this.#slots.get(id) ?? []));
    return this.#best([...wanted], this.#shares(asked), asked);
  }

  /** How many facts are admitted. */
  count(admits: (fact: IndexedFact) => boolean): number {
    let count = 0;
    for (const fact of this.#facts) if (fact !== undefined && admits(fact)) count += 1;
    return count;
  }

  /** By slot: the share of the question's weight that a fact holds, by its words and by its meaning. */
  #shares({ terms, admits, near }: Pick<FactLookup, 'terms' | 'admits' | 'near'>): Float64Array {
    const { length } = this.#facts;
    const isAdmitted = new Uint8Array(length);
    let facts = 0;
    for (let slot = 0; slot < length; slot++) {
      const fact = this.#facts[slot];
      if (fact === undefined || !admits(fact)) continue;
      isAdmitted[slot] = 1;
      facts += 1;
    }
    const shares = new Float64Array(length);
    const weighed = terms.map((term) => {
      const holders = this.#holders.get(term) ?? [];
      let count = 0;
      for (const slot of holders) count += isAdmitted[slot]!;
      return { holders, weight: weightOf(facts, count) };
    });
    const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
    for (const { holders, weight } of weighed)
      for (const slot of holders) shares[slot]! += (isAdmitted[slot]! * weight) / total;
    for (const [id, nearness] of near ?? []) {
      const slot = this.#slots.get(id);
      if (slot !== undefined && isAdmitted[slot]) shares[slot]! += (1 - shares[slot]!) * nearness;
    }
    return shares;
  }

  #best(slots: readonly number[], shares: Float64Array, { now, limit }: { now: Date; limit: number }): RankedFact[] {
    const scores = Float64Array.from(slots, (slot) => scoreOf(this.#facts[slot]!, shares[slot]!, now));
    const floor = slots.length > limit ? scores.toSorted().at(-limit)! : Number.NEGATIVE_INFINITY;
    return slots
      .flatMap((slot, i) =>
        scores[i]! < floor ? [] : [{ fact: this.#facts[slot]!, share: shares[slot]!, score: scores[i]! }],
      )
      .sort((a, b) => b.score - a.score || b.fact.createdAt - a.fact.createdAt || b.fact.id - a.fact.id)
      .slice(0, limit)
      .map(({ fact, share, score }) => ({ id: fact.id, share, score }));
  }
}

const scoreOf = ({ kind, confidence, validFrom }: IndexedFact, share: number, now: Date): number =>
  share * (0.7 + 0.3 * decayedConfidence({ kind, confidence, valid_from: validFrom }, now));
