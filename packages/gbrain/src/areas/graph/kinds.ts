// Says what kind of thing a page is, from its type and folder, as far as the guards of relations ask. It reads no text.

import type { PageKind } from './list-statements.ts';
import type { PageRef } from './resolve.ts';
import type { Kind } from './rules.ts';

const words = (list: string) => new Set(list.split(' '));
const PERSON = words('person people contact founder investor employee candidate');
const ORG = words(
  'company organization organisation org firm fund startup nonprofit agency school university ' +
    'institution account team group',
);
const MEETING = words('meeting event conference call calendar-event appointment workshop');
const WORK = words(
  'media source article book paper video podcast tweet social-digest writing analysis document report ' +
    'post essay study link',
);
/** Neither a person nor a company, whatever a sentence seems to say. */
const NEITHER = words('image email slack conversation transcript chat daily code atom');

const FOLDERS: readonly [RegExp, PageKind | 'work'][] = [
  [/^(?:.*\/)?(?:people|persons|contacts)\//, 'person'],
  [/^(?:.*\/)?(?:companies|orgs|organi[sz]ations)\//, 'org'],
  [/^(?:.*\/)?(?:meetings|events|calendar|calls)\//, 'meeting'],
  [/^(?:.*\/)?deals\//, 'deal'],
  [/^(?:.*\/)?(?:media|sources|articles|books|papers|videos|podcasts|tweets)\//, 'work'],
];

type Nature = PageKind | 'work' | 'neither';

function natureOf(type: string, slug: string): Nature {
  if (PERSON.has(type)) return 'person';
  if (ORG.has(type)) return 'org';
  if (MEETING.has(type)) return 'meeting';
  if (type === 'deal' || type === 'image') return type;
  if (WORK.has(type)) return 'work';
  if (NEITHER.has(type)) return 'neither';
  // A type that says nothing of this leaves it to the folder.
  return FOLDERS.find(([folder]) => folder.test(slug))?.[1] ?? 'other';
}

/** What a page is whose prose is read. */
export function kindOfPage(type: string, slug: string): PageKind {
  if (type === 'media') return 'media';
  const nature = natureOf(type, slug);
  return nature === 'work' || nature === 'neither' ? 'other' : nature;
}

/** False for a slug whose folder says that it is no person. */
export function couldBePerson(slug: string): boolean {
  const folder = FOLDERS.find(([pattern]) => pattern.test(slug.toLowerCase()))?.[1];
  return folder === undefined || folder === 'person';
}

/**
 * Whether `page` may be an end of kind `kind`. With a `!` it has to be known as one; without, it must only not be
 * known as another thing, since many brains give their pages no telling type. Source: engine facts, D.1, target-type
 * guards.
 */
export function isKind(kind: Kind, { type, slug }: PageRef): boolean {
  const nature = natureOf(type, slug);
  switch (kind) {
    case 'any':
      return true;
    case 'person':
      return nature === 'person' || (nature === 'other' && type !== 'project');
    case 'org':
      return nature === 'org' || nature === 'other';
    case 'org!':
      return nature === 'org';
    case 'party':
      return nature === 'person' || nature === 'org' || (nature === 'other' && type !== 'project');
    case 'meeting!':
      return nature === 'meeting';
    default:
      return nature === 'work' || nature === 'other';
  }
}
