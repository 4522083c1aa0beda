// Reads what a page's prose states about its references, sentence by sentence. Each statement carries the rule that
// read it. It does not know which references lead to a page: guards by type come later, when they do.

import { readChinese } from './chinese-statements.ts';
import { PAST_SECTION } from './lexicon.ts';
import { type PageKind, readBareLine, readLabel, readSection } from './list-statements.ts';
import type { Mention, MentionBlock } from './mentions.ts';
import { readRoles } from './role-statements.ts';
import { readSentences, type Sentence, slotOf } from './sentences.ts';
import { type End, pronounAfter, SELF_END, type Speech } from './subjects.ts';
import { readVerbs, type Statement } from './verb-statements.ts';

/** One end of a relation: the page itself or one of its mentions. */
export type RelationEnd = 'self' | Mention;

/** A relation that the prose of a page states, with the sentence that does so. */
export interface Relation extends Pick<Statement, 'linkType' | 'fromKind' | 'toKind' | 'reason' | 'lasts' | 'ended'> {
  readonly from: RelationEnd;
  readonly to: RelationEnd;
  readonly block: MentionBlock;
  readonly sentence: Pick<Sentence, 'start' | 'end'>;
}

/** What is known of a page before its prose is read. */
export interface ProseReader {
  readonly kind: PageKind;
  readonly ownName: RegExp | undefined;
  /** Frontmatter `role`, when there is one. */
  readonly role: string | undefined;
  readonly couldBePerson: (mention: Mention) => boolean;
}

const RELATIONS_MAX = 5000;

/** Relations that the prose in `blocks` states, in order. Linear in the text; at most 5,000. */
export function readRelations(text: string, blocks: readonly MentionBlock[], reader: ProseReader): Relation[] {
  const relations: Relation[] = [];
  for (const block of blocks) {
    if (block.mentions.length === 0) continue;
    relations.push(...readBlock(text, block, reader));
    if (relations.length >= RELATIONS_MAX) return relations.slice(0, RELATIONS_MAX);
  }
  return relations;
}

function readBlock(text: string, block: MentionBlock, reader: ProseReader): Relation[] {
  const { sentences, slots } = readSentences(text, block, reader.ownName);
  const { kind } = reader;
  const isSubject = kind === 'person' || kind === 'org';
  const pastSection = PAST_SECTION.test(block.section);
  let speech: Speech = {
    pronoun: isSubject ? SELF_END : undefined,
    implied: isSubject || kind === 'meeting' || kind === 'deal',
    company: kind === 'org' || kind === 'deal',
    couldBePerson: (end) => slots[slotOf(end)] === undefined || reader.couldBePerson(slots[slotOf(end)]!),
  };
  const relations: Relation[] = [];
  for (const sentence of sentences) {
    if (/[\ue000-\uf8fe]/.test(sentence.text)) {
      const stripped = stripDate(sentence.text);
      for (const statement of readSentence(stripped, { speech, pastSection }, block, reader)) {
        relations.push(...toRelations(statement, slots, block, sentence));
      }
    }
    speech = { ...speech, pronoun: pronounAfter(sentence.text, speech) };
  }
  return relations;
}

/** A timeline bullet's date and source say when and where from, not what: `2024-05-06 | Meeting — Attended A.` */
function stripDate(text: string): string {
  return text.replace(
    /^(?:\d{4}-\d\d-\d\d|\d{4}年\d{1,2}月\d{1,2}日) ?[|–—-] ?(?:[^–—\ue000-\uf8ff|-]{1,60} [–—-] )?/u,
    '',
  );
}

interface Before {
  readonly speech: Speech;
  readonly pastSection: boolean;
}

function readSentence(
  text: string,
  { speech, pastSection }: Before,
  block: MentionBlock,
  reader: ProseReader,
): Statement[] {
  if (reader.kind === 'media' || reader.kind === 'image') return [];
  const labelled = readLabel(text, reader.kind);
  if (labelled) return labelled;
  const reading = { text, speech, pastSection };
  const stated = [
    ...readSection(text, block, reader.kind),
    ...readVerbs(reading),
    ...readRoles(reading),
    ...readChinese(reading),
  ];
  const nearHead = reader.kind === 'person' && block.sectionIndex <= 1 && !block.timeline;
  return stated.length === 0 && nearHead ? readBareLine(text, reader.role) : stated;
}

const ENDS_MAX = 60;

function toRelations(
  statement: Statement,
  slots: readonly Mention[],
  block: MentionBlock,
  sentence: Sentence,
): Relation[] {
  const { linkType, fromKind, toKind, reason, lasts, ended } = statement;
  const end = (unit: End): RelationEnd | undefined => (unit === SELF_END ? 'self' : slots[slotOf(unit)]);
  const relations: Relation[] = [];
  for (const fromUnit of statement.from.slice(0, ENDS_MAX)) {
    for (const toUnit of statement.to.slice(0, ENDS_MAX)) {
      const from = end(fromUnit);
      const to = end(toUnit);
      if (from === undefined || to === undefined || from === to) continue;
      const base = { linkType, fromKind, toKind, reason, lasts, from, to, block, sentence };
      relations.push(ended ? { ...base, ended } : base);
    }
  }
  return relations;
}
