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
const OWNED = new RegExp(`(?:(${NAME})(?:'s)?|([Oo]ur|[Ii]ts|[Tt]he company's)) ${ROLE}(?:,| \\()? ?(${LINK})`, 'g');
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
    const plural = isPlural(last) && !(/'s |^[OoIi]/.test(whole) && endsOf(reading, holders!).length > 1);
    if (/[\p{L}]$/u.test(before) || !isRoleWord(last) || plural) return [];
    if (!splitRoles(more!).every((one) => classOfRole(one))) return [];
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

const AND_MORE = MORE.replace('(', '(?<more>');
const WHEN = '(?=$|[.,;)]| (?:in|from|since|on|last|this|after)\\b)';
const COPULA = '(?:is|are|became|(?:has|have) been|was (?:named|appointed|made))';
const OURS = '(?:the |our |its |their )?';
const JOINED = '(?:joined|joins|started|came on|serves|works|hired|appointed|promoted|brought in)';

/** `B is the CEO`, `B, our CTO`, `B (CFO)`. */
const BEHIND_NAME = new RegExp(
  `(?<holder>${LINK})(?<between>,? ${COPULA} (?:now |currently |also )?${OURS}|, ${OURS}| ?\\(${OURS})` +
    `(?<role>(?:${WORD} ){0,2}?[A-Za-z-]+)${WORD_END}${AND_MORE}${FIELD}(?=$|[.,;)]| since\\b)`,
  'g',
);
/** `CEO B`, `the founder, B`. */
const BEFORE_NAME = new RegExp(
  `(?:^|[\\s(,])(?<role>(?:${WORD} ){0,2}?[A-Za-z-]+)${AND_MORE},? (?<holder>${LINK})`,
  'g',
);
/** `B joined as head of sales`. */
const JOINED_AS = new RegExp(
  `(?<holder>${LINK}) (?<between>${ADVERBS}${JOINED}(?: us| the company| here)? as (?:an? |the |our |its )?)` +
    `(?<role>(?:${WORD} ){0,3}?[A-Za-z-]+)${WORD_END}${AND_MORE}${FIELD}${WHEN}`,
  'g',
);

/**
 * On a company's own page a leader's or founder's role needs no complement, and neither does any role that somebody
 * joined as. `single` is the sentence with its lists not yet one unit.
 */
export function readBareRoles(reading: Reading, single: string): Statement[] {
  if (new RegExp(`${LINK}'s|\\b(?:of|at) ${LINK}`).test(single)) return [];
  const texts = single === reading.text ? [single] : [single, reading.text];
  return texts.flatMap((text) => [
    ...readBare(reading, text, BEHIND_NAME, isLeading),
    ...readBare(reading, text, BEFORE_NAME, isLeading),
    ...readBare(reading, text, JOINED_AS, (role) => classOfRole(role) !== undefined),
  ]);
}

function readBare(reading: Reading, text: string, pattern: RegExp, fits: (role: string) => boolean): Statement[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const { holder, between = '', role, more } = match.groups!;
    const roles = [role!, ...splitRoles(more!)];
    if (!roles.every(fits)) return [];
    const after = text.slice(match.index + match[0].length);
    const before = text.slice(0, match.index);
    const held: Holding = { from: endsOf(reading, holder!), to: [SELF_END], between, before, after, preposition: '' };
    return roles.flatMap((one) => stateRole(reading, one, held, true));
  });
}

function isLeading(role: string): boolean {
  const roleClass = classOfRole(role);
  return roleClass === 'founder' || roleClass === 'leader';
}
