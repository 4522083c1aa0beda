// Decides which edges a page makes, once it is known which pages its references lead to: guards by type, no self
// links, and what still waits. Pure; the storage keeps both.

import { isKind } from './kinds.ts';
import { type PageLinks, type Reference, SELF, type Statement } from './page-links.ts';
import { type Lookup, type LookupKey, type PageRef, type Resolution, referenceKeys, resolveTarget } from './resolve.ts';

/** Where an edge comes from. `wikilink-resolved` is a bare name that was found by name. Source: engine facts, A.1. */
export type LinkSource = 'markdown' | 'frontmatter' | 'wikilink-resolved';

/** An edge. `origin` is the page that says so; `reason` is the id of the rule that read it. */
export interface Edge {
  readonly from: PageRef;
  readonly to: PageRef;
  readonly linkType: string;
  readonly linkSource: LinkSource;
  readonly context: string;
  readonly reason: string;
  readonly origin: PageRef;
  readonly originField?: string;
}

/** A reference that leads to no page yet, or to several, with all that is needed to settle it later. Plain data. */
export interface OpenReference {
  readonly state: 'unresolved' | 'ambiguous';
  readonly label: string;
  /** False for words that may be no reference: worth keeping for a later page, not worth listing as wanted. */
  readonly wanted: boolean;
  readonly candidates: readonly PageRef[];
  /** A page that gets one of these keys may resolve it. */
  readonly keys: readonly LookupKey[];
  /** What to settle again when one does: this reference, and what is stated about it. */
  readonly links: PageLinks;
}

/** What a page's links came to. */
export interface SettledLinks {
  readonly edges: readonly Edge[];
  readonly open: readonly OpenReference[];
}

/** The keys that settling `links` asks for, so that a caller can fetch them all at once. */
export function linkKeys(links: PageLinks): LookupKey[] {
  return links.references.flatMap((reference) => referenceKeys(reference.target, askingFor(links.page, reference)));
}

/**
 * The edges that `links` make over the pages that `lookup` knows, and the references that stay open. A relation whose
 * ends are not of its kinds is no edge, and neither is one from a page to itself; a reference in the text that no
 * typed edge from the page to its target speaks for becomes `mentions`.
 */
export function settleLinks(links: PageLinks, lookup: Lookup): SettledLinks {
  const found = links.references.map((reference) => {
    return resolveTarget(reference.target, askingFor(links.page, reference), lookup);
  });
  const edges = new Map<string, Edge>();
  const add = (edge: Edge) => {
    const key = [edge.from.source, edge.from.slug, edge.to.source, edge.to.slug, edge.linkType, edge.linkSource].join(
      '\n',
    );
    if (!edges.has(key) && !isSame(edge.from, edge.to)) edges.set(key, edge);
  };
  for (const statement of links.statements) {
    const edge = settleStatement(links.page, statement, found);
    if (edge) add(edge);
  }
  const told = new Set([...edges.values()].filter(({ from }) => isSame(from, links.page)).map(({ to }) => idOf(to)));
  links.references.forEach((reference, i) => {
    const resolution = found[i]!;
    if (!reference.inText || resolution.state !== 'resolved' || told.has(idOf(resolution.page))) return;
    const { page: to } = resolution;
    const linkSource = sourceOf([resolution]);
    const { context } = reference;
    add({ from: links.page, to, linkType: 'mentions', linkSource, context, reason: 'reference', origin: links.page });
  });
  const open = found.flatMap((resolution, i) => {
    const settled = resolution.state === 'resolved' || links.references[i]!.endOnly === true;
    return settled ? [] : [openReference(links, i, resolution)];
  });
  return { edges: [...edges.values()], open };
}

function settleStatement(page: PageRef, statement: Statement, found: readonly Resolution[]): Edge | undefined {
  const { linkType, context, reason, originField } = statement;
  const ends = [statement.from, statement.to].map((end) => (end === SELF ? undefined : found[end]));
  const pages = ends.map((end) => (end === undefined ? page : end.state === 'resolved' ? end.page : undefined));
  const [from, to] = pages;
  if (!from || !to || !isKind(statement.fromKind, from) || !isKind(statement.toKind, to)) return undefined;
  const linkSource = statement.linkSource === 'frontmatter' ? 'frontmatter' : sourceOf(ends);
  const edge = { from, to, linkType, linkSource, context, reason, origin: page };
  return originField === undefined ? edge : { ...edge, originField };
}

/** How the ends were found: by their slug, or by a name. */
function sourceOf(ends: readonly (Resolution | undefined)[]): LinkSource {
  const byName = ends.some((end) => end?.state === 'resolved' && end.by !== 'slug' && end.by !== 'moved');
  return byName ? 'wikilink-resolved' : 'markdown';
}

function openReference(links: PageLinks, index: number, resolution: Resolution): OpenReference {
  const reference = links.references[index]!;
  const statements = links.statements.filter(({ from, to }) => from === index || to === index);
  const used = [...new Set([index, ...statements.flatMap(({ from, to }) => [from, to])])].filter((end) => end !== SELF);
  const renumber = (end: number) => (end === SELF ? SELF : used.indexOf(end));
  const subset: PageLinks = {
    page: links.page,
    // The others are here as ends only; their own mention was settled before.
    references: used.map((i) => {
      return i === index ? reference : { ...links.references[i]!, inText: false, endOnly: true as const };
    }),
    statements: statements.map((one) => ({ ...one, from: renumber(one.from), to: renumber(one.to) })),
  };
  return {
    state: resolution.state === 'ambiguous' ? 'ambiguous' : 'unresolved',
    label: reference.label,
    wanted: reference.wanted,
    candidates: resolution.state === 'ambiguous' ? resolution.candidates : [],
    keys: referenceKeys(reference.target, askingFor(links.page, reference)),
    links: subset,
  };
}

function askingFor({ source, slug }: PageRef, { byName, folders }: Reference) {
  return { source, slug, byName, ...(folders === undefined ? {} : { folders }) };
}

function isSame(a: PageRef, b: PageRef): boolean {
  return a.slug === b.slug && a.source === b.source;
}

function idOf({ source, slug }: PageRef): string {
  return `${source}\n${slug}`;
}
