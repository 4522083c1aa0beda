// Relational questions: which typed links a question walks, from which name. Pure text; knows no page and no index.

/** One step over links: `in` goes from the target to those that point at it. */
export interface Hop {
  /** Link types, the most telling first. */
  readonly types: readonly string[];
  readonly direction: 'in' | 'out';
}

/** A question as a walk: from the page called `seed` over `hops`. */
export interface Relation {
  readonly seed: string;
  readonly hops: readonly Hop[];
}

const WORKS = ['works_at', 'founded', 'yc_partner'];
const STAFF: Hop = { types: WORKS, direction: 'in' };
const EMPLOYER: Hop = { types: WORKS, direction: 'out' };
const INVESTORS: Hop = { types: ['invested_in', 'led_round'], direction: 'in' };
const INVESTMENTS: Hop = { types: ['invested_in', 'led_round'], direction: 'out' };
const FOUNDERS: Hop = { types: ['founded'], direction: 'in' };
const FOUNDED: Hop = { types: ['founded'], direction: 'out' };
const ADVISERS: Hop = { types: ['advises'], direction: 'in' };
const ADVISED: Hop = { types: ['advises'], direction: 'out' };
const ATTENDEES: Hop = { types: ['attended'], direction: 'in' };
const ATTENDED: Hop = { types: ['attended'], direction: 'out' };

const WHO = '(?:who|which (?:people|investors|funds?)|(?:people|everyone|everybody|anyone|investors) who)';
const FIRMS = '(?:the )?(?:compan(?:y|ies)|startups?|firms?)';
const WHICH =
  '(?:what|where|who|which (?:compan(?:y|ies)|startups|firms|meetings?|calls?|events?)|what (?:company|meetings?))';
const PEOPLE = '(?:people|persons?|employees|staff|team(?: members)?|colleagues|contacts|everyone|everybody)';
const BACK = '(?:invest(?:ed)?(?: in)?|back(?:ed)?|fund(?:ed)?)';
const BACKED = '(?:invested in|backed|funded|financed)';
const CAME = '(?:attended|joined|was at|were at|was in|were in|came to|participated in|took part in|went to)';
const FOUND = '(?:co-?found(?:ed)?|found(?:ed)?|start(?:ed)?)';

const pattern = (...parts: string[]): RegExp => new RegExp(`^${parts.join(' ')}$`);

