// Reads what roles state in a sentence: `is a senior engineer at A`, `A's founder B`, `(CTO at A)`. A role makes an
// employee, a founder, an investor or an adviser; it is not known here which pages exist or of what type they are.

import {
  ADVERBS,
  ADVISER_HEADS,
  COMPANY_OBJECT,
  DOUBT,
  FOUNDER_HEADS,
  GROUP,
  INVESTOR_HEADS,
  LEADER_HEADS,
  LINK,
  OWN,
  PAST,
  PAST_AFTER,
  ROLE_OPENERS,
  ROLE_STOPS,
  STAFF_HEADS,
  SUBJECT,
} from './lexicon.ts';
import type { Kind } from './rules.ts';
import { clauseStart, type Earlier, type End, endsOf, findSubject, SELF_END, type Speech } from './subjects.ts';
import type { Reading, Statement } from './verb-statements.ts';

/** What a role makes of who holds it. */
export type RoleClass = 'founder' | 'investor' | 'adviser' | 'leader' | 'staff';

const CLASSES: readonly [RoleClass, RegExp][] = (
  [
    ['founder', FOUNDER_HEADS],
    ['investor', INVESTOR_HEADS],
    ['adviser', ADVISER_HEADS],
    ['leader', LEADER_HEADS],
    ['staff', STAFF_HEADS],
  ] as const
).map(([name, heads]) => [name, new RegExp(`(?:^|[\\s/-])(?:${heads})s?$`, 'iu')]);

/** Class of a role by its last word, or undefined when it is no role that this product knows. */
export function classOfRole(role: string): RoleClass | undefined {
  const head = role.trim().replace(/ (?:of|for|in) .*$/u, '');
  return CLASSES.find(([, pattern]) => pattern.test(head))?.[0];
}

interface RoleMeaning {
  readonly linkType: string;
  readonly lasts: Statement['lasts'];
  readonly from: Kind;
  readonly to: Kind;
  readonly prepositions: RegExp;
}

const MEANINGS: Readonly<Record<RoleClass, RoleMeaning>> = {
  founder: { linkType: 'founded', lasts: 'event', from: 'party', to: 'org', prepositions: /^(?:of|at|for)$/ },
  investor: {
    linkType: 'invested_in',
    lasts: 'event',
    from: 'party',
    to: 'org',
    prepositions: /^(?:in|of|to|behind)$/,
  },
  adviser: { linkType: 'advises', lasts: 'state', from: 'party', to: 'any', prepositions: /^(?:to|of|at|for|with)$/ },
  leader: { linkType: 'works_at', lasts: 'state', from: 'person', to: 'org', prepositions: /^(?:of|at|for|with|@)$/ },
  staff: { linkType: 'works_at', lasts: 'state', from: 'person', to: 'org', prepositions: /^(?:at|for|with|@)$/ },
};

const HEAD = `(?:${[FOUNDER_HEADS, LEADER_HEADS, STAFF_HEADS, INVESTOR_HEADS, ADVISER_HEADS].join('|')})s?`;
const WORD = "[\\p{L}\\p{N}][\\p{L}\\p{N}'&+./-]*";
const MORE = `((?:(?:,? and |, | & |/|, and )(?:(?:an?|the) )?(?:${WORD} ){0,4}?${HEAD}(?![\\p{L}]))*)`;
const FIELD = `((?: (?:of|for|in) (?:(?!at |of )${WORD} (?:and |& )?){0,5}?(?!at )${WORD})?)`;
const NOUN =
  '(?:(?:the|a|an|their|his|her|our) )?(?:(?:[\\p{Ll}-]+ )?(?:company|startup|start-up|firm|fund|studio|agency|lab|nonprofit|bank|university|hospital|school|team) )?';
const AT_WORD = '(?<![\\p{L}\\p{N}-])';

