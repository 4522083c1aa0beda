// Decides which edges a page makes: it gathers what its references and its prose state, then, when the pages are known,
// guards by their types. Pure; the storage keeps what is settled and what still waits.

import { contextAround } from './context.ts';
import { couldBePerson, isKind, kindOfPage } from './kinds.ts';
import { allMentions, type LinkingPage, type Mention, type MentionBlock, readMentions } from './mentions.ts';
import { type Lookup, type LookupKey, type PageRef, type Resolution, referenceKeys, resolveTarget } from './resolve.ts';
import type { Kind } from './rules.ts';
import { ownNames } from './sentences.ts';
import { type Relation, type RelationEnd, readRelations } from './statements.ts';
import { isImagePath, type Target } from './targets.ts';

/** Where an edge comes from. `wikilink-resolved` is a bare name that was found by name. Source: engine facts, A.1. */
export type LinkSource = 'markdown' | 'frontmatter' | 'wikilink-resolved';

/** One distinct thing that a page refers to. Plain data, so that a row can hold it while it waits. */
export interface Reference {
  readonly target: Target;
  /** False when only a page of exactly that name will do; see `Mention.wanted`. */
  readonly wanted: boolean;
  readonly byName: boolean;
  readonly folders?: readonly string[];
  readonly label: string;
  /** About 240 characters around the first mention; empty for frontmatter. */
  readonly context: string;
  /** True when the page's text refers to it, not only a field or a place. */
  readonly inText: boolean;
  /** It is here as the other end of a statement about an open reference, and waits elsewhere for itself. */
  readonly endOnly?: true;
}

/** A relation between the page (-1) and its references, by their index. */
export interface Statement {
  readonly linkType: string;
  readonly from: number;
  readonly to: number;
  readonly fromKind: Kind;
  readonly toKind: Kind;
  readonly reason: string;
  readonly linkSource: 'markdown' | 'frontmatter';
  readonly context: string;
  readonly originField?: string;
}

/** Everything that a page says about other pages, before it is known which of them exist. Plain data. */
export interface PageLinks {
  readonly page: PageRef;
  readonly references: readonly Reference[];
  readonly statements: readonly Statement[];
}

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

/** The page itself as an end of a statement. */
const SELF = -1;

/**
 * Everything that `page` says about others: its references, each distinct target once, and the relations that fields,
 * places and prose state. Linear in the text; never throws.
 */
export function deriveLinks(page: LinkingPage): PageLinks {
  const found = readMentions(page);
  const gathering = new Gathering(page);
  for (const block of found.blocks) for (const mention of block.mentions) gathering.refer(mention, block);
  for (const mention of found.elsewhere) gathering.refer(mention);
  for (const mention of allMentions(found)) gathering.stateForm(mention);
  const kind = kindOfPage(page.type, page.slug);
  const { role } = page.frontmatter;
  const relations = readRelations(page.body.visible.text, found.blocks, {
    kind,
    ownNames: kind === 'person' || kind === 'org' ? ownNames(page.title, page.aliases, kind === 'person') : [],
    role: typeof role === 'string' ? role : undefined,
    couldBePerson: ({ target }) => couldBePerson(target.paths[0] ?? ''),
  });
  gathering.stateRelations(relations);
  return gathering.links();
}

/** The keys that settling `links` asks for, so that a caller can fetch them all at once. */
export function linkKeys(links: PageLinks): LookupKey[] {
  return links.references.flatMap((reference) => referenceKeys(reference.target, askingFor(links.page, reference)));
}

/**
 * The edges that `links` make over the pages that `lookup` knows, and the references that stay open. A relation whose
 * ends are not of its kinds is no edge, and neither is one from a page to itself; a reference in the text that no typed
 * edge from the page to its target speaks for becomes `mentions`.
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

/** Collects references and statements of one page, each once. */
class Gathering {
  readonly #page: LinkingPage;
  readonly #references: Reference[] = [];
  readonly #statements = new Map<string, Statement>();
  readonly #byKey = new Map<string, number>();
  readonly #indexOf = new Map<Mention, number>();

