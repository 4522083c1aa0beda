// Gathers everything that a page says about other pages: its references, each once, and the relations that fields,
// places and prose state. It does not know which pages exist.

import { contextAround } from './context.ts';
import { couldBePerson, kindOfPage } from './kinds.ts';
import { allMentions, type LinkingPage, type Mention, type MentionBlock, readMentions } from './mentions.ts';
import type { PageRef } from './resolve.ts';
import type { Kind } from './rules.ts';
import { ownNames } from './sentences.ts';
import { type Relation, type RelationEnd, readRelations } from './statements.ts';
import { isImagePath, type Target } from './targets.ts';

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

/** The page itself as an end of a statement. */
export const SELF = -1;

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

  /**
   * What the form of a mention states by itself: a field, the place of an image, an image in the text, a source file.
   */
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