const COMPLEMENT = new RegExp(
  `${AT_WORD}(${HEAD})(?![\\p{L}])${MORE}${FIELD}(?: (?:full-time|here))? ?(?:,? currently |,? now )?(at|of|for|with|to|in|behind|@) ${NOUN}(${GROUP}|${OWN}|${COMPANY_OBJECT})`,
  'giu',
);
const OWNED = new RegExp(
  `(${LINK}|${OWN}|[Oo]ur|[Ii]ts|[Tt]he company)(?:'s)? ((?:${WORD} ){0,3}?)(${HEAD})(?![\\p{L}])${MORE}${FIELD},? (${GROUP})`,
  'gu',
);
const IS_OWNED = new RegExp(
  `(${SUBJECT}),? (${ADVERBS}(?:is|are|was|were|as|,) (?:now |also |currently |still )?|)(${LINK})'s? ((?:${WORD} ){0,3}?)(${HEAD})(?![\\p{L}])${MORE}${FIELD}`,
  'gu',
);
const ANY_ROLE = new RegExp(`${AT_WORD}${HEAD}(?![\\p{L}])`, 'iu');

/** Statements of the roles of a sentence. */
export function readRoles(reading: Reading): Statement[] {
  if (!ANY_ROLE.test(reading.text)) return [];
  return [...readComplements(reading), ...readOwned(reading), ...readIsOwned(reading), ...readBareRoles(reading)];
}

