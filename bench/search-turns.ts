// Conversations, measured: sessions of LoCoMo, turns of LoCoMo, turn groups of BEAM, each beside plain BM25 over the
// same units.
//   node bench/search-turns.ts [--locomo FILE] [--beam DIR]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LexicalIndex } from '../packages/gbrain/src/index/lexical-index.ts';
import { WordTable } from '../packages/gbrain/src/index/meaning/word-table.ts';
import { openStemmer } from '../packages/gbrain/src/index/stemming.ts';
import { PlainBm25 } from './search-baseline.ts';
import { type Conversation, readBeam, readLocomo } from './search-sessions.ts';

const { values: args } = parseArgs({
  options: {
    locomo: { type: 'string' },
    beam: { type: 'string' },
    kinds: { type: 'boolean' },
    words: { type: 'string' },
  },
});
const words = args.words === undefined ? undefined : WordTable.read(readFileSync(args.words));
const SCOPE = { sources: 'all', seesPrivate: true } as const;
const stemmer = await openStemmer('english');

/** Sums of one method over questions: any gold, every gold, share of golds, each at k. */
class Tally {
  count = 0;
  private readonly sums = new Map<string, number>();
  add(found: readonly string[], gold: readonly string[]): void {
    this.count++;
    for (const k of [5, 10]) {
      const hits = gold.filter((one) => found.slice(0, k).includes(one)).length;
      this.bump(`any@${k}`, hits > 0 ? 1 : 0);
      this.bump(`every@${k}`, hits === gold.length ? 1 : 0);
      this.bump(`R@${k}`, hits / gold.length);
    }
  }
  private bump(key: string, by: number): void {
    this.sums.set(key, (this.sums.get(key) ?? 0) + by);
  }
  line(name: string): string {
    const figures = [...this.sums].map(([key, sum]) => `${key} ${((100 * sum) / this.count).toFixed(1)}`).join('  ');
    return `${name.padEnd(24)} n=${String(this.count).padStart(4)}  ${figures}`;
  }
}

async function measure(title: string, conversations: readonly Conversation[], grain: 'page' | 'chunk'): Promise<void> {
  const ours = new Tally();
  const plain = new Tally();
  const kinds = new Map<string, Tally>();
  for (const { pages, questions } of conversations) {
    const index = new LexicalIndex(stemmer);
    index.apply(pages.map((page) => ({ kind: 'put', page })));
    const line = new PlainBm25();
    for (const page of pages) {
      const units = new Map<string, string>();
      for (const { index: i, text } of page.chunks) {
        const key = grain === 'page' ? `${page.pageId}` : `${page.pageId}:${i}`;
        units.set(key, `${units.get(key) ?? ''} ${text}`);
      }
      for (const [key, text] of units) line.add(key, text);
    }
    for (const { kind, text, gold: turns } of questions) {
      const gold = grain === 'page' ? [...new Set(turns.map((turn) => turn.split(':')[0]!))] : turns;
      const reply = await index.search(text, SCOPE, { limit: 10, grain, ...(words && { words: () => words }) });
      const found =
        grain === 'page'
          ? reply.pages.map((page) => `${page.pageId}`)
          : reply.chunks.map((chunk) => `${chunk.pageId}:${chunk.index}`);
      ours.add(found, gold);
      plain.add(line.search(text, 10), gold);
      const tally = kinds.get(kind) ?? new Tally();
      tally.add(found, gold);
      kinds.set(kind, tally);
    }
  }
  console.log(`\n${title}`);
  console.log(plain.line('plain BM25'));
  console.log(ours.line('gbrain'));
  if (args.kinds) for (const [kind, tally] of kinds) console.log(tally.line(`  ${kind}`));
}

if (args.locomo) {
  const conversations = readLocomo(args.locomo);
  await measure('LoCoMo sessions', conversations, 'page');
  await measure('LoCoMo turns', conversations, 'chunk');
}
if (args.beam) await measure('BEAM turn groups', readBeam(args.beam), 'chunk');
