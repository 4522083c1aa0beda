// The table rows inside facts and takes fences: cells, row numbers and typed rows. Knows no marker and no page.

/** The kinds of fenced tables. */
export type FenceKind = 'facts' | 'takes';

/** Columns as they are written, in order. The later ones of facts, and those of resolved takes, may be absent. */
export const COLUMNS: Readonly<Record<FenceKind, readonly string[]>> = {
  facts: [
    '#',
    'claim',
    'kind',
    'confidence',
    'visibility',
    'notability',
    'valid_from',
    'valid_until',
    'source',
    'context',
    'metric',
    'value',
    'unit',
    'period',
    'speaker',
  ],
  takes: ['#', 'claim', 'kind', 'who', 'weight', 'since', 'source', 'resolved', 'quality', 'outcome', 'evidence', 'by'],
};

/** One row by column name. `num` is null for a row whose number cannot be read. */
export interface TableRow {
  num: number | null;
  /** Text by column, trimmed, escapes and strike marks removed; a missing cell is ''. */
  cells: Readonly<Record<string, string>>;
  /** Whether the claim is struck through: kept for the record, no longer held. */
  struck: boolean;
}

/** Cells of a table line, trimmed, with `\|` as a pipe; undefined for a line that is no table row. Linear. */
export function splitCells(line: string): string[] | undefined {
  const text = line.trim();
  if (!text.startsWith('|')) return undefined;
  const cells: string[] = [];
  let cell = '';
  let from = 1;
  for (let at = text.indexOf('|', 1); at >= 0; at = text.indexOf('|', at + 1)) {
    if (text.charAt(at - 1) === '\\') {
      cell += `${text.slice(from, at - 1)}|`;
    } else {
      cells.push((cell + text.slice(from, at)).trim());
      cell = '';
    }
    from = at + 1;
  }
  const rest = cell + text.slice(from);
  if (rest.trim() !== '') cells.push(rest.trim());
  return cells;
}

/** A table line of cells: pipes escaped, line ends as spaces. `splitCells(joinCells(cells))` is `cells`, trimmed. */
export function joinCells(cells: readonly string[]): string {
  const escaped = cells.map((cell) =>
    cell
      .replace(/[\r\n]+/g, ' ')
      .trim()
      .replaceAll('|', '\\|'),
  );
  return `| ${escaped.join(' | ')} |`;
}

/** Whether a line is the rule under a table's head. */
export function isRuleLine(line: string): boolean {
  const cells = splitCells(line);
  return cells !== undefined && cells.length > 0 && cells.every((cell) => /^:?-+:?$/.test(cell));
}

/** A row number: 1 to 2147483647, written plainly. */
export function parseRowNumber(cell: string | undefined): number | null {
  const match = /^(?:~~)?([1-9]\d{0,9})(?:~~)?$/.exec(cell ?? '');
  const num = match === null ? 0 : Number(match[1]);
  return num >= 1 && num <= 2_147_483_647 ? num : null;
}

/** A row from its cells and the names of the columns. */
export function toTableRow(cells: readonly string[], columns: readonly string[]): TableRow {
  const byName = Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? '']));
  const claim = byName.claim ?? '';
  const struck = claim.length > 4 && claim.startsWith('~~') && claim.endsWith('~~');
  return {
    num: parseRowNumber(byName['#']),
    cells: struck ? { ...byName, claim: claim.slice(2, -2).trim() } : byName,
    struck,
  };
}

/** A fact as its fence states it. Dates and confidence are as written where they are not understood: null then. */
export interface FactRow {
  num: number;
  claim: string;
  kind: string;
  /** 0 to 1. */
  confidence: number | null;
  visibility: 'world' | 'private';
  notability: string;
  validFrom: string | null;
  validUntil: string | null;
  source: string;
  context: string;
  metric: string | null;
  value: string | null;
  unit: string | null;
  period: string | null;
  speaker: string | null;
  active: boolean;
  /** Row that took its place, from `superseded by #N`. */
  supersededBy: number | null;
  /** Reason, from `forgotten: reason`. */
  forgotten: string | null;
}

/** A fact from its row; undefined for a row without number or claim. Anything but `world` is private. */
export function toFactRow(row: TableRow): FactRow | undefined {
  const { num, cells, struck } = row;
  const cell = (name: string): string => cells[name] ?? '';
  const orNull = (name: string): string | null => cell(name) || null;
  if (num === null || cell('claim') === '') return undefined;
  const context = cell('context');
  const superseded = struck ? parseRowNumber(/superseded by #(\d{1,10})/.exec(context)?.[1]) : null;
  return {
    num,
    claim: cell('claim'),
    kind: cell('kind').toLowerCase() || 'fact',
    confidence: parseUnit(cell('confidence')),
    visibility: cell('visibility').toLowerCase() === 'world' ? 'world' : 'private',
    notability: cell('notability').toLowerCase() || 'medium',
    validFrom: orNull('valid_from'),
    validUntil: orNull('valid_until'),
    source: cell('source'),
    context,
    metric: orNull('metric'),
    value: orNull('value'),
    unit: orNull('unit'),
    period: orNull('period'),
    speaker: orNull('speaker'),
    active: !struck,
    supersededBy: superseded,
    forgotten:
      struck && context.includes('forgotten:') ? context.slice(context.indexOf('forgotten:') + 10).trim() : null,
  };
}

/** A take as its fence states it. */
export interface TakeRow {
  num: number;
  claim: string;
  kind: string;
  /** Who asserts it: `world`, `brain`, `people/<slug>` or `companies/<slug>`. */
  who: string;
  /** 0 to 1 on a grid of 0.05. */
  weight: number | null;
  since: string | null;
  /** From a range in `since`: `2024-01-01 → 2024-06-01`. */
  until: string | null;
  source: string;
  resolved: string | null;
  quality: string | null;
  outcome: string | null;
  active: boolean;
}

/** A take from its row; undefined for a row without number or claim. */
export function toTakeRow(row: TableRow): TakeRow | undefined {
  const { num, cells, struck } = row;
  const cell = (name: string): string => cells[name] ?? '';
  if (num === null || cell('claim') === '') return undefined;
  const [since = '', until = ''] = cell('since')
    .split('→')
    .map((part) => part.trim());
  const weight = parseUnit(cell('weight'));
  return {
    num,
    claim: cell('claim'),
    kind: cell('kind').toLowerCase() || 'take',
    who: cell('who') || 'brain',
    weight: weight === null ? null : Math.round(weight * 20) / 20,
    since: since || null,
    until: until || null,
    source: cell('source'),
    resolved: cell('resolved') || null,
    quality: cell('quality') || null,
    outcome: cell('outcome') || null,
    active: !struck,
  };
}

function parseUnit(cell: string): number | null {
  const value = /^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?|\.\d{1,6})$/.test(cell) ? Number(cell) : Number.NaN;
  return Number.isNaN(value) ? null : value;
}