function readComplements(reading: Reading): Statement[] {
  const { text, speech } = reading;
  const statements: Statement[] = [];
  let earlier: Earlier | undefined;
  for (const match of text.matchAll(COMPLEMENT)) {
    const [whole, head, more, , preposition, object] = match;
    const after = text.slice(match.index + whole.length);
    const place = placeOf(text, match.index, `${head}${more}`, { after, speech, earlier });
    if (!place || /^'s?(?=\s)/.test(after)) continue;
    earlier = { at: match.index, ends: place.ends };
    const plural = /s$/i.test(head!) && !/(?:sales|ops|cos|s\/s)$/i.test(head!);
    if (plural && place.ends.length < 2 && !place.many) continue;
    const roles = [`${place.modifiers} ${head}`, ...splitRoles(more!)];
    const to = endsOf(object!, speech).filter((end) => !place.ends.includes(end));
    const found = { from: place.ends, to, after, place, preposition: preposition!.toLowerCase() };
    statements.push(...roles.flatMap((role) => stateRole(reading, role, found, roles.length > 1)));
  }
  return statements;
}

function splitRoles(more: string): string[] {
  return more.split(/,? and |, | & |\//).filter((role) => role.trim() !== '');
}

interface FoundRole {
  readonly from: readonly End[];
  readonly to: readonly End[];
  readonly after: string;
  readonly place: Pick<Place, 'between' | 'before'>;
  /** Empty where the role stands without one, as in `A's founder`. */
  readonly preposition: string;
}

function stateRole(reading: Reading, role: string, found: FoundRole, shared: boolean): Statement[] {
  const roleClass = classOfRole(role);
  if (!roleClass || found.from.length === 0 || found.to.length === 0) return [];
  // `investor at a fund` works there.
  const employed = roleClass === 'investor' && /^(?:at|with)$/.test(found.preposition);
  const meaning = MEANINGS[employed ? 'staff' : roleClass];
  if (found.preposition !== '' && !shared && !meaning.prepositions.test(found.preposition)) return [];
  if (!isHeld(reading, role, meaning.lasts, found)) return [];
  const { linkType, lasts, from: fromKind, to: toKind } = meaning;
  return [
    {
      linkType,
      from: found.from,
      to: found.to,
      fromKind,
      toKind,
      lasts,
      reason: `role-${employed ? 'staff' : roleClass}`,
    },
  ];
}

function isHeld(
  { text, pastSection }: Reading,
  role: string,
  lasts: Statement['lasts'],
  { after, place }: FoundRole,
): boolean {
  if (text.endsWith('?')) return false;
  const { between, before } = place;
  if (DOUBT.test(`${between} ${role}`) || /\b(?:aspiring|future|incoming|acting as if|candidate|wannabe)\b/i.test(role))
    return false;
  if (
    /\b(?:if|whether|unless|suppose|imagine|hopes?|wish|looking for|search(?:ing)? for|seeking|need(?:s|ed)?|open role)\b/i.test(
      before,
    )
  )
    return false;
  if (/^,? (?:candidate|applicant|role|position|job|opening|interview)\b/i.test(after)) return false;
  if (lasts === 'event') return true;
  const newly = /\b(?:became|becomes|promoted|appointed|named|elected|hired|installed|joined|been)\b/.test(between);
  const gone =
    PAST.test(between.replace(/\bserved as\b/, 'was')) ||
    /\b(?:served|worked|acted|stayed) (?:\p{L}+ )?as\b/u.test(between);
  if (gone && !newly) return false;
  if (
    /\b(?:former|formerly|previous|previously|past|ex|late|retired|then|one-time|onetime|outgoing|erstwhile|emeritus|interned)\b|\bex-/i.test(
      role,
    )
  )
    return false;
  if (
    PAST_AFTER.test(after) ||
    /\b(?:previously|formerly|before that|earlier|until|back then|at the time|in the past)\b/i.test(before)
  )
    return false;
  return !pastSection || /\b(?:present|current|currently|now|today|ongoing)\b/i.test(text);
}

/** Who holds a role, and the words around that. */
interface Place {
  readonly ends: readonly End[];
  readonly between: string;
  readonly before: string;
  readonly modifiers: string;
  /** The subject is plural in words: `they are engineers at`. */
  readonly many: boolean;
}

const COPULA = `(?:is|are|was|were|am|'s|'re|became|becomes|remains|stays|serves as|served as|serving as|works as|worked as|acts as|acted as|joined as|stayed on as|(?:has|have|had) been|(?:is|was|were|been|got) (?:\\p{L}+ )?(?:appointed|named|made|elected|promoted|hired|installed)(?: as| to)?|takes over as|took over as|doubles as)`;
const ARTICLE =
  '(?:(?:an?|the|its|their|our|his|her|one of the|both|now|currently|also|still|formerly|previously|once|then|not|never|no longer|just|only|only the|simply|today) )*';
const COPULAR = new RegExp(
  `(${SUBJECT})(?:, [^,;]{1,80},| ?\\([^()]{1,80}\\))?(?: ?(?:who )?)(${ADVERBS}${COPULA} ${ARTICLE}(?:as )?${ARTICLE})$`,
  'u',
);
const APPOSED = new RegExp(`(${GROUP}|${OWN})(?:,| ?\\(| [–—-]|:) ?(${ARTICLE})$`, 'u');
const OPENING =
  /^(?:(?:["'(]|[-–—>] |\[[ xX]\] |[Cc]urrently,? |[Nn]ow,? |[Pp]resently,? |[Aa]lso,? |[Tt]oday,? |[Ss]till,? |[Ff]ormerly,? |[Pp]reviously,? |[Oo]nce |(?:Current )?(?:[Rr]ole|[Tt]itle|[Pp]osition|[Jj]ob|[Oo]ccupation|[Ww]ork|[Bb]io|[Aa]bout|[Ww]ho|[Ss]ummary) ?[:–—-] ?|\d{4}(?:[-–]\d\d)* ?[:–—|-] ?))*((?:[Aa]n?|[Tt]he) )?$/;
const JOINED_ON = new RegExp(
  `(?:,| and|, and| &|;) (${ADVERBS}(?:(?:is|was|serves as|works as|served as|worked as) )?${ARTICLE})$`,
  'u',
);
const AS_ROLE = new RegExp(
  `\\b(?:join(?:ed|s)|serv(?:ed|es|ing)|work(?:ed|s|ing)|hired|appointed|named|return(?:ed|s)|continu(?:ed|es)|start(?:ed|s)|began|promoted|elected|stay(?:ed|s) on|acts?|acted)(?: [^.;]{0,40})? as ${ARTICLE}$`,
  'u',
);

interface Around {
  readonly after: string;
  readonly speech: Speech;
  readonly earlier: Earlier | undefined;
}

/** Reads the words before a role backwards: its modifiers, then the copula, comma or sentence start that it hangs on. */
function placeOf(text: string, at: number, role: string, { after, speech, earlier }: Around): Place | undefined {
  const start = clauseStart(text, at);
  const left = text.slice(start, at);
  const { base, modifiers } = takeModifiers(left);
  const copular = COPULAR.exec(base);
  if (copular) return fromWords(copular, base, { modifiers, speech });
  const apposed = APPOSED.exec(base);
  if (apposed) return fromWords(apposed, base, { modifiers, speech });
  const opening = OPENING.exec(base);
  if (opening && start === 0) {
    const known =
      modifiers === '' ||
      opening[1] !== undefined ||
      ROLE_OPENERS.has(modifiers.split(' ')[0]!.toLowerCase()) ||
      ROLE_OPENERS.has(modifiers.toLowerCase()) ||
      /\b(?:former|ex|previous)\b/i.test(modifiers) ||
      classOfRole(role) !== 'staff';
    return speech.implied && known && !goesOn(after)
      ? { ends: [SELF_END], between: base, before: '', modifiers, many: false }
      : undefined;
  }
  const joined = JOINED_ON.exec(base) ?? AS_ROLE.exec(base);
  if (!joined) return undefined;
  const subject =
    findSubject(text, start + joined.index + 1, speech, earlier) ??
    joinedTo(text, start + base.length, speech, earlier);
  return (
    subject && {
      ends: subject.ends,
      between: `${subject.between} ${joined[0]}`,
      before: subject.before,
      modifiers,
      many: false,
    }
  );
}

/** The subject of the clause as if a verb stood at `at`. */
function joinedTo(text: string, at: number, speech: Speech, earlier: Earlier | undefined) {
  return findSubject(
    `${text.slice(0, at).replace(/[ ,;]*(?:and|&)?[^\s,;]*(?: as)? (?:an?|the|its|their|our)? ?$/u, '')} and `,
    at,
    speech,
    earlier,
  );
}

function fromWords(
  match: RegExpExecArray,
  base: string,
  { modifiers, speech }: { modifiers: string; speech: Speech },
): Place | undefined {
  const before = base.slice(0, match.index);
  if (/[\p{L}\p{N}'-]$/u.test(before)) return undefined;
  // `the brother of A, a manager at B` and `the CEO of A is a partner at B` speak of others.
  if (
    /\b(?:CEO|founder|head|brother|sister|wife|husband|mother|father|son|daughter|friend|colleague|partner|boss|assistant|team|people|members?) (?:of|at|from) $/iu.test(
      before,
    )
  )
    return undefined;
  const many = /^(?:they|[^()]*(?:,| and ))/i.test(match[1]!);
  return { ends: endsOf(match[1]!, speech), between: match[2] ?? '', before, modifiers, many };
}

/** A role that is the subject of a verb speaks of somebody else: `A senior engineer at A told us`. */
function goesOn(after: string): boolean {
  const next = /^ (\p{Ll}+)\b/u.exec(after)?.[1];
  if (
    next === undefined ||
    /^(?:based|focused|located|tasked|dedicated|specialized|specialised|across|plus|besides|as|since)$/.test(next)
  )
    return false;
  return /^(?:is|was|has|had|will|would|can|could|said|told)$/.test(next) || /(?:ed|[^sui]s)$/.test(next);
}

/** Splits off up to five words that can belong to a role. */
function takeModifiers(left: string): { base: string; modifiers: string } {
  let base = left;
  const words: string[] = [];
  while (words.length < 5) {
    const word = /(?:^|[\s(,:])([\p{L}\p{N}][\p{L}\p{N}'&+./-]*)[ -]$/u.exec(base)?.[1];
    if (
      word === undefined ||
      ROLE_STOPS.has(word.toLowerCase()) ||
      /^(?:became|becomes|remains|formerly|previously|currently|now|also|still|once|\d{4})$/i.test(word)
    )
      break;
    words.unshift(word);
    base = base.slice(0, base.length - word.length - 1);
  }
  return { base, modifiers: words.join(' ') };
}

/** `A's CEO B`, `A founder B`, and on a company's page `our CEO B`. */
function readOwned(reading: Reading): Statement[] {
  const { text, speech } = reading;
  return [...text.matchAll(OWNED)].flatMap((match) => {
    const [whole, owner, modifiers, head, more, , holders] = match;
    const before = text.slice(0, match.index);
    const to = /[\ue000-\uf8ff]/.test(owner!) ? [owner!] : speech.company ? [SELF_END] : [];
    const from = endsOf(holders!, speech);
    const past = /\b(?:former|ex|then|late) $|\bex-$/i.test(before) ? 'former ' : '';
    if (
      /[\p{L}]$/u.test(before) ||
      (/^\p{L}/u.test(owner!) === false &&
        !/'s /.test(whole) &&
        /,? $/.test(modifiers!) &&
        /\s(?:and|with)\s$/.test(modifiers!))
    )
      return [];
    const place = { between: '', before };
    const found = { from, to, after: text.slice(match.index + whole.length), place, preposition: '' };
    const roles = [`${past}${modifiers}${head}`, ...splitRoles(more!)];
    return roles.flatMap((role) => stateRole(reading, role, found, true));
  });
}

/** `B is A's CEO`, `B, A's head of sales,`. */
function readIsOwned(reading: Reading): Statement[] {
  const { text, speech } = reading;
  return [...text.matchAll(IS_OWNED)].flatMap((match) => {
    const [whole, holders, copula, owner, modifiers, head, more] = match;
    if (copula === '' && !text.slice(match.index, match.index + whole.length).includes(', ')) return [];
    const after = text.slice(match.index + whole.length);
    if (new RegExp(`^,? ${LINK}`, 'u').test(after)) return [];
    const place = { between: copula ?? '', before: text.slice(0, match.index) };
    const found = { from: endsOf(holders!, speech), to: [owner!], after, place, preposition: '' };
    return [`${modifiers}${head}`, ...splitRoles(more!)].flatMap((role) => stateRole(reading, role, found, true));
  });
}

const BARE = new RegExp(
  `(${GROUP})(?:,? (?:is|are) (?:now |currently |also )?(?:the |our |its |their )?|, (?:the |our |its |their )?| ?\\((?:the |our |its )?)((?:${WORD} ){0,2}?)(${HEAD})(?![\\p{L}])${MORE}(?=$|[.,;)])`,
  'gu',
);
const TITLED = new RegExp(
  `(?:^|[\\s(,])(?:the |our |its |their )?((?:${WORD} ){0,2}?)(${FOUNDER_HEADS}|${LEADER_HEADS})${MORE},? (${GROUP})`,
  'gu',
);

/** On a company's own page a leader's or founder's role needs no complement: `B is the CEO`, `CEO B`, `B (CTO)`. */
function readBareRoles(reading: Reading): Statement[] {
  const { text, speech } = reading;
  if (!speech.company) return [];
  const found = [
    ...[...text.matchAll(BARE)].map((m) => ({
      at: m.index,
      holders: m[1]!,
      role: `${m[2]}${m[3]}`,
      more: m[4]!,
      end: m.index + m[0].length,
    })),
    ...[...text.matchAll(TITLED)].map((m) => ({
      at: m.index,
      holders: m[4]!,
      role: `${m[1]}${m[2]}`,
      more: m[3]!,
      end: m.index + m[0].length,
    })),
  ];
  return found.flatMap(({ at, holders, role, more, end }) => {
    const words = text.slice(at, end);
    if (new RegExp(`${LINK}'s|\\b(?:of|at) ${LINK}`, 'u').test(text)) return [];
    const place = { between: words.replace(/[\ue000-\uf8fe]/g, ' '), before: text.slice(0, at) };
    const holding = { from: endsOf(holders, speech), to: [SELF_END], after: text.slice(end), place, preposition: '' };
    return [role, ...splitRoles(more)]
      .filter((one) => ['founder', 'leader'].includes(classOfRole(one) ?? ''))
      .flatMap((one) => stateRole(reading, one, holding, true));
  });
}
