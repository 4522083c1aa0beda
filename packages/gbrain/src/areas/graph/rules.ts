// The table of verb rules: which words state which relation, in which direction, and what the words may be said of.
// Data only; statements.ts reads it.

import { COMPANY_OBJECT, NAME, WORD } from './lexicon.ts';

/** What an end of an edge has to be. `org!` must be known as one, the others are only kept from being another thing. */
export type Kind = 'person' | 'org' | 'org!' | 'party' | 'meeting!' | 'work!' | 'any';

/** One rule: `subject verb object`, or `object verb by subject` when `passive`. */
export interface VerbRule {
  /** Names the rule in the `reason` of an edge. */
  readonly id: string;
  readonly linkType: string;
  /** Pattern of the verb, inflected; base forms are left out, so that wishes and plans do not match. */
  readonly verb: string;
  /** A state ends when the text says so; an event that happened stays true. */
  readonly lasts: 'state' | 'event';
  readonly from: Kind;
  readonly to: Kind;
  /** The words before the verb are the edge's `to`, those behind it its `from`. */
  readonly passive?: boolean;
  /** What the object may carry: `'s seed round`. */
  readonly possession?: string;
  /** The object is the page and goes without saying: `B led the seed round` on a company's page. */
  readonly bare?: boolean;
}

const MONEY = '(?:[$€£¥]\\S+|\\d[\\d.,]*\\S*)(?: (?:million|billion|thousand|k|m|bn|dollars|euros|pounds|usd|eur))*';
const ROUND =
  '(?:[Rr]ound|[Ss]eries [A-Ha-h]|[Ss]eed|[Pp]re-[Ss]eed|[Ff]inancing|[Ff]undraise|[Rr]aise|investment round)';
const FEW = `(?:${WORD} )`;

