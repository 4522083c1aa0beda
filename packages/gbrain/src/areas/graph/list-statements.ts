// Reads what labels and headings state of the references that stand behind or below them: `Attendees: A, B`, `##
// Investors`, `works_at: A`. It knows the page's kind and no other page.

import { PAST } from './lexicon.ts';
import type { MentionBlock } from './mentions.ts';
import { classOfRole, ROLE_MEANINGS } from './roles.ts';
import type { Kind } from './rules.ts';
import { type End, endsOf, type Reading, SELF_END } from './subjects.ts';
import type { Statement } from './verb-statements.ts';

/** What a page is, as far as relations ask. */
export type PageKind = 'person' | 'org' | 'meeting' | 'deal' | 'media' | 'image' | 'other';

interface Label {
  readonly id: string;
  readonly words: RegExp;
  readonly on: readonly PageKind[];
  readonly linkType: string;
  /** The references are the subjects, the page the object. */
  readonly incoming: boolean;
  readonly from: Kind;
  readonly to: Kind;
  readonly lasts: Statement['lasts'];
  /** References may stand among other words, as in an attendance list. */
  readonly loose?: boolean;
}

const word = (source: string) => new RegExp(`^(?:${source})$`, 'iu');

/** Labels and headings that state a relation. Source: engine facts, D.1; attendance only by explicit lists. */
const LABELS: readonly Label[] = [
  {
    id: 'attendees',
    words: word(
      '(?:list of )?(?:attendees?|participants?|present|people present|those present|in attendance|' +
        'attending|attended(?: by)?|who (?:attended|was there)|panell?ists?|参会人员|参会人|参会者|与会者|与会人员|与会|出席|出席者|' +
        '出席人员|参加人员|参加者|参加人|参与者|参与人|参会|参加|출석자|참석자|참석|참가자'.concat(')'),
    ),
    on: ['meeting'],
    linkType: 'attended',
    incoming: true,
    from: 'person',
    to: 'meeting!',
    lasts: 'event',
    loose: true,
  },
  {
    id: 'founders',
    words: word('(?:the )?(?:co-?)?founders?|(?:co-?)?founded by|founding team|创始人|联合创始人|创办人'),
    on: ['org'],
    linkType: 'founded',
    incoming: true,
    from: 'party',
    to: 'org',
    lasts: 'event',
  },
  {
    id: 'companies-founded',
    words: word('(?:co-?)?founded|(?:co-?)?founder of|companies (?:co-?)?founded|founded companies|创办|创立'),
    on: ['person'],
    linkType: 'founded',
    incoming: false,
    from: 'party',
    to: 'org',
    lasts: 'event',
  },
  {
    id: 'investors',
    words: word(
      '(?:(?:key|current|existing|angel|seed|major|notable|early|first|main|lead) )?(?:investors?|backers?|' +
        'shareholders?)|backed ' +
        'by|funded by|cap table|investors and backers|投资人|投资方|投资者|股东',
    ),
    on: ['org', 'deal'],
    linkType: 'invested_in',
    incoming: true,
    from: 'party',
    to: 'any',
    lasts: 'event',
  },
  {
    id: 'round-lead',
    words: word('(?:round )?lead(?: investor)?|led by|领投|领投方'),
    on: ['deal'],
    linkType: 'led_round',
    incoming: true,
    from: 'party',
    to: 'any',
    lasts: 'event',
  },
  {
    id: 'portfolio',
    words: word(
      '(?:current )?(?:portfolio(?: companies)?|(?:angel |notable |seed )?investments?|investor in|' +
        'invested in|angel investor in|backer of)|投资|投资组合',
    ),
    on: ['person', 'org'],
    linkType: 'invested_in',
    incoming: false,
    from: 'party',
    to: 'org',
    lasts: 'event',
  },
  {
    id: 'advisers',
    words: word('(?:(?:our|board of|scientific|technical|key) )?advis[eo]rs?|advisory board|advised by|顾问'),
    on: ['org'],
    linkType: 'advises',
    incoming: true,
    from: 'party',
    to: 'any',
    lasts: 'state',
  },
  {
    id: 'advises',
    words: word('advises|advis[eo]r (?:to|of|at)|advisory (?:roles?|work|positions?)|advising'),
    on: ['person'],
    linkType: 'advises',
    incoming: false,
    from: 'party',
    to: 'any',
    lasts: 'state',
  },
  {
    id: 'team',
    words: word(
      '(?:(?:the|our|core|current|leadership|management|executive|founding) )?(?:team(?: members?)?|' +
        'employees|staff|leadership|management|executives|key people|people)|who works here|团队|团队成员|员工|成员',
    ),
    on: ['org'],
    linkType: 'works_at',
    incoming: true,
    from: 'person',
    to: 'org',
    lasts: 'state',
  },
  {
    id: 'employer',
    words: word(
      '(?:current )?(?:employer|company|workplace|organi[sz]ation|affiliation|firm)|works (?:at|for)|' +
        'working (?:at|for)|currently at|employed (?:at|by)|公司|单位|任职|就职于|任职于',
    ),
    on: ['person'],
    linkType: 'works_at',
    incoming: false,
    from: 'person',
    to: 'org',
    lasts: 'state',
  },
];

