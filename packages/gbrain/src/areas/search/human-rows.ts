// Search results for a person: title, slug, date, why it matched, and one excerpt with the words marked. Pure.
import { isStopWord } from '../../index/query-terms.ts';
import type { HumanView } from '../../operation.ts';
import { readableText } from '../../render/markdown.ts';
import { clip, displayWidth, plainLine } from '../../render/text-width.ts';
import { type FactRow, isFactRow } from '../facts/fact-rows.ts';
import { excerptOf as windowOf } from './excerpt.ts';
import { explainLines, rowMarks } from './explain-lines.ts';
import type { SearchRow } from './run-search.ts';

const WHY: Record<string, string> = {
  alias_hit: 'its name',
  exact_title_match: 'its title',
  high_vector_match: 'its meaning',
  keyword_exact: 'its words',
  weak_semantic: 'weak match',
};

/** Why a row was found, in few words: what the links of pages say comes before what its text says. */
function whyFound(row: SearchRow): string {
  const marks = (row.marks ?? []) as readonly { stage: string; note: string }[];
  const note = (stage: string) => marks.find((one) => one.stage === stage)?.note;
  const relation = note('relation');
  if (relation !== undefined) return relation.includes(' of ') ? `its link: ${plainLine(relation)}` : relation;
  if (note('order') !== undefined) return 'its date';
  const isPart = row.evidence === 'weak_semantic' && ((row.matched ?? []) as readonly string[]).length > 0;
  return isPart ? 'some of the words' : (WHY[row.evidence] ?? row.evidence);
}

/** How far what is said of a title stands in from it. */
const INDENT = '    ';

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** What stands to be marked: the words of the query, without those that every text has. */
function soughtWords(query: string): string[] {
  const all = query.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[\p{L}\p{N}]{2,}/gu) ?? [];
  const words = [...new Set(all.map((word) => word.toLowerCase()))];
  const telling = words.filter((word) => !isStopWord(word));
  return telling.length > 0 ? telling : words;
}

const WIDE_SCRIPT = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+$/u;

/** Finds sought words in a text: whole ones and what is built on them; `run` finds `running`, and not `trunk`. */
function sought(words: readonly string[]): RegExp {
  const parts = words.map((word) => {
    if (WIDE_SCRIPT.test(word)) return escapeRegExp(word);
    const stem = word.length > 4 ? word.replace(/(?:ies|es|s)$/, '') : word;
    return `(?<![\\p{L}\\p{N}])${escapeRegExp(stem)}[\\p{L}\\p{N}]*`;
  });
  return new RegExp(`(${parts.join('|')})`, 'giu');
}

/** One line of a chunk, that with the most of the words that were asked for. */
export function excerptOf(text: string, words: readonly string[], columns: number): string {
  // The heading at its head is the title, which stands above; only where there is nothing else is it the excerpt.
  const body = text.replace(/^\s*#{1,6} [^\n]*\n+(?=\s*\S)/, '');
  const flat = plainLine(readableText(body)) || plainLine(readableText(text));
  const width = Math.max(40, Math.min(columns, 120) - 4);
  const stems = words.map((word) => (WIDE_SCRIPT.test(word) ? word : word.slice(0, Math.max(3, word.length - 2))));
  // Wide characters take two columns, so what was cut by its length may be too long still.
  // What is cut begins with a whole word, where words have ends.
  return clip(windowOf(flat, stems, width).replace(/^…\S{0,20}\s/, '…'), width);
}

function mark(text: string, words: readonly string[], view: HumanView): string {
  if (!view.colour || words.length === 0) return text;
  return text.replace(sought(words), (word) => view.bold(view.yellow(word)));
}

/** One line of a text for a person who asked a question, with the question's words marked. */
export function markedExcerpt(text: string, query: string, view: HumanView): string {
  const words = soughtWords(query);
  return mark(excerptOf(text, words, view.columns), words, view);
}

const factLines = (row: FactRow, view: HumanView): string =>
  `${view.bold(plainLine(row.title))}  ${view.dim(`fact ${row.fact_id}`)}\n    ${plainLine(row.chunk_text)}`;

/** What was asked, as far as the lines show it. */
export interface AskedLines {
  query: string;
  explain: boolean;
  /** More of each page than an excerpt was asked for, so its text is shown as it stands. */
  isWide: boolean;
  meta: Readonly<Record<string, unknown>>;
}

/** What the lines need of a call as it was typed and of what came beside its rows. */
export const askedLines = (
  input: Readonly<Record<string, unknown>>,
  meta: Readonly<Record<string, unknown>>,
): AskedLines => ({
  query: String(input.query ?? ''),
  explain: input.explain === true,
  isWide: input.return_unit !== undefined,
  meta,
});

/** Rows as a person reads them, with how they came about where that was asked. */
export function searchLines(rows: readonly (SearchRow | FactRow)[], asked: AskedLines, view: HumanView): string {
  const { explain, meta } = asked;
  const lines = rows.length === 0 ? ['Nothing found.'] : rowLines(rows, asked, view);
  return [...lines, ...(explain ? explainLines(meta, view) : [])].join('\n');
}

/** Title, slug, date and why it was found: on one line where they fit, else with the title on a line of its own. */
function headLines(row: SearchRow, view: HumanView): string[] {
  const title = plainLine(readableText(row.title)) || row.slug;
  const facts = [row.slug, ...(row.effective_date ? [row.effective_date] : []), whyFound(row)];
  const all = facts.join('  ');
  if (displayWidth(title) + 2 + displayWidth(all) <= view.columns) return [`${view.bold(title)}  ${view.dim(all)}`];
  const lines: string[] = [];
  for (const fact of facts) {
    const last = lines.at(-1);
    const longer = last === undefined ? undefined : `${last}  ${fact}`;
    if (longer !== undefined && displayWidth(INDENT + longer) <= view.columns) lines[lines.length - 1] = longer;
    else lines.push(fact);
  }
  return [view.bold(clip(title, view.columns)), ...lines.map((line) => INDENT + view.dim(line))];
}

/** A text line by line, as it stands. */
const wholeLines = (text: string): string[] => text.split('\n').map((line) => plainLine(line));

function rowLines(
  rows: readonly (SearchRow | FactRow)[],
  { query, explain, isWide }: Omit<AskedLines, 'meta'>,
  view: HumanView,
): string[] {
  const words = soughtWords(query);
  return rows.map((row) => {
    if (isFactRow(row)) return factLines(row, view);
    const head = headLines(row, view);
    // A word that was spelt otherwise is marked as it stands in the page.
    const found = [...new Set([...words, ...((row.matched ?? []) as readonly string[])])];
    const texts = isWide ? wholeLines(row.chunk_text) : [excerptOf(row.chunk_text, found, view.columns)];
    const shown = [...head, ...texts.filter((text) => text !== '').map((text) => INDENT + mark(text, found, view))];
    return [...shown, ...(explain ? rowMarks(row, view) : [])].join('\n');
  });
}
