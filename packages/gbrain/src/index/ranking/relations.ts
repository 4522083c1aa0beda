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

/** A pattern of a whole phrase, written in parts. */
const phrase = (...parts: readonly RegExp[]): RegExp => new RegExp(`^${parts.map(({ source }) => source).join('')}$`);

/** What asks (`who works at X`) or describes (`companies X invested in`); X is the first group. */
const PATTERNS: readonly (readonly [RegExp, readonly Hop[]])[] = [
  [
    phrase(
      /(?:who(?:'s| is| are| all)?|which people|people who|everyone who|everybody who|anyone who)/,
      / (?:currently )?(?:works?|working|worked|employed) (?:at|for|in|by) (.+)/,
    ),
    [STAFF],
  ],
  [
    phrase(
      /(?:people|persons?|employees|staff|team(?: members)?|colleagues|contacts|everyone|everybody|who(?:'s| is)?)/,
      / (?:at|of|from) (.+)/,
    ),
    [STAFF],
  ],
  [/^(?:who|which people|people who|everyone who) (?:works?|worked) with (.+)$/, [EMPLOYER, STAFF]],
  [/^(?:colleagues|coworkers|co-workers|teammates) of (.+)$/, [EMPLOYER, STAFF]],
  [
    phrase(
      /(?:who|which (?:people|investors|funds?)|people who|investors who)/,
      / (?:has |have )?(?:invested in|backed|funded|financed) (.+)/,
    ),
    [INVESTORS],
  ],
  [/^(?:the )?(?:investors?|backers?) (?:in|of|behind|for) (.+)$/, [INVESTORS]],
  [/^(?:who|people who) (?:co-?founded|founded|started|created|set up) (.+)$/, [FOUNDERS]],
  [/^(?:the )?(?:co-?)?founders? of (.+)$/, [FOUNDERS]],
  [/^(?:who|people who) (?:is |are )?(?:advis(?:es?|ed|ing)|counsels) (.+)$/, [ADVISERS]],
  [/^(?:the )?(?:advis[eo]rs?) (?:of|to|at|for) (.+)$/, [ADVISERS]],
  [
    phrase(
      /(?:who|which people|people who) (?:all )?/,
      /(?:attended|joined|was at|were at|was in|were in|came to|participated in|took part in|went to) (.+)/,
    ),
    [ATTENDEES],
  ],
  [/^(?:the )?(?:attendees|participants) (?:of|at|in) (.+)$/, [ATTENDEES]],
  [
    phrase(
      /(?:what|which (?:companies|startups|firms)|where)(?: all)?/,
      / (?:did|has|have|does) (.+?) (?:invest(?:ed)?(?: in)?|back(?:ed)?|fund(?:ed)?)/,
    ),
    [INVESTMENTS],
  ],
  [/^(?:the )?(?:investments|portfolio) of (.+)$/, [INVESTMENTS]],
  [
    phrase(
      /(?:the )?(?:compan(?:y|ies)|startups?|firms?)(?: that| which)?/,
      / (.+?) (?:has |have )?(?:invested in|backed|funded)/,
    ),
    [INVESTMENTS],
  ],
  [/^(?:the )?(?:compan(?:y|ies)|startups?|firms?)(?: that are| that were)? (?:backed|funded) by (.+)$/, [INVESTMENTS]],
  [
    phrase(
      /(?:what|which (?:companies|startups|firms)|who) (?:did|has|does)/,
      / (.+?) (?:co-?found(?:ed)?|found(?:ed)?|start(?:ed)?)/,
    ),
    [FOUNDED],
  ],
  [/^(?:the )?(?:compan(?:y|ies)|startups?|firms?)(?: that was| that were)? (?:co-?)?founded by (.+)$/, [FOUNDED]],
  [/^(?:the )?(?:compan(?:y|ies)|startups?|firms?)(?: that| which)? (.+?) (?:co-?founded|founded|started)$/, [FOUNDED]],
  [/^(?:what|who|which (?:companies|startups|firms)) (?:does|did|is|has) (.+?) advis(?:e|es|ed|ing)$/, [ADVISED]],
  [/^(?:the )?(?:compan(?:y|ies)|startups?|firms?)(?: that| which)? (.+?) advise[sd]$/, [ADVISED]],
  [/^(?:the )?(?:compan(?:y|ies)|startups?|firms?)(?: that are)? advised by (.+)$/, [ADVISED]],
  [
    phrase(
      /(?:where|what company|which company|who) (?:does|did|is)/,
      / (.+?) (?:work(?:s|ing|ed)?|employed)(?: (?:at|for|now))?/,
    ),
    [EMPLOYER],
  ],
  [/^(?:the )?(?:employer|company) of (.+)$/, [EMPLOYER]],
  [/^(?:the )?(?:compan(?:y|ies)|place|firms?)(?: where| that| which)? (.+?) works?(?: at| for)?$/, [EMPLOYER]],
  [/^(?:what|which)(?: meetings?| calls?| events?)? (?:did|has|have|does) (.+?) attend(?:ed)?$/, [ATTENDED]],
  [/^(?:the )?(?:meetings?|calls?|events?)(?: that| which)? (.+?) (?:has |have )?attended$/, [ATTENDED]],
  [/^(?:the )?(?:meetings?|calls?|events?) attended by (.+)$/, [ATTENDED]],
  [/^(?:who|which people) (?:did|has|have) (.+?) (?:meet|met)(?: with)?$/, [ATTENDED, ATTENDEES]],
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

const POSSESSED = [
  'investors|backers|founders?|advis[eo]rs?|employees|staff|team|colleagues',
  'investments|portfolio|employer|company|attendees',
];
const POSSESSIVE = new RegExp(`^(?:who (?:is|are) )?(.+?)'s? (${POSSESSED.join('|')})$`);

/** `X's investors`, `X's company`. */
function readPossessive(text: string): Relation | null {
  const match = POSSESSIVE.exec(text);
  if (!match) return null;
  const noun = match[2]!;
  const hops = /^(investors|backers)$/.test(noun)
    ? [INVESTORS]
    : /^founder/.test(noun)
      ? [FOUNDERS]
      : /^advis/.test(noun)
        ? [ADVISERS]
        : /^(employees|staff|team)$/.test(noun)
          ? [STAFF]
          : noun === 'colleagues'
            ? [EMPLOYER, STAFF]
            : noun === 'attendees'
              ? [ATTENDEES]
              : /^(employer|company)$/.test(noun)
                ? [EMPLOYER]
                : [INVESTMENTS];
  return isName(match[1]!) ? { seed: match[1]!, hops } : null;
}

const PRONOUNS = ['it', 'them', 'this', 'that', 'he', 'she', 'they', 'us', 'we', 'you', 'him', 'her'];
const PLACES = ['there', 'here', 'the company', 'the team', 'home', 'work', 'all', 'everyone', 'people'];
const NOBODY: ReadonlySet<string> = new Set([...PRONOUNS, ...PLACES]);

/** A pronoun or a generic word names nobody: such a question is left to the text. */
const isName = (text: string): boolean => text !== '' && !NOBODY.has(text);