/** What asks (`who works at X`) or describes (`companies X invested in`); X is the first group. */
const PATTERNS: readonly (readonly [RegExp, readonly Hop[]])[] = [
  [
    pattern(
      `(?:${WHO}|who's)(?: is| are| all)?(?: currently)?`,
      '(?:works?|working|worked|employed) (?:at|for|in|by) (.+)',
    ),
    [STAFF],
  ],
  [pattern(`(?:${PEOPLE}|who(?:'s| is)?) (?:at|of|from) (.+)`), [STAFF]],
  [pattern(WHO, '(?:works?|worked) with (.+)'), [EMPLOYER, STAFF]],
  [pattern('(?:colleagues|coworkers|co-workers|teammates) of (.+)'), [EMPLOYER, STAFF]],
  [pattern(`${WHO}(?: has| have)?`, BACKED, '(.+)'), [INVESTORS]],
  [pattern('(?:the )?(?:investors?|backers?) (?:in|of|behind|for) (.+)'), [INVESTORS]],
  [pattern(WHO, '(?:co-?founded|founded|started|created|set up) (.+)'), [FOUNDERS]],
  [pattern('(?:the )?(?:co-?)?founders? of (.+)'), [FOUNDERS]],
  [pattern(`${WHO}(?: is| are)?`, '(?:advis(?:es?|ed|ing)|counsels) (.+)'), [ADVISERS]],
  [pattern('(?:the )?(?:advis[eo]rs?) (?:of|to|at|for) (.+)'), [ADVISERS]],
  [pattern(`${WHO}(?: all)?`, CAME, '(.+)'), [ATTENDEES]],
  [pattern('(?:the )?(?:attendees|participants) (?:of|at|in) (.+)'), [ATTENDEES]],
  [pattern(`${WHICH}(?: all)?`, '(?:did|has|have|does) (.+?)', BACK), [INVESTMENTS]],
  [pattern('(?:the )?(?:investments|portfolio) of (.+)'), [INVESTMENTS]],
  [pattern(`${FIRMS}(?: that| which)?`, '(.+?)', `(?:has |have )?${BACKED}`), [INVESTMENTS]],
  [pattern(`${FIRMS}(?: that are| that were)?`, '(?:backed|funded) by (.+)'), [INVESTMENTS]],
  [pattern(WHICH, '(?:did|has|does) (.+?)', FOUND), [FOUNDED]],
  [pattern(`${FIRMS}(?: that was| that were)?`, '(?:co-?)?founded by (.+)'), [FOUNDED]],
  [pattern(`${FIRMS}(?: that| which)?`, '(.+?) (?:co-?founded|founded|started)'), [FOUNDED]],
  [pattern(WHICH, '(?:does|did|is|has) (.+?) advis(?:e|es|ed|ing)'), [ADVISED]],
  [pattern(`${FIRMS}(?: that| which)?`, '(.+?) advise[sd]'), [ADVISED]],
  [pattern(`${FIRMS}(?: that are)?`, 'advised by (.+)'), [ADVISED]],
  [pattern(WHICH, '(?:does|did|is) (.+?) (?:work(?:s|ing|ed)?|employed)(?: (?:at|for|now))?'), [EMPLOYER]],
  [pattern('(?:the )?(?:employer|company) of (.+)'), [EMPLOYER]],
  [pattern(`(?:${FIRMS}|the place)(?: where| that| which)?`, '(.+?) works?(?: at| for)?'), [EMPLOYER]],
  [pattern(WHICH, '(?:did|has|have|does) (.+?) attend(?:ed)?'), [ATTENDED]],
  [pattern('(?:the )?(?:meetings?|calls?|events?)(?: that| which)?', '(.+?)', '(?:has |have )?attended'), [ATTENDED]],
  [pattern('(?:the )?(?:meetings?|calls?|events?) attended by (.+)'), [ATTENDED]],
  [pattern(WHO, '(?:did|has|have) (.+?) (?:meet|met)(?: with)?'), [ATTENDED, ATTENDEES]],
];

/** Nouns behind a name's possessive. */
const NOUNS: readonly (readonly [RegExp, readonly Hop[]])[] = [
  [/^(?:investors?|backers?)$/, [INVESTORS]],
  [/^(?:co-?)?founders?$/, [FOUNDERS]],
  [/^advis[eo]rs?$/, [ADVISERS]],
  [/^(?:employees|staff|team)$/, [STAFF]],
  [/^(?:colleagues|coworkers|teammates)$/, [EMPLOYER, STAFF]],
  [/^(?:attendees|participants)$/, [ATTENDEES]],
  [/^(?:employer|company)$/, [EMPLOYER]],
  [/^(?:investments|portfolio)$/, [INVESTMENTS]],
];

const HOPS_MAX = 3;

/** The walk that a question asks for, or null when it asks for none. */
export function readRelation(query: string): Relation | null {
  return readPhrase(
    query
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll('’', "'")
      .replace(/\s+/g, ' ')
      .replace(/[?!.\s]+$/, '')
      .trim(),
  );
}

function readPhrase(text: string): Relation | null {
  for (const [pattern, hops] of PATTERNS) {
    const match = pattern.exec(text);
    if (!match) continue;
    const rest = match[1]!.trim();
    const inner = readPhrase(rest);
    if (inner && inner.hops.length + hops.length <= HOPS_MAX)
      return { seed: inner.seed, hops: [...inner.hops, ...hops] };
    return isName(rest) ? { seed: rest, hops } : null;
  }
  return readPossessive(text);
}

/** `X's investors`, `X's company`. */
function readPossessive(text: string): Relation | null {
  const match = /^(?:who (?:is|are) )?(.+?)'s? ([\w-]+)$/.exec(text);
  const found = match && NOUNS.find(([noun]) => noun.test(match[2]!));
  return found && isName(match[1]!) ? { seed: match[1]!, hops: found[1] } : null;
}

const PRONOUNS = new Set(
  'it|them|this|that|he|she|they|us|we|you|him|her|there|here|the company|the team|home|work|all|everyone|people'.split(
    '|',
  ),
);

/** A pronoun or a generic word names nobody: such a question is left to the text. */
const isName = (text: string): boolean => text !== '' && !PRONOUNS.has(text);
