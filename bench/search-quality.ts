// Finding, measured: made vaults, LoCoMo and BEAM when their folders are given, each beside plain BM25 in the same
// run.
//   node bench/search-quality.ts --vault DIR [--vault DIR] [--words FILE] [--misses KIND] [--without STAGE]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LexicalIndex } from '../packages/gbrain/src/index/lexical-index.ts';
import { WordTable } from '../packages/gbrain/src/index/meaning/word-table.ts';
import type { SearchOptions } from '../packages/gbrain/src/index/ranking/state.ts';
import { openStemmer } from '../packages/gbrain/src/index/stemming.ts';
import { PlainBm25 } from './search-baseline.ts';
import { readVault, type Vault } from './search-vault.ts';

const { values: args } = parseArgs({
  options: {
    vault: { type: 'string', multiple: true, default: [] },
    locomo: { type: 'string' },
    beam: { type: 'string' },
    misses: { type: 'string' },
    words: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
  },
});

const words = args.words === undefined ? undefined : WordTable.read(readFileSync(args.words));
const SCOPE = { sources: 'all', seesPrivate: true } as const;
const stemmer = await openStemmer('english');

const recallAt = (found: readonly string[], gold: readonly string[], k: number): number => {
  const first = new Set(found.slice(0, k));
  return gold.filter((one) => first.has(one)).length / Math.min(gold.length, k);
};

interface Row {
  count: number;
  ours: number;
  strict: number;
  plain: number;
}

const percent = (value: number): string => value.toFixed(3).padStart(7);

function printTable(title: string, rows: ReadonlyMap<string, Row>): void {
  console.log(`\n${title}\n${'kind'.padEnd(16)}      n   R@5  strict   plain`);
  const all: Row = { count: 0, ours: 0, strict: 0, plain: 0 };
  for (const [kind, row] of rows) {
    const line = [row.ours, row.strict, row.plain].map((sum) => percent(sum / row.count)).join('');
    console.log(`${kind.padEnd(16)}${String(row.count).padStart(6)}${line}`);
    for (const key of ['count', 'ours', 'strict', 'plain'] as const) all[key] += row[key];
  }
  const line = [all.ours, all.strict, all.plain].map((sum) => percent(sum / all.count)).join('');
  console.log(`${'all'.padEnd(16)}${String(all.count).padStart(6)}${line}`);
}

async function vaultFigures(name: string, vault: Vault): Promise<void> {
  const index = new LexicalIndex(stemmer);
  index.apply(vault.pages.map((page) => ({ kind: 'put', page })));
  index.compact();
  const plain = new PlainBm25();
  for (const [slug, text] of vault.texts) plain.add(slug, text);
  const options: SearchOptions = {
    limit: 40,
    today: '2026-05-26',
    without: args.without,
    ...(words && { words: () => words }),
    edges: (ids, types, direction) =>
      vault.edges.filter(
        (edge) => types.includes(edge.type) && ids.includes(direction === 'out' ? edge.fromPageId : edge.toPageId),
      ),
  };
  const rows = new Map<string, Row>();
  let quiet = 0;
  let negatives = 0;
  let sureNegatives = 0;
  let sure = 0;
  for (const { kind, query, relevant, neutral } of vault.queries) {
    const reply = await index.search(query, SCOPE, options);
    if (kind === 'negative') {
      negatives++;
      if (reply.pages.length === 0 || reply.confidence === 'weak') quiet++;
      else if (args.misses === 'negative') console.log(`${reply.confidence} ${query}: ${reply.pages[0]?.slug}`);
      continue;
    }
    const keep = (slugs: readonly string[]): string[] => slugs.filter((slug) => !neutral.includes(slug));
    const ours = keep(reply.pages.map((page) => page.slug));
    const row = rows.get(kind) ?? { count: 0, ours: 0, strict: 0, plain: 0 };
    const recall = recallAt(ours, relevant, 5);
    row.count++;
    row.ours += recall;
    row.strict += recall === 1 ? 1 : 0;
    row.plain += recallAt(keep(plain.search(query, 40)), relevant, 5);
    rows.set(kind, row);
    if (reply.confidence !== 'weak') sure++;
    else sureNegatives++;
    if (recall < 1 && args.misses === kind)
      console.log(`${query}\n   want ${relevant.join(' ')}\n   got  ${ours.slice(0, 5).join(' ')}`);
  }
  printTable(`vault ${name}: ${vault.pages.length} pages`, rows);
  console.log(
    `negatives answered with nothing or "weak": ${quiet} of ${negatives};`,
    `answerable called weak: ${sureNegatives} of ${sure + sureNegatives}`,
  );
}

for (const folder of args.vault) await vaultFigures(folder, readVault(folder));
