// Search results for a person: title, slug, date, why it matched, and one excerpt with the words marked. Pure.
import type { HumanView } from '../../operation.ts';
import { clip, displayWidth, plainLine } from '../../render/text-width.ts';
import { type FactRow, isFactRow } from '../facts/fact-rows.ts';
import { explainLines, rowMarks } from './explain-lines.ts';
import type { SearchRow } from './run-search.ts';

const WHY: Record<string, string> = {
  alias_hit: 'its name',
  exact_title_match: 'its title',
  high_vector_match: 'its meaning',
  keyword_exact: 'its words',
  weak_semantic: 'weak match',
};

/** A title is cut no shorter than this, in columns. */
const TITLE_MIN = 16;

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** One line of a chunk around the first word that was asked for. */
export function excerptOf(text: string, words: readonly string[], columns: number): string {
  // The heading at its head is the title, which stands above; only where there is nothing else is it the excerpt.
  const flat = plainLine(text.replace(/^\s*#{1,6} [^\n]*\n+(?=\s*\S)/, '')).trim();
  const width = Math.max(40, Math.min(columns, 120) - 4);
  const pattern = words.length > 0 ? new RegExp(words.map(escapeRegExp).join('|'), 'iu') : undefined;
  const at = Math.max(0, (pattern?.exec(flat)?.index ?? 0) - Math.floor(width / 3));
  const start = at === 0 ? 0 : flat.indexOf(' ', at) + 1;
  const part = flat.slice(start, start + width);
  // Wide characters take two columns, so what was cut by its length may be too long still.
  return clip(`${start > 0 ? '…' : ''}${part}${start + width < flat.length ? '…' : ''}`, width);
}

function mark(text: string, words: readonly string[], view: HumanView): string {
  if (!view.colour || words.length === 0) return text;
  return text.replace(new RegExp(`(${words.map(escapeRegExp).join('|')})`, 'giu'), (word) =>
    view.bold(view.yellow(word)),
  );
}

const factLines = (row: FactRow, view: HumanView): string =>
  `${view.bold(plainLine(row.title))}  ${view.dim(`fact ${row.fact_id}`)}\n    ${plainLine(row.chunk_text)}`;

/** What was asked, as far as the lines show it. */
export interface AskedLines {
  query: string;
  explain: boolean;
  meta: Readonly<Record<string, unknown>>;
}

/** What the lines need of a call as it was typed and of what came beside its rows. */
export const askedLines = (
  input: Readonly<Record<string, unknown>>,
  meta: Readonly<Record<string, unknown>>,
): AskedLines => ({ query: String(input.query ?? ''), explain: input.explain === true, meta });

/** Rows as a person reads them, with how they came about where that was asked. */
export function searchLines(rows: readonly (SearchRow | FactRow)[], asked: AskedLines, view: HumanView): string {
  const { query, explain, meta } = asked;
  const lines = rows.length === 0 ? ['Nothing found.'] : rowLines(rows, { query, explain }, view);
  return [...lines, ...(explain ? explainLines(meta, view) : [])].join('\n');
}

function rowLines(
  rows: readonly (SearchRow | FactRow)[],
  { query, explain }: Pick<AskedLines, 'query' | 'explain'>,
  view: HumanView,
): string[] {
  const words = [
    ...new Set(query.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[\p{L}\p{N}]{3,}/gu) ?? []),
  ];
  return rows.map((row) => {
    if (isFactRow(row)) return factLines(row, view);
    const date = row.effective_date ? `  ${row.effective_date}` : '';
    const facts = `${row.slug}${date}  ${WHY[row.evidence] ?? row.evidence}`;
    const room = Math.max(TITLE_MIN, view.columns - displayWidth(facts) - 2);
    const head = `${view.bold(clip(plainLine(row.title), room))}  ${view.dim(facts)}`;
    const excerpt = excerptOf(row.chunk_text, words, view.columns);
    const shown = excerpt === '' ? [head] : [head, `    ${mark(excerpt, words, view)}`];
    return [...shown, ...(explain ? rowMarks(row, view) : [])].join('\n');
  });
}
