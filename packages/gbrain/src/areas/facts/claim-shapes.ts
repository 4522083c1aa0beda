// The ways in which English sentences state an attribute that has one value at a time. A lexicon: what is not in it
// makes no claim, which costs a report and never a fact. Pure.

/** Attributes of one value. Relations of which there may be several (brother, friend, hobby) are none. */
const ATTRIBUTES = [
  'name|full name|nickname|title|job title|job|role|position|employer|company|manager|boss|line manager|supervisor',
  'email|email address|phone|phone number|phone extension|mobile number|address|home address|home town|hometown|city',
  'location|office|headquarters|hq|desk|room|meeting room|time zone|timezone|birthday|date of birth|age|height|weight',
  'status|state|stage|phase|priority|severity|deadline|due date|start date|end date|launch date|release date|country',
  'expiry date|delivery date|closing date|renewal date|kick-off|kickoff|owner|lead|leader|maintainer|assignee',
  'billing contact|main contact|contact|account manager|point of contact|sponsor|ceo|cto|cfo|coo|chair|chairman',
  'budget|price|cost|rate|fee|salary|revenue|arr|mrr|turnover|headcount|valuation|discount|plan|tier|quota|target',
  'version|latest version|default branch|branch|license|licence|domain|website|url|port|region|language|currency',
  'color|format|frequency|schedule|duration|length|limit|timeout|retention|retention period|payment terms|size',
  'spouse|wife|husband|partner|blood type|shoe size|dietary requirement|seat preference|churn|churn rate|capacity',
  'growth rate|conversion rate|error rate|uptime|latency|nps|score|rating|share price|stock price|interest rate',
  'runway|market share|gross margin|margin|profit|net income|users|active users|customers|burn rate|notice period',
].join('|');
const ATTRIBUTE = `(?<a>(?:favorite|favourite|preferred|default|usual) [\\p{L}-]+(?: [\\p{L}-]+)?|${ATTRIBUTES})`;

const CHANGED = [
  'set|changed|moved|switched|raised|lowered|increased|reduced|cut|postponed|extended|delayed|renamed|updated',
  'brought forward|pushed back|rose|risen|fell|fallen|grew|grown|dropped|went|climbed|shrank|shrunk|risen',
].join('|');
const BECAME =
  '(?:(?:has|have|had|was|were|is|got) )?(?:now |recently |just )?(?:been )?' +
  `(?:${CHANGED})(?: from .{1,60}?)? (?:to|for|until)`;
const REACHED = 'reached|hit|came in at|came to|amounted to|totaled|totalled|averaged';
const IS = 'is now|are now|is currently|is still|is|are|was|were|has been|:|=|remains|stays|stands at|stood at';

/** What stands for a part of a sentence in the rows below. */
const PARTS: Record<string, string> = {
  '{s}': '(?<s>.{1,60}?)',
  '{v}': '(?<v>.+)',
  '{a}': ATTRIBUTE,
  '{is}': `(?:${BECAME}|${REACHED}|${IS})`,
  '{now}': '(?:now |currently |still |no longer |not |does not |do not |only )?',
  '{just}': '(?:has |have |recently |just )*',
  '{new}': '(?:new |latest )?',
};

const STATES = [
  'open|closed|active|inactive|paused|cancelled|canceled|done|delayed|on hold|on track|at risk|approved|rejected',
  'pending|live|deprecated|completed|blocked|in progress|signed|unsigned|overdue|archived|healthy|degraded',
].join('|');
const COUNTED = 'employees|people|staff|members|seats|customers|users|floors|rooms|desks|engineers|offices|stores';

