// Made names, numbers and dates for the memory benchmarks, from a seed: the same seed is the same run everywhere.

/** A source of chance that a seed decides. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761 + 1;
  }

  /** From 0 to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!;
  }

  /** The list in another order. */
  shuffle<T>(list: readonly T[]): T[] {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [out[i], out[j]] = [out[j]!, out[i]!];
    }
    return out;
  }
}

const ONSETS = 'b br d dr f g gr h j k kl l m n p r s st t tr v w z'.split(' ');
const VOWELS = 'a e i o u ai ea ia'.split(' ');
const CODAS = ['', 'l', 'n', 'r', 's', 'm', 'th', 'x', 'nd'];

/** A name of two syllables, seldom a word. */
export function madeName(chance: Chance): string {
  const syllable = () => chance.pick(ONSETS) + chance.pick(VOWELS) + chance.pick(CODAS);
  const word = syllable() + syllable();
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Somebody or something with a page. */
export interface Made {
  slug: string;
  title: string;
  /** Another name that its page declares. */
  alias: string;
  kind: 'person' | 'company';
}

/** So many people and companies, no two of a name. */
export function madeEntities(chance: Chance, people: number, companies: number): Made[] {
  const used = new Set<string>();
  const fresh = (): string => {
    for (;;) {
      const name = madeName(chance);
      if (used.has(name)) continue;
      used.add(name);
      return name;
    }
  };
  const slugOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');
  return [
    ...Array.from({ length: people }, (): Made => {
      const title = `${fresh()} ${fresh()}`;
      return { slug: `people/${slugOf(title)}`, title, alias: `${fresh()} the ${title.split(' ')[1]}`, kind: 'person' };
    }),
    ...Array.from({ length: companies }, (): Made => {
      const title = `${fresh()} ${chance.pick(['Labs', 'Foods', 'Rail', 'Bank', 'Press'])}`;
      return { slug: `companies/${slugOf(title)}`, title, alias: `${fresh()} Group`, kind: 'company' };
    }),
  ];
}

/** The page of one, as markdown. */
export const pageOf = ({ title, alias, kind }: Made): string =>
  `---\ntitle: ${title}\ntype: ${kind}\naliases: [${alias}]\n---\n${title} has a page.\n`;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** A day as `2026-03-01`, of 2026 or 2027. */
export const madeDay = (chance: Chance): string =>
  [chance.int(2026, 2027), chance.int(1, 12), chance.int(1, 28)].map((part) => String(part).padStart(2, '0')).join('-');

/** The same day as people write it. */
export function wordedDay(day: string, chance: Chance): string {
  const [year, month, date] = day.split('-');
  const name = MONTHS[Number(month) - 1]!;
  return chance.next() < 0.5 ? `${name} ${Number(date)}, ${year}` : `${Number(date)} ${name} ${year}`;
}
