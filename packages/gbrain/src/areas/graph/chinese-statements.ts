// Reads what a Chinese sentence states. The language has no spaces and no inflection, so it has rules of its own.

import { LINK } from './lexicon.ts';
import type { Kind } from './rules.ts';
import { type End, endsOf, type Reading, SELF_END } from './subjects.ts';
import type { Statement } from './verb-statements.ts';

interface Rule {
  readonly id: string;
  readonly linkType: string;
  readonly pattern: RegExp;
  readonly from: Kind;
  readonly to: Kind;
  readonly lasts: Statement['lasts'];
  readonly passive?: boolean;
}

const ROLE =
  '(?:[\\p{Script=Han}A-Za-z]{0,8}?)(?:工程师|经理|总监|总裁|首席[\\p{Script=Han}]{1,4}官|CEO|CTO|COO|CFO|主管|设计师|' +
  '员工|负责人|董事长|研究员|合伙人|分析师|主任|顾问律师|科学家|教授|秘书|会计)';
const rule = (id: string, linkType: string, pattern: string, rest: Omit<Rule, 'id' | 'linkType' | 'pattern'>): Rule => {
  return { id: `zh-${id}`, linkType, pattern: new RegExp(pattern, 'gu'), ...rest };
};

/** Relations in Chinese. Source: engine facts, D.1 (Chinese variants of the verb lists). */
const RULES: readonly Rule[] = [
  rule('founded', 'founded', `(?:联合|共同)?(?:创立|创办|创建|成立)了?(?:公司)?(${LINK})`, {
    from: 'party',
    to: 'org',
    lasts: 'event',
  }),
  rule('founder-of', 'founded', `(?:是|为|，|作为)?(${LINK})的?(?:联合|共同)?(?:创始人|创办人)`, {
    from: 'party',
    to: 'org',
    lasts: 'event',
  }),
  rule('founded-by', 'founded', `由(${LINK})(?:联合|共同)?(?:创立|创办|创建|成立)`, {
    from: 'party',
    to: 'org',
    lasts: 'event',
    passive: true,
  }),
  rule('led-round', 'led_round', `领投了?(${LINK})`, { from: 'party', to: 'org', lasts: 'event' }),
  rule('invested', 'invested_in', `(?:投资|入股|参投|跟投)了?(${LINK})`, { from: 'party', to: 'org', lasts: 'event' }),
  rule('investor-of', 'invested_in', `(?:是|为|作为)(${LINK})的?(?:天使)?(?:投资人|投资者|投资方|股东)`, {
    from: 'party',
    to: 'org',
    lasts: 'event',
  }),
  rule('invested-by', 'invested_in', `(?:由|获|获得|得到)(${LINK})的?(?:投资|领投|注资)`, {
    from: 'party',
    to: 'org',
    lasts: 'event',
    passive: true,
  }),
  rule('advises', 'advises', `(?:担任|是|为|出任|任)(${LINK})的?[\\p{Script=Han}]{0,4}顾问(?!律师)`, {
    from: 'party',
    to: 'any',
    lasts: 'state',
  }),
  rule('works-at', 'works_at', `(?:就职于|任职于|供职于|现任职于|效力于|加入了?|入职了?)(${LINK})`, {
    from: 'person',
    to: 'org',
    lasts: 'state',
  }),
  rule('works-in', 'works_at', `在(${LINK})(?:公司)?(?:工作|任职|担任|上班|供职|负责|做)`, {
    from: 'person',
    to: 'org',
    lasts: 'state',
  }),
  rule('role-at', 'works_at', `(?:现任|担任|出任|任|是|为)(${LINK})的?${ROLE}`, {
    from: 'person',
    to: 'org',
    lasts: 'state',
  }),
  rule('attended', 'attended', `(?:参加|出席|参与)了?(${LINK})`, { from: 'person', to: 'meeting!', lasts: 'event' }),
];

