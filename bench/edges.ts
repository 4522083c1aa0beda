// Precision and recall of typed edges, type by type, on made vaults whose truth is known from how they are written.
//
//   node bench/edges.ts --generator make-vault.mjs --seeds 1,2,3 [--pages 1000] [--prose] [--wrong 5]
//   node bench/edges.ts --vault DIR [--vault DIR] ...
//
// `--prose` leaves the frontmatter out, so that only what sentences state counts. `--wrong N` prints N wrong edges a
// type.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bodyOfPage, scanBody } from '../packages/gbrain/src/areas/chunks/body.ts';
import { type Edge, settleLinks } from '../packages/gbrain/src/areas/graph/edges.ts';
import { deriveLinks } from '../packages/gbrain/src/areas/graph/page-links.ts';
import { type Lookup, type LookupKey, type PageRef, pageKeys } from '../packages/gbrain/src/areas/graph/resolve.ts';
import { type Page, parsePage } from '../packages/gbrain/src/areas/pages/page.ts';
import { slugFromPath } from '../packages/gbrain/src/areas/pages/slug.ts';

const TYPES = ['works_at', 'founded', 'invested_in', 'advises', 'attended'] as const;
type Counts = { right: number; wrong: number; missed: number };

const { values } = parseArgs({
  options: {
    vault: { type: 'string', multiple: true, default: [] },
    generator: { type: 'string' },
    seeds: { type: 'string', default: '1,2,3' },
    pages: { type: 'string', default: '1000' },
    prose: { type: 'boolean', default: false },
    wrong: { type: 'string', default: '0' },
  },
});

function readVault(root: string): Page[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  return paths.flatMap((path) => {
    const slug = slugFromPath(path.replaceAll('\\', '/'));
    const parsed = slug.ok ? parsePage(readFileSync(join(root, path), 'utf8'), { slug: slug.slug }) : undefined;
    return parsed?.ok ? [parsed.page] : [];
  });
}

/**
 * What the generator's sentences say, read by their exact wording: a person's first paragraph, and the attendees of a
 * meeting. One key an edge: type, from, to.
 */
function truthOf(pages: readonly Page[]): Set<string> {
  const truth = new Set<string>();
  const people = new Map(pages.filter(({ type }) => type === 'person').map(({ title, slug }) => [title, slug]));
  const links = (text: string | undefined) => [...(text ?? '').matchAll(/\[\[([^|\]]+)\|/g)].map(([, slug]) => slug!);
  for (const { type, slug, compiledTruth, frontmatter } of pages) {
    const add = (linkType: string, targets: readonly string[]) => {
      for (const target of targets) truth.add(`${linkType} ${slug} ${target}`);
    };
    if (type === 'person') {
      add('works_at', links(/ is an? [^.[]+ at (\[\[[^\]]+\]\]), based in/.exec(compiledTruth)?.[1]));
      const founded = links(/ is the CEO and co-founder of (\[\[[^\]]+\]\])/.exec(compiledTruth)?.[1]);
      add('works_at', founded);
      add('founded', founded);
      add(
        'invested_in',
        links(/ is an angel investor from [^.]+\. \S+ invested in ([^.]+)\./.exec(compiledTruth)?.[1]),
      );
      add('advises', links(/ is an independent adviser in [^.]+\. \S+ advises ([^.]+)\./.exec(compiledTruth)?.[1]));
    } else if (type === 'meeting') {
      for (const name of frontmatter.attendees as string[]) truth.add(`attended ${people.get(name)} ${slug}`);
    }
  }
  return truth;
}

function lookupOf(pages: readonly Page[]): Lookup {
  const rows = new Map<string, PageRef[]>();
  const id = ({ kind, key }: LookupKey) => `${kind} ${key}`;
  for (const { slug, type, title, aliases } of pages) {
    const page = { source: 'default', slug, type };
    for (const key of pageKeys({ ...page, title, aliases })) rows.set(id(key), [...(rows.get(id(key)) ?? []), page]);
  }
  return (key) => rows.get(id(key)) ?? [];
}

function edgesOf(pages: readonly Page[], lookup: Lookup): Edge[] {
  return pages.flatMap((page) => {
    const frontmatter = values.prose ? {} : page.frontmatter;
    const linking = { ...page, source: 'default', frontmatter, body: scanBody(bodyOfPage(page)) };
    return settleLinks(deriveLinks(linking), lookup).edges;
  });
}

function score(truth: ReadonlySet<string>, edges: readonly Edge[]): Map<string, Counts> {
  const keys = new Map(edges.map((edge) => [`${edge.linkType} ${edge.from.slug} ${edge.to.slug}`, edge]));
  const counts = new Map<string, Counts>(TYPES.map((type) => [type, { right: 0, wrong: 0, missed: 0 }]));
  const shown = new Map<string, number>();
  for (const [key, { linkType, context, reason }] of keys) {
    const count = counts.get(linkType);
    if (!count) continue;
    if (truth.has(key)) count.right++;
    else {
      count.wrong++;
      const times = shown.get(linkType) ?? 0;
      shown.set(linkType, times + 1);
      if (times < Number(values.wrong)) console.log(`wrong  ${key} (${reason}): ${context}`);
    }
  }
  for (const key of truth) {
    if (keys.has(key)) continue;
    const count = counts.get(key.split(' ')[0]!)!;
    if (count.missed++ < Number(values.wrong)) console.log(`missed ${key}`);
  }
  return counts;
}

function run(name: string, root: string): void {
  const pages = readVault(root);
  const lookup = lookupOf(pages);
  const start = performance.now();
  const edges = edgesOf(pages, lookup);
  const elapsedMs = performance.now() - start;
  const counts = score(truthOf(pages), edges);
  console.log(
    `\n${name}: ${pages.length} pages, ${edges.length} edges, ${Math.round(pages.length / (elapsedMs / 1000))} pages/s`,
  );
  console.log('type          true  found  precision  recall');
  for (const [type, { right, wrong, missed }] of counts) {
    const precision = right + wrong === 0 ? 1 : right / (right + wrong);
    const recall = right + missed === 0 ? 1 : right / (right + missed);
    const cells = [type.padEnd(12), String(right + missed).padStart(6), String(right + wrong).padStart(6)];
    console.log(`${cells.join(' ')}     ${precision.toFixed(3)}    ${recall.toFixed(3)}`);
  }
}

for (const vault of values.vault) run(vault, resolve(vault));
for (const seed of values.generator ? values.seeds.split(',') : []) {
  const out = mkdtempSync(join(tmpdir(), 'gbrain-edges-'));
  const argv = [values.generator!, '--pages', values.pages, '--out', out, '--seed', seed];
  execFileSync(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] });
  run(`seed ${seed}`, join(out, 'vault'));
  rmSync(out, { recursive: true });
}
