// A small made brain for tests of the graph, and a reader of cases written as `sentence => from type to, type to`.

import { expect, test } from 'vitest';
import { scanBody } from '../chunks/body.ts';
import { type Edge, settleLinks } from './edges.ts';
import type { LinkingPage } from './mentions.ts';
import { deriveLinks, type PageLinks } from './page-links.ts';
import { type Lookup, type LookupKey, type PageRef, pageKeys } from './resolve.ts';

/** A page of the made brain. */
export interface MadePage {
  readonly slug: string;
  readonly type: string;
  readonly title: string;
}

const made = (slug: string, type: string, title: string): MadePage => ({ slug, type, title });

/** Its pages: people, companies, a fund, meetings, and some that are neither. */
export const BRAIN: readonly MadePage[] = [
  ...['Alice Example', 'Bob', 'Carol', 'Dan', 'Zoë Müller', '王小明'].map((title) => {
    return made(`people/${title.toLowerCase().replace(' ', '-')}`, 'person', title);
  }),
  ...['Acme', 'Beta', 'Core', 'Delta'].map((title) => made(`companies/${title.toLowerCase()}`, 'company', title)),
  made('companies/vega-fund', 'fund', 'Vega'),
  made('meetings/sync', 'meeting', 'Sync'),
  made('meetings/offsite', 'meeting', 'Offsite'),
  made('deals/acme-seed', 'deal', 'Acme seed'),
  made('projects/apollo', 'project', 'Apollo'),
  made('notes/plain', 'note', 'Plain'),
  made('media/book', 'media', 'Book'),
  made('places/lisbon', 'place', 'Lisbon'),
];
const BY_TITLE = new Map(BRAIN.map((page) => [page.title, page]));
const BY_SLUG = new Map(BRAIN.map((page) => [page.slug, page]));

/** A lookup over `pages` of one source. */
export function lookupOf(pages: readonly MadePage[]): Lookup {
  const rows = new Map<string, PageRef[]>();
  const id = ({ kind, key }: LookupKey) => `${kind} ${key}`;
  for (const { slug, type, title } of pages) {
    const page = { source: 'default', slug, type };
    for (const key of pageKeys({ ...page, title, aliases: [] })) {
      rows.set(id(key), [...(rows.get(id(key)) ?? []), page]);
    }
  }
  return (key) => rows.get(id(key)) ?? [];
}

/** Links of a page of the brain with this text, in which `{Bob}` stands for a wikilink with its label. */
export function deriveMade(slug: string, text: string, rest: Partial<LinkingPage> = {}): PageLinks {
  const known = BY_SLUG.get(slug);
  const markdown = text.replace(/\{([^{}]+)\}/g, (_, title: string) => {
    return `[[${BY_TITLE.get(title)?.slug ?? title}|${title}]]`;
  });
  return deriveLinks({
    source: 'default',
    slug,
    type: known?.type ?? 'note',
    title: known?.title ?? 'Untitled',
    aliases: [],
    frontmatter: {},
    body: scanBody({ text: markdown, regions: [{ source: 'compiled_truth', start: 0, end: markdown.length }] }),
    ...rest,
  });
}

const lastSegment = ({ slug }: PageRef) => slug.slice(slug.lastIndexOf('/') + 1);

/** An edge as the cases write it. */
export function showEdge({ from, linkType, to }: Edge): string {
  return `${lastSegment(from)} ${linkType} ${lastSegment(to)}`;
}

/** Typed edges that a page makes over the whole brain, sorted; `mentions` left out. */
export function typedEdges(slug: string, text: string, rest?: Partial<LinkingPage>): string[] {
  const { edges } = settleLinks(deriveMade(slug, text, rest), lookupOf(BRAIN));
  return edges
    .filter(({ linkType }) => linkType !== 'mentions')
    .map(showEdge)
    .sort();
}

/** One test a line of `cases`; an edge of two words is the page's own. `\\n` breaks a line of the page. */
export function checkProse(slug: string, cases: string): void {
  const own = slug.slice(slug.lastIndexOf('/') + 1);
  // Edges may stand on a line of their own.
  for (const line of cases
    .replace(/\n\s+=>/g, ' =>')
    .split('\n')
    .map((one) => one.trim())) {
    if (line === '') continue;
    const [text, edges = ''] = line.split(/ =>(?: |$)/);
    const expected = edges.split(', ').filter((edge) => edge !== '');
    const full = expected.map((edge) => (edge.split(' ').length === 2 ? `${own} ${edge}` : edge));
    test(line, () => expect(typedEdges(slug, text!.replaceAll('\\n', '\n'))).toEqual(full.sort()));
  }
}