/** Words of a relation's own name as a label, on any page: `works_at: [[x]]`, `> invested in:: [[x]]`. */
const TYPE_NAMES: Readonly<Record<string, readonly [from: Kind, to: Kind]>> = {
  works_at: ['person', 'org'],
  founded: ['party', 'org'],
  invested_in: ['party', 'any'],
  advises: ['party', 'any'],
  attended: ['person', 'meeting!'],
  led_round: ['party', 'any'],
  discussed_in: ['any', 'any'],
  related_to: ['any', 'any'],
  yc_partner: ['party', 'org'],
  source: ['any', 'any'],
  image_of: ['any', 'any'],
};

/** One reference, or a list that is one unit. */
const LIST = '[\\ue000-\\uf7ff]';
const LEAD = '(?:[-–—>•|] ?|\\[[ xX]\\] |\\d{4}-\\d\\d-\\d\\d ?[|–—-] ?)*';
const LABELLED = new RegExp(
  `^${LEAD}([\\p{L}_][\\p{L}\\p{M} _/&-]{0,40}?) ?(?:\\(\\d+\\) ?)?(?:::|:|：|\\||–|—| -) ?(.+)$`,
  'u',
);
const ITEM_GROUP = new RegExp(`^${LEAD}(?:(?:Mr|Ms|Mrs|Dr|Prof)\\.? )?(${LIST})`, 'u');
const ABSENT = new RegExp(
  String.raw`\b(?:absent|regrets|apolog(?:y|ies)|not present|did(?:n't| not) (?:attend|join|come)|unable to ` +
    String.raw`attend|excused|declined|no-show|invited only)\b|缺席|请假|未参加|未出席`,
  'iu',
);

/** `Its investors include A and B`: the label is the subject of a sentence. */
const SAID_LABEL = new RegExp(
  String.raw`^(?:(?:Its|Her|His|Their|The|Our|The company's|\uf8ff's) )?([A-Za-z][A-Za-z -]{2,40}?) (?:include|` +
    String.raw`includes|are|is) (.+)$`,
);

/** Statements of a label that opens `single`, a sentence whose lists are not yet one unit; undefined when none does. */
export function readLabel(single: string, kind: PageKind): Statement[] | undefined {
  const match = (/[:：|–—-]/.test(single.slice(0, 60)) ? LABELLED.exec(single) : null) ?? SAID_LABEL.exec(single);
  if (!match) return undefined;
  const [, label, rest] = match;
  if (!/[\ue000-\uefff]/.test(rest!)) return undefined;
  const typed = typedLabel(label!, rest!);
  if (typed) return typed;
  const found = LABELS.find(({ words, on }) => on.includes(kind) && words.test(label!.trim()));
  if (found) return stateList(found, listed(rest!, found), rest!);
  return kind === 'org' ? roleLabel(label!, rest!) : undefined;
}