  constructor(page: LinkingPage) {
    this.#page = page;
  }

  links(): PageLinks {
    const { source, slug, type } = this.#page;
    return { page: { source, slug, type }, references: this.#references, statements: [...this.#statements.values()] };
  }

  refer(mention: Mention, block?: MentionBlock): void {
    const { target, label, wanted, form, field } = mention;
    const byName = form !== 'path' && form !== 'code' && form !== 'place' && form !== 'image';
    const folders = field?.rule.folders;
    const key = JSON.stringify([target.source, target.paths, target.name, byName, folders]);
    const known = this.#byKey.get(key);
    const index = known ?? this.#references.length;
    this.#indexOf.set(mention, index);
    if (known !== undefined) return;
    this.#byKey.set(key, index);
    const context = block ? contextAround(this.#page.body.visible.text, block, mention) : '';
    const reference = { target, wanted, byName, label, context, inText: block !== undefined };
    this.#references.push(folders === undefined ? reference : { ...reference, folders });
  }

  /** What the form of a mention states by itself: a field, the place of an image, an image in the text, a source file. */
  stateForm(mention: Mention): void {
    const index = this.#indexOf.get(mention)!;
    const { field, form, target } = mention;
    const any = { fromKind: 'any', toKind: 'any', context: this.#references[index]!.context } as const;
    if (field) {
      const { linkType, incoming } = field.rule;
      const ends = incoming ? { from: index, to: SELF } : { from: SELF, to: index };
      const rest = { linkSource: 'frontmatter', originField: field.name, reason: `field-${field.name}` } as const;
      this.#state({ ...any, ...ends, ...rest, linkType });
    } else if (form === 'place' || this.#page.type === 'image') {
      this.#state({
        ...any,
        from: SELF,
        to: index,
        linkType: 'image_of',
        linkSource: 'markdown',
        reason: 'image-place',
      });
    } else if ((form === 'image' || form === 'embed') && target.paths.some(isImagePath)) {
      this.#state({
        ...any,
        from: index,
        to: SELF,
        linkType: 'image_of',
        linkSource: 'markdown',
        reason: 'image-embed',
      });
    } else if (form === 'code') {
      this.#state({
        ...any,
        from: SELF,
        to: index,
        linkType: 'documents',
        linkSource: 'markdown',
        reason: 'code-path',
      });
    }
  }

  /** Relations of the prose. Who is said to have left a place is not said to have joined it. */
  stateRelations(relations: readonly Relation[]): void {
    const left = new Set(relations.filter(({ ended }) => ended).map((relation) => this.#pair(relation)));
    for (const relation of relations) {
      if (relation.ended) continue;
      if (relation.linkType === 'works_at' && relation.lasts === 'event' && left.has(this.#pair(relation))) continue;
      const { linkType, fromKind, toKind, reason, block, place } = relation;
      const [from, to] = [this.#end(relation.from), this.#end(relation.to)];
      const key = this.#keyOf({ linkType, from, to, linkSource: 'markdown', fromKind, toKind });
      if (this.#statements.has(key)) continue;
      const context = contextAround(this.#page.body.visible.text, block, place);
      this.#state({ linkType, from, to, fromKind, toKind, reason, linkSource: 'markdown', context });
    }
  }

  #state(statement: Statement): void {
    const key = this.#keyOf(statement);
    if (!this.#statements.has(key)) this.#statements.set(key, statement);
  }

  /** Rules with other guards are other statements: the strict one may fail where the lenient one holds. */
  #keyOf({ linkType, from, to, linkSource, fromKind, toKind }: Omit<Statement, 'context' | 'reason'>): string {
    return `${linkType} ${from} ${to} ${linkSource} ${fromKind} ${toKind}`;
  }

  #pair(relation: Relation): string {
    return `${this.#end(relation.from)} ${this.#end(relation.to)}`;
  }

  #end(end: RelationEnd): number {
    return end === 'self' ? SELF : this.#indexOf.get(end)!;
  }
}