const ALIASES = new Map([
  ['hq', 'headquarters'],
  ['phone number', 'phone'],
  ['email address', 'email'],
  ['boss', 'manager'],
  ['line manager', 'manager'],
  ['supervisor', 'manager'],
  ['hometown', 'home town'],
  ['timezone', 'time zone'],
  ['job title', 'title'],
  ['kickoff', 'start date'],
  ['kick-off', 'start date'],
  ['leader', 'lead'],
  ['licence', 'license'],
  ['wife', 'spouse'],
  ['husband', 'spouse'],
  ['chairman', 'chair'],
  ['company', 'employer'],
  ['home address', 'address'],
  ['date of birth', 'birthday'],
  ['latest version', 'version'],
  ['deadline', 'due date'],
]);

/** Groups of a sentence that fits: `s` whom it is of, `v` the value, `a` the attribute or what goes with it. */
export type Groups = Readonly<Record<string, string | undefined>>;

/** One way to state an attribute. */
export interface ClaimShape {
  pattern: RegExp;
  attribute(groups: Groups): string;
  /** The value is a name, behind which more may be said. */
  isName: boolean;
}

const named = ({ a = '' }: Groups): string => {
  const plain = a.replace(/^(?:favourite|preferred) /u, 'favorite ');
  return ALIASES.get(plain) ?? plain;
};

const ROWS: readonly (readonly [string, string | ((groups: Groups) => string), 'name'?])[] = [
  ["{s}'s? {new}{a} {is} {v}", named],
  ['the {new}{a} (?:of|for|at|in) {s} {is} {v}', named],
  ['(?:the )?{s} {a} {is} {v}', named],
  ['(?:the |their |our |its |his |her |my )?{new}{a} {is} {v}', named],
  ['{s} {now}(?:works?|is working|is employed) (?:at|for|by|with) {v}', 'employer', 'name'],
  ['{s} {just}(?:joined|moved to a job at|started (?:working )?(?:at|for)) {v}', 'employer', 'name'],
  ['{s} {now}(?:lives?|is living|resides?) (?:in|at) {v}', 'home', 'name'],
  ['{s} {just}(?:moved|relocated) (?:from .{1,40} )?to {v}', 'home', 'name'],
  ['{s} (?:is|are) {now}(?:based|located|headquartered|situated) (?:in|at) {v}', 'location', 'name'],
  ['{s} {now}(?:reports? to|is managed by) {v}', 'manager', 'name'],
  ['{s} is {now}(?:led|headed|run|owned|maintained) by {v}', 'lead', 'name'],
  ['{s} (?:is|are) {now}married to {v}', 'spouse', 'name'],
  ['{s} is {now}due (?:on |by |in )?{v}', 'due date'],
  ['{s} {now}(?:starts|begins|kicks off|launches|opens) (?:on |in |at )?(?<v>[dmt]:.+)', 'start date'],
  ['{s} {now}(?:ends|finishes|closes|expires) (?:on |in |at )?(?<v>[dmt]:.+)', 'end date'],
  ['{s} {now}(?:costs?|is priced at) (?<v>\\d.+)', 'price'],
  ['{s} is {now}(?<v>\\d+) years old', 'age'],
  [`{s} {now}has (?<v>\\d+(?:\\.\\d+)?) (?<a>${COUNTED})`, ({ a }) => `number of ${a}`],
  [`{s} (?:is|are) {now}(?:marked |set )?(?<v>${STATES})`, 'status'],
  [
    '{s} {now}prefers? (?<v>.{1,40}?) (?:over|to|rather than|instead of) (?<a>.{1,40})',
    ({ v = '', a = '' }) => `preference of ${[v, a].sort().join(' or ')}`,
  ],
];

/** Ways to state an attribute; the first that a sentence fits decides. */
export const CLAIM_SHAPES: readonly ClaimShape[] = ROWS.map(([source, attribute, kind]) => ({
  pattern: new RegExp(`^${source.replace(/\{\w+\}/gu, (part) => PARTS[part] ?? part)}$`, 'u'),
  attribute: typeof attribute === 'string' ? () => attribute : attribute,
  isName: kind === 'name',
}));
