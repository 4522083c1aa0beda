// Decides whether a role is held and what holding it states. It is given the words around the role and reads no
// sentence.

import { DOUBT, DOUBT_BEFORE, GONE_AFTER, PAST, PAST_AFTER } from './lexicon.ts';
import { classOfRole, isRoleWord, ROLE_MEANINGS } from './roles.ts';
import type { End, Reading } from './subjects.ts';
import type { Statement } from './verb-statements.ts';

/** What stands around a role that decides whether somebody holds it. */
export interface Holding {
  readonly from: readonly End[];
  readonly to: readonly End[];
  readonly between: string;
  readonly before: string;
  readonly after: string;
  /** Empty where the role has none, as in `A's founder`. */
  readonly preposition: string;
}

/** True for a role in the plural, which no single holder has. */
export function isPlural(word: string): boolean {
  return /[a-z]s$/.test(word) && isRoleWord(word.slice(0, -1));
}

/** The further roles in ` and co-founder` or `, chairman and CEO`. */
export function splitRoles(more: string): string[] {
  return more.split(/,? and |, | & |\//).filter((role) => role.trim() !== '');
}

/** What `role` states when it is held; `shared` when it stands among several that share a preposition. */
export function stateRole(reading: Reading, role: string, holding: Holding, shared: boolean): Statement[] {
  const roleClass = classOfRole(role);
  const { from, to, preposition } = holding;
  if (!roleClass || from.length === 0 || to.length === 0) return [];
  // `investor at a fund` works there, and so does `founding engineer`.
  const employed = roleClass === 'investor' && /^(?:at|with)$/.test(preposition);
  const name = employed ? 'staff' : roleClass;
  const { linkType, lasts, from: fromKind, to: toKind, prepositions } = ROLE_MEANINGS[name];
  if (preposition !== '' && !shared && !prepositions.test(preposition)) return [];
  if (!isHeld(reading, role, lasts, holding)) return [];
  return [{ linkType, from, to, fromKind, toKind, lasts, reason: `role-${name}` }];
}

const NOT_YET = /\b(?:aspiring|future|incoming|candidate|wannabe)\b/i;
const OPENING_ONLY = /^,? (?:candidate|applicant|role|position|job|opening|interview)\b/i;
const NEWLY = /\b(?:became|becomes|promoted|appointed|named|elected|hired|installed|joined|been)\b/;
const SERVED = /\b(?:served|worked|acted|stayed) (?:[a-z]+ )?as\b/;
const FORMER = new RegExp(
  String.raw`\b(?:former|formerly|previous|previously|past|ex|late|retired|then|one-time|onetime|outgoing|` +
    String.raw`erstwhile|emeritus)\b|\bex-`,
  'i',
);
const EARLIER = /\b(?:previously|formerly|before that|earlier|until|back then|at the time|in the past)\b/i;
const STILL = /\b(?:present|current|currently|now|today|ongoing)\b/i;

function isHeld({ text, pastSection }: Reading, role: string, lasts: Statement['lasts'], holding: Holding): boolean {
  const { between, before, after } = holding;
  if (text.endsWith('?') || DOUBT.test(`${between} ${role}`) || NOT_YET.test(role)) return false;
  if (DOUBT_BEFORE.test(before) || OPENING_ONLY.test(after)) return false;
  if (lasts === 'event') return true;
  const gone =
    /\b\d{4} ?[-–—] ?\d{2,4}\b/.test(between) ||
    PAST.test(between.replace(/\bserved as\b/, 'was')) ||
    SERVED.test(between);
  if ((gone && !NEWLY.test(between)) || FORMER.test(role)) return false;
  if (PAST_AFTER.test(after) || GONE_AFTER.test(after) || EARLIER.test(before)) return false;
  return !pastSection || STILL.test(text);
}
