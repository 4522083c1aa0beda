// Reads a made vault (markdown pages and queries with known answers) as a set of an evaluation. For benchmarks only:
// the product's own parser makes documents from real pages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Dataset, Group } from '../packages/gbrain/src/areas/eval/dataset.ts';
import { readQuestions } from '../packages/gbrain/src/areas/eval/qrels.ts';
import type { ChunkText, IndexDocument } from '../packages/gbrain/src/index/document.ts';
import type { Edge } from '../packages/gbrain/src/index/ranking/state.ts';

/** Cuts text into pieces of about 300 words at blank lines. */
export function cutChunks(text: string, field: ChunkText['field'], first: number): ChunkText[] {
  const chunks: ChunkText[] = [];
  let piece: string[] = [];
  let words = 0;
  const flush = (): void => {
    if (piece.length > 0) chunks.push({ index: first + chunks.length, field, text: piece.join('\n\n') });
    piece = [];
    words = 0;
  };
  for (const paragraph of text.split(/\n\s*\n/)) {
    const count = paragraph.split(/\s+/).length;
    if (words > 0 && words + count > 300) flush();
    piece.push(paragraph);
    words += count;
  }
  flush();
  return chunks;
}

const LINK = /\[\[([^\]|\n]+)(?:\|([^\]\n]*))?\]\]/g;

function toPage(slug: string, text: string, pageId: number): IndexDocument {
  const front = /^---\n([\s\S]*?)\n---\n/.exec(text);
  const meta = front ? (parse(front[1]!) as Record<string, unknown>) : {};
  const body = text.slice(front?.[0].length ?? 0).replace(LINK, (_, target: string, label?: string) => label ?? target);
  const split = body.search(/\n(---\n\n)?## Timeline\n/);
  const above = split < 0 ? body : body.slice(0, split);
  const below = split < 0 ? '' : body.slice(split);
  const date = meta.date ?? null;
  const chunks = cutChunks(above, 'body', 0);
  return {
    pageId,
    sourceId: 'default',
    visibility: 'world',
    slug,
    title: String(meta.title ?? slug),
    aliases: Array.isArray(meta.aliases) ? meta.aliases.map(String) : [],
    type: String(meta.type ?? 'note'),
    effectiveDate: date instanceof Date ? date.toISOString().slice(0, 10) : date === null ? null : String(date),
    chunks: [...chunks, ...cutChunks(below, 'timeline', chunks.length)],
    timeline: [...below.matchAll(/^- \*\*(\d{4}-\d\d-\d\d)\*\*/gm)].map((match) => match[1]!),
  };
}

const VERBS: readonly (readonly [RegExp, string])[] = [
  [/\b(co-?found|found)(ed|er)\b/i, 'founded'],
  [/\binvest(ed|or)\b/i, 'invested_in'],
  [/\badvis(es|er|ed)\b/i, 'advises'],
  [/\b(works|engineer|manager|head|director|designer|lead|counsel|recruiter|vp|ceo) .*\bat\b/i, 'works_at'],
];

/** Typed links as the derivation finds them in the first paragraph of a page: precise, for the relation stage alone. */
function edgesOf(slug: string, text: string, ids: ReadonlyMap<string, number>): Edge[] {
  const from = ids.get(slug)!;
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '');
  const edges: Edge[] = [];
  const add = (type: string, target: string, reverse = false): void => {
    const to = ids.get(target);
    if (to !== undefined)
      edges.push(reverse ? { fromPageId: to, toPageId: from, type } : { fromPageId: from, toPageId: to, type });
  };
  if (slug.startsWith('meetings/')) {
    const line = /Attendees: (.*)/.exec(body)?.[1] ?? '';
    for (const match of line.matchAll(LINK)) add('attended', match[1]!, true);
    return edges;
  }
  if (!slug.startsWith('people/')) return edges;
  const lead = body.split(/\n## /)[0]!;
  for (const sentence of lead.split(/(?<=\.)\s+/)) {
    for (const match of sentence.matchAll(LINK)) {
      for (const [verb, type] of VERBS) if (verb.test(sentence)) add(type, match[1]!);
      if (/founder of/.test(sentence)) add('works_at', match[1]!);
    }
  }
  return edges;
}

function filesUnder(folder: string, prefix = ''): string[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesUnder(folder, `${prefix}${entry.name}/`) : [`${prefix}${entry.name}`],
  );
}

/** Reads a vault folder that the vault maker wrote. */
export function readVault(folder: string): Dataset {
  const root = join(folder, 'vault');
  const slugs = filesUnder(root)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -3))
    .sort();
  const texts = new Map(slugs.map((slug) => [slug, readFileSync(join(root, `${slug}.md`), 'utf8')]));
  const ids = new Map(slugs.map((slug, i) => [slug, i + 1]));
  const group: Group = {
    pages: slugs.map((slug) => toPage(slug, texts.get(slug)!, ids.get(slug)!)),
    questions: readQuestions(folder),
    edges: slugs.flatMap((slug) => edgesOf(slug, texts.get(slug)!, ids)),
    today: '2026-05-26',
  };
  return { name: folder, grain: 'page', groups: [group] };
}