/** Relations that a verb states. The first rule that reads a verb wins it. Source: engine facts, D.1. */
export const VERB_RULES: readonly VerbRule[] = [
  // founded
  {
    id: 'founded',
    linkType: 'founded',
    verb: '(?:co-?)?(?:founded|founds)|incorporated|spun (?:out|up)',
    lasts: 'event',
    from: 'party',
    to: 'org',
  },
  {
    id: 'founded-started',
    linkType: 'founded',
    verb: '(?:co-?)?(?:started|launched|established|created)|set up',
    lasts: 'event',
    from: 'party',
    to: 'org!',
  },
  {
    id: 'founded-by',
    linkType: 'founded',
    verb:
      `(?:co-?)?(?:founded|incorporated|established)(?: (?:in|on|around) (?:[A-Z][a-z]+ )?(?:[a-z]+ ` +
      `)?\\d{4}(?:-\\d\\d){0,2}| in [A-Z][a-z]+(?: in \\d{4})?)?,? by`,
    lasts: 'event',
    from: 'party',
    to: 'org',
    passive: true,
  },
  {
    id: 'founded-started-by',
    linkType: 'founded',
    verb: '(?:started|launched|created|set up)(?: in \\d{4})? by',
    lasts: 'event',
    from: 'party',
    to: 'org!',
    passive: true,
  },
  // rounds
  {
    id: 'led-round',
    linkType: 'led_round',
    verb:
      `(?:co-?)?(?:led|leads|anchored) (?:the |a |an |its |their )?${FEW}{0,4}?${ROUND}(?: round)?,? (?:of|` +
      `in|for|into|at)`,
    lasts: 'event',
    from: 'party',
    to: 'org',
  },
  {
    id: 'led-round-of',
    linkType: 'led_round',
    verb: '(?:co-?)?(?:led|leads|anchored)',
    lasts: 'event',
    from: 'party',
    to: 'org',
    possession: `'s? ${FEW}{0,4}?${ROUND}`,
  },
  {
    id: 'led-round-by',
    linkType: 'led_round',
    verb: `${ROUND}(?: round)?(?: (?:was|is))?,? (?:which was )?(?:co-?)?led by`,
    lasts: 'event',
    from: 'party',
    to: 'org',
    passive: true,
  },
  {
    id: 'led-round-here',
    linkType: 'led_round',
    verb:
      `(?:co-?)?(?:led|leads|anchored) (?:the|our|its|a|an|their) ${FEW}{0,4}?${ROUND}(?: round)?(?! ` +
      `?(?:of|in|for|into|at) )`,
    lasts: 'event',
    from: 'party',
    to: 'org',
    bare: true,
  },
  {
    id: 'invested-round-here',
    linkType: 'invested_in',
    verb:
      `(?:invested|participated|joined|came) in (?:the|our|its|a|an|their) ${FEW}{0,4}?${ROUND}(?: round)?(?! ?(?:of|` +
      `in|for|into|at) )`,
    lasts: 'event',
    from: 'party',
    to: 'org',
    bare: true,
  },
  // invested_in
  {
    id: 'invested-in',
    linkType: 'invested_in',
    verb: `(?:re-?|co-?)?invest(?:ed|s)(?: (?:an?|another|over|about|around|nearly) )?(?: ?${MONEY})? (?:in|into)`,
    lasts: 'event',
    from: 'party',
    to: 'org',
    possession: `'s? ${FEW}{0,4}?${ROUND}`,
  },
  {
    id: 'invested-backed',
    linkType: 'invested_in',
    verb: '(?:backed|backs|bankrolled|bankrolls|funded|funds|financed|seed-funded|angel-invested in)',
    lasts: 'event',
    from: 'party',
    to: 'org!',
    possession: `'s? ${FEW}{0,4}?${ROUND}`,
  },
  {
    id: 'invested-check',
    linkType: 'invested_in',
    verb:
      `(?:wrote (?:a|an|the|their|his|her) ${FEW}{0,4}?(?:check|cheque) (?:to|for|into|in)|put ${MONEY} ` +
      `(?:into|in)|made (?:a|an|the) ${FEW}{0,3}?investment in|bought (?:a ${FEW}{0,3}?stake|shares) (?:in|` +
      `of)|took (?:a|an) ${FEW}{0,3}?stake in|holds (?:a|an) ${FEW}{0,3}?(?:stake|position) in|holds ` +
      `shares (?:in|of)|owns (?:\\S+%|${FEW}{0,3}?(?:percent|shares|stake)) (?:of|in))`,
    lasts: 'event',
    from: 'party',
    to: 'org',
  },
  {
    id: 'invested-round-of',
    linkType: 'invested_in',
    verb: '(?:participated|invested|joined|came) in',
    lasts: 'event',
    from: 'party',
    to: 'org',
    possession: `'s? ${FEW}{0,4}?${ROUND}`,
  },
  {
    id: 'invested-raised-from',
    linkType: 'invested_in',
    verb:
      `(?:raised|raises|secured|closed|received|took) (?:a |an |its |the )?(?:${FEW}{0,3}?(?:${MONEY}|` +
      `${ROUND}|funding|money|capital|investment|backing)(?: (?:${FEW}{0,6}?))?)? ?from`,
    lasts: 'event',
    from: 'party',
    to: 'org',
    passive: true,
  },
  {
    id: 'invested-backed-by',
    linkType: 'invested_in',
    verb: '(?:backed|bankrolled|funded|financed|seeded)(?: in \\d{4})? by',
    lasts: 'event',
    from: 'party',
    to: 'org',
    passive: true,
  },
  {
    id: 'invested-include',
    linkType: 'invested_in',
    verb: '(?:counts|has|lists) (?:as (?:its )?(?:investors|backers)|among its (?:investors|backers))',
    lasts: 'event',
    from: 'party',
    to: 'org',
    passive: true,
  },
  // advises
  {
    id: 'advises',
    linkType: 'advises',
    verb: '(?:advises|(?:is|are|been) advising|(?:has|have) (?:also |long |been )*advised|mentors|coaches|counsels)',
    lasts: 'state',
    from: 'party',
    to: 'any',
  },
  { id: 'advises-plural', linkType: 'advises', verb: 'advise', lasts: 'state', from: 'party', to: 'org!' },
  {
    id: 'advises-board',
    linkType: 'advises',
    verb:
      '(?:sits|serves|is|are|joined|chairs) (?:on )?(?:the |its )?(?:scientific |technical |medical |' +
      'strategic )?advisory (?:board|council|committee) (?:of|at|for)',
    lasts: 'state',
    from: 'party',
    to: 'org',
  },
  {
    id: 'advised-by',
    linkType: 'advises',
    verb: '(?:advised|mentored|coached) by',
    lasts: 'state',
    from: 'party',
    to: 'any',
    passive: true,
  },
  // works_at
  {
    id: 'works-at',
    linkType: 'works_at',
    verb:
      '(?:works|(?:is|are|been) working|(?:is|are) employed|(?:is|are) interning|interns|teaches|clerks|' +
      '(?:has|have) (?:been employed|interned))(?: (?:full-time|part-time|remotely|mostly|directly|as ' +
      '(?:an? |the )?[A-Za-z -]{2,40}?))? (?:at|for|by)',
    lasts: 'state',
    from: 'person',
    to: 'org',
  },
  {
    id: 'works-since',
    linkType: 'works_at',
    verb: '(?:has|have) (?:worked|served) (?:at|for)(?= [\\ue000-\\uf8fe][^.]{0,20} (?:since|for) )',
    lasts: 'state',
    from: 'person',
    to: 'org',
  },
  { id: 'works-at-plural', linkType: 'works_at', verb: 'work (?:at|for)', lasts: 'state', from: 'person', to: 'org!' },
  {
    id: 'works-is-at',
    linkType: 'works_at',
    verb:
      '(?:(?:is|are|has been|have been) (?:now |currently |still )?(?:at|with))(?= [\\ue000-\\uf8fe](?:$|' +
      '[.,;)]| (?:as|since|now|these days|where|in|for)\\b))',
    lasts: 'state',
    from: 'person',
    to: 'org!',
  },
  {
    id: 'works-joined',
    linkType: 'works_at',
    verb: '(?:re-?)?(?:joined|joins)',
    lasts: 'event',
    from: 'person',
    to: 'org',
  },
  {
    id: 'works-started-at',
    linkType: 'works_at',
    verb:
      '(?:started (?:work |working |out )?(?:at|with)|began (?:work |working )?(?:at|with)|moved (?:over ' +
      ')?to|switched to|transferred to|signed on (?:with|at)|went to work (?:at|for))',
    lasts: 'event',
    from: 'person',
    to: 'org!',
  },
  {
    id: 'works-leads-at',
    linkType: 'works_at',
    verb:
      `(?:leads|runs|heads|manages|oversees|directs|handles|coordinates|supervises|builds|designs|develops|` +
      'maintains|practices|practises|does|works in|works on|(?:is|are|been) (?:leading|running|heading|managing|' +
      'overseeing|directing|handling|coordinating|building|designing|developing)) ' +
      `(?:(?!at |for |with |by )${WORD},? ){1,7}at`,
    lasts: 'state',
    from: 'person',
    to: 'org!',
  },
  {
    id: 'works-runs',
    linkType: 'works_at',
    verb: '(?:(?:co-?)?(?:runs|leads|heads|manages|owns|chairs))(?: up)?',
    lasts: 'state',
    from: 'person',
    to: 'org!',
  },
  {
    id: 'works-hired',
    linkType: 'works_at',
    verb: '(?:(?:re)?hired|recruited|employs|poached|brought on|appointed|promoted)',
    lasts: 'event',
    from: 'person',
    to: 'org',
    passive: true,
  },
  {
    id: 'works-hired-by',
    linkType: 'works_at',
    verb: '(?:was|were|got|been|is|are) (?:(?:re)?hired|recruited|employed|poached|appointed) (?:by|at)',
    lasts: 'event',
    from: 'person',
    to: 'org',
  },
  {
    id: 'works-led-by',
    linkType: 'works_at',
    verb: '(?:is|are|now) (?:led|run|headed|managed) by',
    lasts: 'state',
    from: 'person',
    to: 'org!',
    passive: true,
  },
  {
    id: 'works-unlisted',
    linkType: 'works_at',
    verb:
      `(?:is|has been) (?:now |currently |still )?an? (?!(?:${WORD} ){0,4}(?:guest|speaker|customer|client|` +
      `user|visitor|student|patient|regular|fan|critic|alumnus|alumna|graduate|member|shareholder|investor|` +
      `candidate|applicant|tenant|name|part|success|pilot|meeting|visit|panel|talk|session|problem|project|` +
      `friend|observer|advis[eo]r|mentor|founder|co-founder) at )(?:${WORD} ){1,5}at`,
    lasts: 'state',
    from: 'person',
    to: 'org!',
  },
  // attended
  {
    id: 'attended',
    linkType: 'attended',
    verb:
      '(?:attended|attends|joined|participated in|took part in|sat in on|spoke at|presented at|presented ' +
      'in|hosted|chaired|moderated|facilitated|(?:was|were)(?: also)?(?: present)? (?:at|in)|came to|' +
      'dialed into|dialled into|called into|represented us at)',
    lasts: 'event',
    from: 'person',
    to: 'meeting!',
  },
  {
    id: 'attended-by',
    linkType: 'attended',
    verb: '(?:attended|joined|hosted|chaired|moderated|facilitated) by',
    lasts: 'event',
    from: 'person',
    to: 'meeting!',
    passive: true,
  },
  // cited
  {
    id: 'cited',
    linkType: 'cited',
    verb: '(?:cites|cited|citing|quotes|quoted|quotes from|quoted from|references)',
    lasts: 'event',
    from: 'any',
    to: 'work!',
  },
];

/** Words that say somebody left, for which nothing is stated; they also end what `joined` stated. */
export const DEPARTURE: VerbRule = {
  id: 'left',
  linkType: 'works_at',
  verb:
    '(?:left|departed(?: from)?|quit|resigned from|retired from|stepped (?:down|away|back) from|(?:was|' +
    'were|got) (?:fired|let go|laid off|dismissed) (?:from|by|at)|parted ways with|moved on from|no ' +
    'longer works (?:at|for)|(?:is|are) no longer (?:at|with)|is leaving)',
  lasts: 'event',
  from: 'person',
  to: 'org',
};

/** What a rule's object may be: references, or words for the page. */
export const OBJECT = `(?:${NAME}|${COMPANY_OBJECT})`;
