// Reads what a page's prose states about its references, sentence by sentence. Each statement carries the rule that
// read it. It does not know which references lead to a page: guards by type come later, when they do.

import type { Span } from '../chunks/visible.ts';
import { readChinese } from './chinese-statements.ts';
import { PAST_SECTION } from './lexicon.ts';
import { type PageKind, readBareLine, readLabel, readSection } from './list-statements.ts';
import type { Mention, MentionBlock } from './mentions.ts';
import { readRoles } from './role-statements.ts';
import { groupLinks, markOwnName, type OwnNames, readSentences, slotOf } from './sentences.ts';
import { type End, pronounAfter, type Reading, SELF_END, type Speech } from './subjects.ts';
import { readVerbs, type Statement } from './verb-statements.ts';

/** One end of a relation: the page itself or one of its mentions. */
export type RelationEnd = 'self' | Mention;

/** A relation that the prose of a page states, with the place that does so. */
export interface Relation extends Pick<Statement, 'linkType' | 'fromKind' | 'toKind' | 'reason' | 'lasts' | 'ended'> {
  readonly from: RelationEnd;
  readonly to: RelationEnd;
  readonly block: MentionBlock;
  /** From the first to the last mention that it is about. */
  readonly place: Span;
}

/** What is known of a page before its prose is read. */
export interface ProseReader {
  readonly kind: PageKind;
  readonly ownNames: OwnNames;
  /** Frontmatter `role`, when there is one. */
  readonly role: string | undefined;
  readonly couldBePerson: (mention: Mention) => boolean;
}

const LINK = /[\ue000-\uf8fe]/;
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
  const { kind } = reader;
  if (kind === 'media' || kind === 'image') return [];
  const { sentences, slots } = readSentences(text, block);
  const isSubject = kind === 'person' || kind === 'org';
  const pastSection = PAST_SECTION.test(block.section);
  const relations: Relation[] = [];
  let speech: Speech = {
    pronoun: () => (isSubject ? SELF_END : undefined),
    implied: isSubject || kind === 'meeting' || kind === 'deal',
    company: kind === 'org' || kind === 'deal',
    couldBePerson: (end) => slots[slotOf(end)] === undefined || reader.couldBePerson(slots[slotOf(end)]!),
  };
  for (const sentence of sentences) {
    const grouped = once(() => {
      const single = stripDate(markOwnName(sentence, reader.ownNames));
      return { single, ...groupLinks(single) };
    });
    const known = speech;
    if (LINK.test(sentence)) {
      for (const statement of readSentence({ ...grouped(), speech: known, pastSection }, block, reader)) {
        relations.push(...toRelations(statement, slots, block));
      }
    }
    speech = { ...known, pronoun: once(() => pronounAfter(grouped().text, grouped().groups, known)) };
  }
  return relations;
}

/** A chain of sentences is walked back only when a pronoun asks, and each of them once. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A timeline bullet's date and source say when and where from, not what: `2024-05-06 | Meeting — Attended A.` */
function stripDate(text: string): string {
  return text.replace(
    /^(?:\d{4}-\d\d-\d\d|\d{4}年\d{1,2}月\d{1,2}日) ?[|–—-] ?(?:[^–—\ue000-\uf8ff|-]{1,60} [–—-] )?/u,
    '',
  );
}

function readSentence(reading: Reading & { single: string }, block: MentionBlock, reader: ProseReader): Statement[] {
  const labelled = readLabel(reading.single, reader.kind);
  if (labelled) return labelled;
  const stated = [
    ...readSection(reading, block, reader.kind),
    ...readVerbs(reading),
    ...readRoles(reading, reading.single),
    ...readChinese(reading),
  ];
  const nearHead = reader.kind === 'person' && block.sectionIndex <= 1 && !block.timeline;
  return stated.length === 0 && nearHead ? readBareLine(reading, reader.role) : stated;
}

const ENDS_MAX = 60;

function toRelations(statement: Statement, slots: readonly Mention[], block: MentionBlock): Relation[] {
  const { linkType, fromKind, toKind, reason, lasts, ended } = statement;
  const end = (unit: End): RelationEnd | undefined => (unit === SELF_END ? 'self' : slots[slotOf(unit)]);
  const relations: Relation[] = [];
  for (const fromUnit of statement.from.slice(0, ENDS_MAX)) {
    for (const toUnit of statement.to.slice(0, ENDS_MAX)) {
      const from = end(fromUnit);
      const to = end(toUnit);
      if (from === undefined || to === undefined || from === to) continue;
      const base = { linkType, fromKind, toKind, reason, lasts, from, to, block, place: placeOf([from, to]) };
      relations.push(ended ? { ...base, ended } : base);
    }
  }
  return relations;
}

function placeOf(ends: readonly RelationEnd[]): Span {
  const mentions = ends.filter((end) => end !== 'self');
  return {
    start: Math.min(...mentions.map(({ start }) => start)),
    end: Math.max(...mentions.map(({ end }) => end)),
  };
}