const HAN = /\p{Script=Han}/u;
const CLAUSE = /[，,；;：:。]/;
const FILLERS =
  '(?:目前|现在|现|如今|于|在?\\d{4}年(?:\\d{1,2}月)?(?:\\d{1,2}日)?|后来|随后|还|也|又|并且?|共同|联合|正式|已经?|当年|此后|同时|先后|一直|' +
  '今年|去年|与|跟|的|是|一名|一位|and)*';
const SUBJECT = new RegExp(`(${LINK}|\\uf8ff|他们?|她们?|该?公司|本公司|我们公司|它)${FILLERS}\\s*$`, 'u');
const NOBODY = new RegExp(`^\\s*(?:[-–—>•] ?)*${FILLERS}\\s*$`, 'u');
const DOUBTED = /没有|没|未|不|尚未|拒绝|考虑|计划|打算|可能|如果|是否|想要?|希望|准备|将要?|有意|传闻|据传|差点/u;
const OVER = /曾经?|之前|以前|原|前任?|离开|离职|卸任|退休|过去/u;

/** Statements of a sentence that holds Chinese; none otherwise. */
export function readChinese(reading: Reading): Statement[] {
  const { text } = reading;
  if (!HAN.test(text) || /[？?]$/.test(text)) return [];
  let before: readonly End[] | undefined;
  const found = RULES.flatMap((each) => [...text.matchAll(each.pattern)].map((match) => ({ each, match })));
  found.sort((a, b) => a.match.index - b.match.index);
  return found.flatMap(({ each, match }) => {
    const subject = subjectOf(reading, match.index, before);
    if (!subject) return [];
    before = subject;
    const object = endsOf(reading, match[1]!).filter((end) => !subject.includes(end));
    if (object.length === 0 || !isStated(text, match, each)) return [];
    const [from, to] = each.passive ? [object, subject] : [subject, object];
    const { linkType, from: fromKind, to: toKind, lasts, id } = each;
    return [{ linkType, from, to, fromKind, toKind, lasts, reason: id }];
  });
}

/** Who stands before the verb in its clause; a clause without anybody speaks of the one before it. */
function subjectOf(reading: Reading, at: number, before: readonly End[] | undefined): readonly End[] | undefined {
  const { text, speech } = reading;
  const left = text.slice(0, at);
  let clause = left.length;
  while (clause > 0 && !CLAUSE.test(left[clause - 1]!)) clause--;
  const own = left.slice(clause).replace(DOUBTED, '').replace(OVER, '');
  const named = SUBJECT.exec(own);
  if (named) return chineseEnds(reading, named[1]!);
  if (!NOBODY.test(own)) return undefined;
  if (clause === 0) return speech.implied ? [SELF_END] : undefined;
  if (before) return before;
  const first = new RegExp(`^\\s*(${LINK}|\\uf8ff|他|她|该?公司)`, 'u').exec(left);
  return first ? chineseEnds(reading, first[1]!) : undefined;
}

function chineseEnds(reading: Reading, words: string): readonly End[] | undefined {
  const isPronoun = /^[他她它]/u.test(words);
  const ends = isPronoun ? [reading.speech.pronoun() ?? []].flat() : endsOf(reading, words);
  return ends.length > 0 ? ends : undefined;
}

function isStated(text: string, match: RegExpExecArray | RegExpMatchArray, { lasts, linkType }: Rule): boolean {
  const at = match.index ?? 0;
  const near = text.slice(Math.max(0, at - 6), at).replace(/^.*[，,；;。]/su, '');
  const after = text.slice(at + match[0].length, at + match[0].length + 10);
  if (DOUBTED.test(near) || (lasts === 'state' && /[\ue000-\uf8ff]的?[前原]/.test(match[0]))) return false;
  return (
    !(
      lasts === 'state' &&
      (OVER.test(near) || /^[^。，]{0,6}(?:至|到)\d{4}年|，?(?:后来?)?(?:离职|离开)/u.test(after))
    ) || linkType === 'founded'
  );
}
