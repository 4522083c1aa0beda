// Which statements an engine's connection keeps parsed, so that a text that comes again is not parsed and planned anew.
// It must not know what the texts mean, nor how they travel.
import type { Reply, StatementName } from './protocol.ts';

/** Texts that are kept at once, and texts that are remembered as seen once. */
const KEPT_MAX = 256;
/**
 * Times that a kept text is used before it is parsed anew. The server may settle on one plan for a kept text, made when
 * its tables were small; nothing tells it that they have grown until somebody analyses them.
 */
const USES_MAX = 256;

interface Kept {
  name: string;
  uses: number;
}

/** Error codes that say that a kept statement no longer fits. Source: PostgreSQL manual, appendix A. */
const STALE: ReadonlySet<string> = new Set(['0A000', '26000']);

const once: StatementName = { name: '', isKnown: false };

/**
 * The texts of one connection, least recently used first. It belongs to one engine and ends with it. A name is a slot:
 * parsing under it drops what had it, so no statement is left behind.
 */
export class KeptStatements {
  readonly #kept = new Map<string, Kept>();
  readonly #seen = new Set<string>();
  readonly #free: string[] = Array.from({ length: KEPT_MAX }, (_, i) => `k${i}`);

  /** Names for the statements of a burst: a text is kept from its second time on. */
  namesFor(texts: readonly string[]): StatementName[] {
    const fresh = new Set<string>();
    return texts.map((text) => {
      const kept = this.#kept.get(text);
      if (kept) this.#kept.delete(text);
      if (kept && kept.uses < USES_MAX) {
        this.#kept.set(text, { ...kept, uses: kept.uses + 1 });
        return { name: kept.name, isKnown: true };
      }
      if (fresh.has(text) || !(kept || this.#isAgain(text))) return once;
      fresh.add(text);
      return { name: kept?.name ?? this.#slot() ?? '', isKnown: false };
    });
  }

  /** Takes over what the server has parsed of a burst; without a reply, nothing. */
  settle(texts: readonly string[], names: readonly StatementName[], reply: Reply | undefined): void {
    let parsed = reply?.parsedCount ?? 0;
    for (const [i, { name, isKnown }] of names.entries()) {
      if (isKnown) continue;
      parsed -= 1;
      if (name === '') continue;
      if (parsed >= 0) this.#kept.set(texts[i] as string, { name, uses: 0 });
      else this.#free.push(name);
    }
    if (STALE.has(reply?.error?.code ?? '')) this.forget();
  }

  /** After a change of the schema every text is parsed again. */
  forget(): void {
    for (const { name } of this.#kept.values()) this.#free.push(name);
    this.#kept.clear();
  }

  #isAgain(text: string): boolean {
    if (this.#seen.delete(text)) return true;
    if (this.#seen.size >= KEPT_MAX) this.#seen.clear();
    this.#seen.add(text);
    return false;
  }

  /** A name that is free, or that of the text that was used longest ago; none when one burst takes them all. */
  #slot(): string | undefined {
    const free = this.#free.pop();
    const oldest = this.#kept.entries().next().value;
    if (free !== undefined || oldest === undefined) return free;
    const [text, { name }] = oldest;
    this.#kept.delete(text);
    return name;
  }
}
