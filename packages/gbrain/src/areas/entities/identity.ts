// Which other pages share a name with an entity, and what to do so that a name means one of them.
import type { ReadScope } from '../../context.ts';
import type { Queryable } from '../../store/store.ts';
import { shownText } from '../secrets/shown-text.ts';
import { leadOf } from './card.ts';
import { type EntityPage, type Namesakes, readOpenings } from './entities.sql.ts';
import type { FoundBy } from './resolve-entity.ts';

/** Another page of the same name. */
export interface Sibling {
  slug: string;
  title: string;
  type: string;
  source_id: string;
  shares: 'title' | 'alias' | 'slug';
}

/** What a card says of the name itself. Source: facts/contract G.6. */
export interface Identity {
  identity_siblings?: Sibling[];
  /** The beginning of the page and of each sibling, by which they can be told apart. */
  identity_excerpt?: { slug: string; source_id: string; text: string }[];
  alias_guidance?: string;
}

/** Siblings that a card shows. */
export const SIBLINGS_MAX = 5;
const EXCERPT_CHARS = 160;

/** Pages that share a name with this one, each once; `others` are of the same slug in another source. */
export function siblingsOf(
  page: EntityPage,
  { titles, aliases }: Namesakes,
  others: readonly EntityPage[] = [],
): Sibling[] {
  const as =
    (shares: Sibling['shares']) =>
    ({ id, slug, title, type, source_id }: EntityPage): [number, Sibling] => [
      id,
      { slug, title, type, source_id, shares },
    ];
  const found = new Map([...aliases.map(as('alias')), ...titles.map(as('title')), ...others.map(as('slug'))]);
  found.delete(page.id);
  return [...found.values()].sort((a, b) => (a.slug < b.slug ? -1 : 1));
}

/** How a name could be made to mean one page for certain. */
function guidanceOf(name: string, page: EntityPage, by: FoundBy, siblings: readonly Sibling[]): string | undefined {
  if (siblings.length > 0 && by !== 'slug') {
    return `"${name}" may also mean ${siblings[0]!.slug}; call this one ${page.slug}.`;
  }
  if (by === 'tail') {
    return `"${name}" is only the end of the slug ${page.slug}; under \`aliases\` of that page it becomes its name.`;
  }
  return by === 'moved' ? `"${name}" is what this page was called before; it is ${page.slug} now.` : undefined;
}

/** What a card says of the name that was asked for; a page whose name is its own says nothing. */
export async function identityOf(
  db: Queryable,
  scope: ReadScope,
  at: { name: string; page: EntityPage; by: FoundBy; siblings: readonly Sibling[] },
): Promise<Identity> {
  const { page, siblings } = at;
  const alias_guidance = guidanceOf(at.name.trim(), page, at.by, siblings);
  if (siblings.length === 0) return { ...(alias_guidance && { alias_guidance }) };
  const shown = siblings.slice(0, SIBLINGS_MAX);
  const openings = await readOpenings(db, scope, [page, ...shown]);
  return {
    identity_siblings: shown,
    identity_excerpt: openings.map(({ slug, source_id, lead }) => ({
      slug,
      source_id,
      text: shownText(scope, leadOf(lead ?? '')).slice(0, EXCERPT_CHARS),
    })),
    ...(alias_guidance && { alias_guidance }),
  };
}
