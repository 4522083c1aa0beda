// Rows in aligned columns that fit the terminal they are shown on; where there is none nothing is ever cut. Pure.
import type { HumanView } from '../operation.ts';
import { clip, displayWidth, padTo, plainLine, wrapWords } from './text-width.ts';

/** Where nothing is cut, one long value does not push every other row apart. */
const WIDEST = 48;

/** One cell: stored or fixed text, and how it is drawn. */
export type Cell = string | { text: string; style(text: string): string };

const GAP = 2;
/** A column is cut no shorter than this. */
const NARROWEST = 12;

const textOf = (cell: Cell): string => plainLine(typeof cell === 'string' ? cell : cell.text);
const draw = (cell: Cell, text: string): string => (typeof cell === 'string' ? text : cell.style(text));

/** Widths that fit: the widest column gives way until the row fits or nothing can be cut any more. */
function fit(widths: readonly number[], columns: number): number[] {
  const fitted = [...widths];
  const total = () => fitted.reduce((sum, width) => sum + width, GAP * (fitted.length - 1));
  while (total() > columns) {
    const widest = fitted.indexOf(Math.max(...fitted));
    const over = total() - columns;
    const second = Math.max(NARROWEST, ...fitted.filter((_, i) => i !== widest));
    const to = Math.max(NARROWEST, Math.min(fitted[widest]! - 1, Math.max(second, fitted[widest]! - over)));
    if (to >= fitted[widest]!) break;
    fitted[widest] = to;
  }
  return fitted;
}

/** Lines of a table. The last column is not filled up. */
export function tableLines(
  rows: readonly (readonly Cell[])[],
  view: Pick<HumanView, 'columns'>,
  indent = '',
): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const own = Array.from({ length: count }, (_, i) =>
    Math.max(0, ...rows.map((row) => (row[i] === undefined ? 0 : displayWidth(textOf(row[i]))))),
  );
  const isCut = Number.isFinite(view.columns);
  const widths = isCut ? fit(own, view.columns - indent.length) : own.map((width) => Math.min(width, WIDEST));
  return rows.map((row) => {
    const cells = row.map((cell, i) => {
      const text = isCut ? clip(textOf(cell), widths[i]!) : textOf(cell);
      if (i === row.length - 1) return draw(cell, text);
      return draw(cell, text) + ' '.repeat(Math.max(0, widths[i]! - displayWidth(text)));
    });
    return (indent + cells.join(' '.repeat(GAP))).trimEnd();
  });
}

/** Beside its name an explanation has at least this many columns, else it stands below. */
const BESIDE_MIN = 24;

/**
 * Lines of names with their explanations; an explanation goes on under itself where it does not fit, and under the name
 * on a narrow screen.
 */
export function explained(
  rows: readonly (readonly [name: string, text: string])[],
  view: Pick<HumanView, 'columns' | 'bold' | 'dim'>,
  indent = '  ',
): string[] {
  const longest = 34;
  const width = Math.min(Math.max(0, ...rows.map(([name]) => displayWidth(name))), longest);
  const under = ' '.repeat(indent.length + width + GAP);
  const room = view.columns - under.length;
  if (room < BESIDE_MIN) {
    const below = `${indent}    `;
    const lines = (text: string) => wrapWords(text, view.columns - below.length).map((line) => below + view.dim(line));
    return rows.flatMap(([name, text]) => [(indent + name).trimEnd(), ...lines(text)]);
  }
  return rows.flatMap(([name, text]) => {
    const lines = wrapWords(text, room).map(view.dim);
    if (displayWidth(name) > width) return [indent + name, ...lines.map((line) => under + line)];
    const [first = '', ...rest] = lines;
    return [`${indent}${padTo(name, width)}  ${first}`.trimEnd(), ...rest.map((line) => under + line)];
  });
}