/** Statements of a heading for a block below it that begins with references. */
export function readSection(reading: Reading, block: MentionBlock, kind: PageKind): Statement[] {
  if (block.section === '' || block.kind === 'heading') return [];
  const heading = block.section
    .replace(/[*_#:：]/g, '')
    .replace(/\(\d+\)/, '')
    .trim();
  const found = LABELS.find(({ words, on }) => on.includes(kind) && words.test(heading));
  if (!found) return [];
  const group = ITEM_GROUP.exec(reading.text)?.[1];
  return group === undefined || ABSENT.test(reading.text) ? [] : stateList(found, endsOf(reading, group), reading.text);
}

function typedLabel(label: string, rest: string): Statement[] | undefined {
  const linkType = label
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  const kinds = Object.hasOwn(TYPE_NAMES, linkType) ? TYPE_NAMES[linkType] : undefined;
  // `Source:` and `Founded:` are ordinary labels too; as a type's name it has the underscore or stands for nothing
  // else.
  if (!kinds || !/_| (?:in|at|to) ?/.test(`${label} `) || !isList(rest)) return undefined;
  const [fromKind, toKind] = kinds;
  return [{ linkType, from: [SELF_END], to: linksOf(rest), fromKind, toKind, reason: 'label-type', lasts: 'event' }];
}

/** `CEO: A` on a company's page. */
function roleLabel(label: string, rest: string): Statement[] | undefined {
  const roleClass = classOfRole(label);
  if ((roleClass !== 'leader' && roleClass !== 'founder') || /\bformer|\bex-|\bprevious/i.test(label) || !isList(rest))
    return undefined;
  const [linkType, lasts] =
    roleClass === 'founder' ? (['founded', 'event'] as const) : (['works_at', 'state'] as const);
  return [
    { linkType, from: linksOf(rest), to: [SELF_END], fromKind: 'person', toKind: 'org', reason: 'label-role', lasts },
  ];
}

function stateList(label: Label, ends: readonly End[], words: string): Statement[] {
  if (ends.length === 0 || (label.lasts === 'state' && PAST.test(words))) return [];
  const [from, to] = label.incoming ? [ends, [SELF_END]] : [[SELF_END], ends];
  const { linkType, from: fromKind, to: toKind, lasts, id } = label;
  return [{ linkType, from, to, fromKind, toKind, lasts, reason: `label-${id}` }];
}

/** The references that a label covers: all up to a word of absence, or none when the rest is a sentence. */
function listed(rest: string, { loose }: Label): End[] {
  const absent = ABSENT.exec(rest);
  const covered = absent ? rest.slice(0, absent.index) : rest;
  return loose || isList(covered) ? linksOf(covered) : [];
}

const SENTENCE_WORD =
  /\b(?:is|was|are|were|will|would|has|have|had|said|says|should|might|because|that|which|when|where)\b/;

/** True for references with little between them: no verb, no more than six words. */
function isList(text: string): boolean {
  if (SENTENCE_WORD.test(text)) return false;
  return text
    .split(/[\ue000-\uf8fe]/)
    .every((gap) => gap.split(/\s+/).filter((part) => /\p{L}/u.test(part)).length <= 6);
}

function linksOf(text: string): End[] {
  return text.match(/[\ue000-\uf8fe]/g) ?? [];
}

const BARE_GROUP = new RegExp(`^${LEAD}(${LIST})[.;]?$`, 'u');
const ROLE_THEN_GROUP = new RegExp(
  `^${LEAD}([\\p{L}][\\p{L}\\p{N}&/ -]{1,60}?)(?:,| [–—|@-]| \\|) ?(${LIST})[.;]?$`,
  'u',
);

/**
 * What a line without a verb states near the head of a person's page: `Senior engineer, [[A]]`, or bare references
 * under a page whose frontmatter says what the person is. `role` is that frontmatter field.
 */
export function readBareLine(reading: Reading, role: string | undefined): Statement[] {
  const worded = ROLE_THEN_GROUP.exec(reading.text);
  if (worded) return stateLine(reading, worded[1]!, worded[2]!, 'line-role');
  const bare = BARE_GROUP.exec(reading.text);
  return bare && role !== undefined ? stateLine(reading, role, bare[1]!, 'prior-role') : [];
}

function stateLine(reading: Reading, role: string, group: string, reason: string): Statement[] {
  const roleClass = classOfRole(role);
  if (!roleClass || /\b(?:former|previous|ex|past|retired)\b/i.test(role)) return [];
  const { linkType, lasts, from: fromKind } = ROLE_MEANINGS[roleClass];
  // Nothing but a comma says that this is a place of work, so the page has to be known as one.
  return [{ linkType, from: [SELF_END], to: endsOf(reading, group), fromKind, toKind: 'org!', reason, lasts }];
}
