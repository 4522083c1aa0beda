// Reads what roles state in a sentence: `is a senior engineer at A`, `B (CTO, A)`, `the founder of A, B`. It decides
// who holds the role and whether it is held; it knows no page and no type.

import { LINK, ROLE_WORD, WORD } from './lexicon.ts';
import { readBareRoles, readOwned, readOwners } from './owned-roles.ts';
import { isPlural, splitRoles, stateRole } from './role-holding.ts';
import { placeOf, type RoleWord } from './role-places.ts';
import { isRoleWord } from './roles.ts';
import { OBJECT } from './rules.ts';
import { type Earlier, endsOf, type Reading } from './subjects.ts';
import type { Statement } from './verb-statements.ts';

/** Statements of the roles of a sentence. `single` is the same sentence with its lists not yet one unit. */
export function readRoles(reading: Reading, single: string): Statement[] {
  const words = roleWords(reading.text);
  if (words.length === 0) return [];
  const statements = [
    ...readComplements(reading, words),
    ...readBeside(reading, words),
    ...readOwned(reading),
    ...readOwners(reading),
  ];
  return reading.speech.company ? [...statements, ...readBareRoles(reading, single)] : statements;
}

function roleWords(text: string): RoleWord[] {
  const found: RoleWord[] = [];
  for (const { 0: word, index } of text.matchAll(/[A-Za-z][A-Za-z-]+/g)) {
    if (isRoleWord(word)) found.push({ word, at: index, end: index + word.length });
  }
  return found;
}

const COMPLEMENT = new RegExp(
  `(?: (?:I{1,3}|IV|V|\\d))?((?:(?:,? and |, | & |/)(?:(?:an?|the) )?(?:${ROLE_WORD} ` +
    `){0,4}?${ROLE_WORD}){0,3}?)((?: (?:of|for|in|on) (?:(?!at |of )${WORD} ){0,5}?(?!at )${WORD}|,? ` +
    `[A-Z][A-Za-z]+(?: (?:and|&) [A-Z][a-z]+)?)?)(?: ` +
    `full-time| here)?,?(?: currently| now)? (at|of|for|with|to|in|behind|@) ` +
    `(?:(?:the|a|an|their|his|her|our) )?(?:(?:[a-z-]+ )?(?:company|startup|start-up|firm|fund|studio|` +
    `agency|lab|nonprofit|bank|university|hospital|school|team) )?(${OBJECT})`,
  'y',
);

/** `ROLE at A`: the role's words behind it lead to the place, those before it to the holder. */
function readComplements(reading: Reading, words: readonly RoleWord[]): Statement[] {
  const { text } = reading;
  const statements: Statement[] = [];
  let earlier: Earlier | undefined;
  let from = 0;
  for (const role of words) {
    COMPLEMENT.lastIndex = role.end;
    const match = role.at < from ? null : COMPLEMENT.exec(text);
    if (!match) continue;
    const [whole, more, , preposition, object] = match;
    const end = role.end + whole.length;
    const after = text.slice(end);
    const place = OF_ANOTHER.test(after) ? undefined : placeOf(reading, role, { after, earlier });
    if (!place) {
      statements.push(...readHolderBehind(reading, `${role.word}${more}`, role.at, { object: object!, after }));
      continue;
    }
    from = end;
    earlier = { at: role.at, ends: place.ends };
    if (isPlural(role.word) && place.ends.length < 2 && !/\bone of the\b/.test(place.between) && !place.many) continue;
    const to = endsOf(reading, object!).filter((target) => !place.ends.includes(target));
    const holding = { ...place, from: place.ends, to, after, preposition: preposition! };
    const roles = [`${place.modifiers} ${role.word}`, ...splitRoles(more!)];
    statements.push(...roles.flatMap((one) => stateRole(reading, one, holding, roles.length > 1)));
  }
  return statements;
}

/** What belongs to the place is not the place, except a round in which one invests. */
const OF_ANOTHER = /^'s?(?=\s)(?! (?:[^\s.,;:()]+ ){0,3}(?:[Rr]ound|[Ss]eries|[Ss]eed|[Pp]re-[Ss]eed))/;

/** `the CTO of A, B`: the place and the holder are one list, and the holder comes last. */
function readHolderBehind(
  reading: Reading,
  role: string,
  at: number,
  { object, after }: { object: string; after: string },
): Statement[] {
  const list = reading.groups.get(object);
  const before = reading.text.slice(0, at);
  if (list?.units.length !== 2 || / (?:and|&) /.test(list.words) || !/\b[Tt]he (?:[^\s.,;:()]+ ){0,3}$/.test(before))
    return [];
  if (!/^(?:$|[.,;)])/.test(after)) return [];
  const [place, holder] = list.units;
  const holding = { from: [holder!], to: [place!], between: '', before, after, preposition: '' };
  return splitRoles(role).flatMap((one) => stateRole(reading, one, holding, true));
}

const BESIDE = new RegExp(`((?: (?:of|for) (?:${WORD} ){0,3}?${WORD})?), (${LINK})(?=$|[.;)])`, 'y');

/** `B (CTO, A)` and `B — CTO, A`: behind a parenthesis or a dash a comma is enough. */
function readBeside(reading: Reading, words: readonly RoleWord[]): Statement[] {
  return words.flatMap((role) => {
    BESIDE.lastIndex = role.end;
    const match = BESIDE.exec(reading.text);
    const after = match ? reading.text.slice(role.end + match[0].length) : '';
    const place = match ? placeOf(reading, role, { after, earlier: undefined }) : undefined;
    if (!match || !place?.beside) return [];
    const holding = { ...place, from: place.ends, to: endsOf(reading, match[2]!), after, preposition: '' };
    const stated = stateRole(reading, `${place.modifiers} ${role.word}`, holding, true);
    // Nothing but a comma says that this is a place of work, so the page has to be known as one.
    return stated.map((one) => ({ ...one, toKind: 'org!' as const, reason: `${one.reason}-beside` }));
  });
}
