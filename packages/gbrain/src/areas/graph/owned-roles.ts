// Reads roles that are somebody's own: `A's founder B`, `B is A's CTO`, and on a company's page `our CEO B`, `B (CFO)`.

import { ADVERBS, LINK, NAME, ROLE_WORD, SUBJECT, WORD, WORD_END } from './lexicon.ts';
import { type Holding, isPlural, splitRoles, stateRole } from './role-holding.ts';
import { OTHERS } from './role-places.ts';
import { classOfRole, isRoleWord } from './roles.ts';
import { endsOf, type Reading, SELF_END } from './subjects.ts';
import type { Statement } from './verb-statements.ts';

const MORE = `((?:(?:,? and |, | & |/)(?:${ROLE_WORD} ){0,4}?${ROLE_WORD}){0,3}?)`;
const FIELD = `(?: (?:of|for) (?:${WORD} ){0,3}?${WORD})?`;
const ROLE = `((?:${WORD} ){0,3}?[A-Za-z-]+)${WORD_END}${MORE}${FIELD}`;
const OWNED = new RegExp(`(?:(${NAME})(?:'s)?|([Oo]ur|[Ii]ts|[Tt]he company's)) ${ROLE},? (${LINK})`, 'g');
const OWNERS = new RegExp(
  `(${SUBJECT})(,|,? ${ADVERBS}(?:is|are|was|were|as)(?: now| also| currently| still)?) (${LINK})'s? ` +
    `${ROLE}(?=$|[.,;:)]| (?:and|in|from|since|for|who|where)\\b)`,
  'g',
);

/** `A's CEO B`, `A founder B`; on a company's page also `our CEO B`. */
export function readOwned(reading: Reading): Statement[] {
  const { text, speech } = reading;
  return [...text.matchAll(OWNED)].flatMap((match) => {
    const [whole, owner, word, role, more, holders] = match;
    const before = text.slice(0, match.index);
    const last = role!.slice(role!.search(/[A-Za-z-]+$/));
    // A plural is no single holder's, and `A mentors B` is a verb.
    if (/[\p{L}]$/u.test(before) || !isRoleWord(last) || isPlural(last)) return [];
    const to = owner !== undefined ? endsOf(reading, owner) : speech.company && word !== undefined ? [SELF_END] : [];
    const past = /\b(?:former|ex|then|late) $|\bex-$/i.test(before) ? 'former ' : '';
    const holding = {
      from: endsOf(reading, holders!),
      to,
      between: '',
      before,
      after: text.slice(match.index + whole.length),
      preposition: '',
    };
    return [role!, ...splitRoles(more!)].flatMap((one) => stateRole(reading, `${past}${one}`, holding, true));
  });
}

/** `B is A's CEO`, `B, A's head of sales`. */
export function readOwners(reading: Reading): Statement[] {
  const { text } = reading;
  return [...text.matchAll(OWNERS)].flatMap((match) => {
    const [whole, holders, copula, owner, role, more] = match;
    const before = text.slice(0, match.index);
    if (/[\p{L}]$/u.test(before) || OTHERS.test(before)) return [];
    const holding = {
      from: endsOf(reading, holders!),
      to: endsOf(reading, owner!),
      between: copula!,
      before,
      after: text.slice(match.index + whole.length),
      preposition: '',
    };
    return [role!, ...splitRoles(more!)].flatMap((one) => stateRole(reading, one, holding, true));
  });
}

/** A role behind a name, before it, and one that somebody joined as: each gives the holder and the roles. */
const BARE: readonly [pattern: RegExp, holder: number, between: number, role: number, more: number][] = [
  [
    new RegExp(
      `(${LINK})(,? (?:is|are) (?:now |currently |also )?(?:the |our |its |their )?|, (?:the |our |its |` +
        `their )?| ?\\((?:the |our |its )?)((?:${WORD} ){0,2}?[A-Za-z-]+)${WORD_END}${MORE}${FIELD}(?=$|` +
        `[.,;)])`,
      'g',
    ),
    1,
    2,
    3,
    4,
  ],
  [new RegExp(`(?:^|[\\s(,])((?:${WORD} ){0,2}?[A-Za-z-]+)${MORE},? (${LINK})`, 'g'), 3, 0, 1, 2],
  [
    new RegExp(
      `(${LINK}) (${ADVERBS}(?:joined|joins|started|came on|serves|works|hired|appointed|promoted|brought ` +
        `in)(?: us| the company| here)? as (?:an? |the |our |its )?)((?:${WORD} ` +
        `){0,3}?[A-Za-z-]+)${WORD_END}${MORE}${FIELD}(?=$|[.,;)]| (?:in|from|since|on|last|this|after)\\b)`,
      'g',
    ),
    1,
    2,
    3,
    4,
  ],
];

/**
 * On a company's own page a leader's or founder's role needs no complement: `B is the CEO`, `CEO B`, `B (CTO)`, and
 * any role that somebody joined as. `single` is the sentence with its lists not yet one unit.
 */
export function readBareRoles(reading: Reading, single: string): Statement[] {
  if (new RegExp(`${LINK}'s|\\b(?:of|at) ${LINK}`).test(single)) return [];
  return BARE.flatMap(([pattern, holder, between, role, more]) => {
    return [...single.matchAll(pattern)].flatMap((match) => {
      const roles = [match[role]!, ...splitRoles(match[more]!)];
      const words = between === 0 ? '' : match[between]!;
      const joined = / as /.test(words);
      if (!roles.every((one) => (joined ? classOfRole(one) : isLeading(one)))) return [];
      const after = single.slice(match.index + match[0].length);
      const held: Holding = {
        from: [match[holder]!],
        to: [SELF_END],
        between: words,
        before: single.slice(0, match.index),
        after,
        preposition: '',
      };
      return roles.flatMap((one) => stateRole(reading, one, held, true));
    });
  });
}

function isLeading(role: string): boolean {
  const roleClass = classOfRole(role);
  return roleClass === 'founder' || roleClass === 'leader';
}
