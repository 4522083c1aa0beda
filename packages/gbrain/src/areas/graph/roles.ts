// Says what a role makes of who holds it: an employee, a founder, an investor or an adviser. It reads one role at a
// time and no sentence.

import { ADVISER_HEADS, FOUNDER_HEADS, INVESTOR_HEADS, LEADER_HEADS, STAFF_HEADS } from './lexicon.ts';
import type { Kind } from './rules.ts';

/** What a role makes of who holds it. */
export type RoleClass = 'founder' | 'investor' | 'adviser' | 'leader' | 'staff';

/** What holding a role states, and the words that may join it to its place. */
export interface RoleMeaning {
  readonly linkType: string;
  readonly lasts: 'state' | 'event';
  readonly from: Kind;
  readonly to: Kind;
  readonly prepositions: RegExp;
}

const work = { linkType: 'works_at', lasts: 'state', from: 'person', to: 'org' } as const;

/** Meaning of each class of role. */
export const ROLE_MEANINGS: Readonly<Record<RoleClass, RoleMeaning>> = {
  founder: { linkType: 'founded', lasts: 'event', from: 'party', to: 'org', prepositions: /^(?:of|at|for)$/ },
  investor: {
    linkType: 'invested_in',
    lasts: 'event',
    from: 'party',
    to: 'org',
    prepositions: /^(?:in|of|to|behind)$/,
  },
  adviser: { linkType: 'advises', lasts: 'state', from: 'party', to: 'any', prepositions: /^(?:to|of|at|for|with)$/ },
  leader: { ...work, prepositions: /^(?:of|at|for|with|@)$/ },
  staff: { ...work, prepositions: /^(?:at|for|with|@)$/ },
};

const CLASSES: readonly [RoleClass, RegExp][] = (
  [
    ['founder', FOUNDER_HEADS],
    ['investor', INVESTOR_HEADS],
    ['adviser', ADVISER_HEADS],
    ['leader', LEADER_HEADS],
    ['staff', STAFF_HEADS],
  ] as const
).map(([name, heads]) => [name, new RegExp(`(?:^|[\\s/-])(?:${heads})s?$`)]);

/**
 * Class of a role by its last word (`senior engineer`, `head of sales`), or undefined when it is no role known here.
 */
export function classOfRole(role: string): RoleClass | undefined {
  const head = role
    .trim()
    .toLowerCase()
    .replace(/ (?:of|for|in) .*$/, '');
  return CLASSES.find(([, pattern]) => pattern.test(head))?.[0];
}

/** Last words of all roles, lower case: where none of them stands, nobody looks for a role. */
export const ROLE_WORDS: ReadonlySet<string> = new Set(
  [FOUNDER_HEADS, LEADER_HEADS, STAFF_HEADS, INVESTOR_HEADS, ADVISER_HEADS]
    .join('|')
    .replace(/[()?:]/g, '|')
    .split('|')
    .concat(
      'founder co-founder cofounder ceo cto coo cfo cmo cpo cio cso cro clo cco cdo ciso chro vp svp evp avp'.split(
        ' ',
      ),
    )
    .map((alternative) => alternative.slice(alternative.lastIndexOf(' ') + 1))
    .filter((word) => /^[a-z-]{2,}$/.test(word) && word !== 'co-'),
);

/** True for the last word of a role, in the singular or plural. */
export function isRoleWord(word: string): boolean {
  const lower = word.toLowerCase();
  return ROLE_WORDS.has(lower) || (lower.endsWith('s') && ROLE_WORDS.has(lower.slice(0, -1)));
}
