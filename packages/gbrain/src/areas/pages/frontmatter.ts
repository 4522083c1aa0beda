// The frontmatter of a page: split from the body by exact fences, read strictly, faults with places. Writes nothing.
import { isSeq, type ParsedNode } from 'yaml';
import { isEmptyNode, type Json, parseYamlBlock, scalarText, type YamlField } from './frontmatter-yaml.ts';

/**
 * - `MISSING_CLOSE`: the first line is `---` and no line closes it. `STACKED_BLOCKS`: a second block follows the first.
 * - `YAML_PARSE`, `NESTED_QUOTES`: what is between the fences cannot be read. `DUPLICATE_KEY`: a key twice.
 * - `NON_STRING_FIELD`: a list or map where text is wanted. `SLUG_MISMATCH`: names another page than the one it is on.
 * - `NULL_BYTES`: a value with an escaped NUL. `TOO_LARGE`: past 65,536 characters, 20,000 values or a depth of 32.
 * - `NOT_EDITABLE`: a field is written in a way that an edit cannot change without touching more.
 */
export type FrontmatterCode =
  | 'MISSING_CLOSE'
  | 'STACKED_BLOCKS'
  | 'YAML_PARSE'
  | 'NESTED_QUOTES'
  | 'DUPLICATE_KEY'
  | 'NON_STRING_FIELD'
  | 'SLUG_MISMATCH'
  | 'NULL_BYTES'
  | 'TOO_LARGE'
  | 'NOT_EDITABLE';

/** A fault and its place in the file: `line` and `column` from 1, `text` the offending line (at most 200 units). */
export interface FrontmatterError {
  code: FrontmatterCode;
  line: number;
  column: number;
  text: string;
  message: string;
  /** The earlier place that the fault collides with. */
  other_line?: number;
}

/** A line that was read other than YAML reads it, and why. */
export interface FrontmatterRepair {
  line: number;
  message: string;
}

/** Frontmatter as read. Offsets are those of the view; without a block `present` is false and the body is all. */
export interface Frontmatter {
  present: boolean;
  yamlStart: number;
  yamlEnd: number;
  bodyStart: number;
  bodyLine: number;
  /** All fields as JSON, in order. Fields whose meaning is text (below) hold text. */
  data: { [key: string]: Json };
  /** Line of each field. */
  lines: ReadonlyMap<string, number>;
  repairs: FrontmatterRepair[];
}

/** The block as read, or every fault that was found in it. */
export type FrontmatterResult = { ok: true; frontmatter: Frontmatter } | { ok: false; errors: FrontmatterError[] };

/** Most UTF-16 units between the fences. */
export const MAX_FRONTMATTER_LENGTH = 65_536;

/** Fields that are text whatever YAML would make of them. */
const TEXT_FIELDS = [
  'title',
  'type',
  'slug',
  'id',
  'visibility',
  'date',
  'event_date',
  'published',
  'created',
  'updated',
  'created_at',
  'updated_at',
  'subtype',
  'legacy_type',
  'message_id',
  'thread_id',
  'subject',
  'provenance',
  'status',
] as const;
/** Of these, the ones that may not be a list or a map. */
const SCALAR_FIELDS: readonly string[] = [
  'title',
  'type',
  'slug',
  'id',
  'visibility',
  'date',
  'event_date',
  'published',
];
/** Fields that are lists of text; a lone value is a list of one. */
const LIST_FIELDS: readonly string[] = ['tags', 'aliases'];

/** Reads the block at the head of a view (line ends `\n`, no byte order mark). */
export function parseFrontmatter(view: string): FrontmatterResult {
  const split = splitFrontmatter(view);
  if (!split.ok) return split;
  const { present, yamlStart, yamlEnd } = split;
  if (yamlEnd - yamlStart > MAX_FRONTMATTER_LENGTH) {
    return { ok: false, errors: [errorAt(view, 'TOO_LARGE', yamlStart, 'the block is longer than 65,536 characters')] };
  }
  const block = parseYamlBlock(view.slice(yamlStart, yamlEnd));
  if (!block.ok) return { ok: false, errors: block.faults.map((fault) => located(view, yamlStart, fault)) };

  const data: { [key: string]: Json } = {};
  const lines = new Map<string, number>();
  const errors: FrontmatterError[] = [];
  const lineOf = lineCounter(block.source, 2);
  for (const field of block.fields) {
    const line = lineOf(field.keyStart);
    lines.set(field.key, line);
    const value = readField(field);
    if (value === undefined) {
      const column = columnOf(block.source, field.keyStart);
      const message = `${field.key} must be text${LIST_FIELDS.includes(field.key) ? ' or a list of text' : ''}`;
      errors.push({ code: 'NON_STRING_FIELD', line, column, text: lineText(view, line), message });
    } else {
      Object.defineProperty(data, field.key, { value, enumerable: true, configurable: true, writable: true });
    }
  }
  if (errors.length > 0) return { ok: false, errors };
  const repairs = block.repairs.map(({ at, message }) => ({ line: countLines(view, yamlStart + at), message }));
  return {
    ok: true,
    frontmatter: {
      present,
      yamlStart,
      yamlEnd,
      bodyStart: split.bodyStart,
      bodyLine: split.bodyLine,
      data,
      lines,
      repairs,
    },
  };
}

type Split =
  | { ok: true; present: boolean; yamlStart: number; yamlEnd: number; bodyStart: number; bodyLine: number }
  | { ok: false; errors: FrontmatterError[] };

/** Exactly one block, whose fences are lines of three hyphens and nothing else; the first of them is the first line. */
function splitFrontmatter(view: string): Split {
  const first = lineBounds(view, 0);
  if (!isFence(view, 0, first.end))
    return { ok: true, present: false, yamlStart: 0, yamlEnd: 0, bodyStart: 0, bodyLine: 1 };
  const close = findFence(view, first.next);
  if (close === undefined) {
    return {
      ok: false,
      errors: [errorAt(view, 'MISSING_CLOSE', 0, 'the frontmatter that begins here is never closed')],
    };
  }
  const yaml = { yamlStart: first.next, yamlEnd: close.start };
  const bodyLine = countLines(view, close.start) + 1;
  const second = findStackedBlock(view, close.next);
  if (second !== undefined) {
    const error = errorAt(view, 'STACKED_BLOCKS', second, 'a second frontmatter block follows the first');
    return { ok: false, errors: [{ ...error, other_line: 1 }] };
  }
  return { ok: true, present: true, ...yaml, bodyStart: close.next, bodyLine };
}

const FIELD_LINE = /^[A-Za-z_][\w-]*:(?:[ \t]|$)/;
const BLOCK_LINE = /^(?:[A-Za-z_][\w-]*:(?:[ \t]|$)|[ \t]+\S|-[ \t]|#|[ \t]*$)/;

/**
 * Where the body of a file's text begins, whatever its line ends: offset and line number. A block that is never closed
 * is body, as is all of a text without one.
 */
export function findBody(text: string): { offset: number; line: number } {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  const breaks = /\r\n?|\n/g;
  breaks.lastIndex = start;
  let from = start;
  for (let line = 1; from < text.length; line += 1) {
    const end = breaks.exec(text)?.index ?? text.length;
    const next = end === text.length ? text.length : breaks.lastIndex;
    const fence = isFence(text, from, end);
    if (line === 1 && !fence) break;
    if (line > 1 && fence) return { offset: next, line: line + 1 };
    from = next;
  }
  return { offset: start, line: 1 };
}

/** Offset of a second block: after blank lines only, opened, closed, and of field lines from its first line on. */
function findStackedBlock(view: string, from: number): number | undefined {
  let line = lineBounds(view, from);
  while (line.start < view.length && view.slice(line.start, line.end).trim() === '') line = lineBounds(view, line.next);
  if (line.start >= view.length || !isFence(view, line.start, line.end)) return undefined;
  const opened = line.start;
  line = lineBounds(view, line.next);
  if (!FIELD_LINE.test(view.slice(line.start, line.end))) return undefined;
  while (line.start < view.length && line.start - opened <= MAX_FRONTMATTER_LENGTH) {
    if (isFence(view, line.start, line.end)) return opened;
    if (!BLOCK_LINE.test(view.slice(line.start, line.end))) return undefined;
    line = lineBounds(view, line.next);
  }
  return undefined;
}

/** JSON of a field; undefined where it is not of the kind that its name asks for. */
function readField(field: YamlField): Json | undefined {
  const { key, node } = field;
  if (LIST_FIELDS.includes(key)) return readTexts(key, node);
  if (!(TEXT_FIELDS as readonly string[]).includes(key)) return field.json;
  if (isEmptyNode(node)) return null;
  const text = scalarText(node);
  if (text !== undefined) return text;
  return SCALAR_FIELDS.includes(key) ? undefined : field.json;
}

function readTexts(key: string, node: ParsedNode | null): string[] | undefined {
  if (isEmptyNode(node)) return [];
  const single = scalarText(node);
  if (single !== undefined) return key === 'tags' ? single.split(',').flatMap(trimmed) : trimmed(single);
  if (!isSeq(node)) return undefined;
  const texts: string[] = [];
  for (const item of node.items) {
    if (isEmptyNode(item)) continue;
    const text = scalarText(item);
    if (text === undefined) return undefined;
    texts.push(...trimmed(text));
  }
  return texts;
}

function trimmed(text: string): string[] {
  const bare = text.trim();
  return bare === '' ? [] : [bare];
}

/** The form in which two tags are the same tag: composed, lower case, without a `#` in front. */
export function tagKey(tag: string): string {
  return tag.trim().replace(/^#+/, '').trim().normalize('NFC').toLowerCase();
}

/** An error at an offset of the view. */
export function errorAt(view: string, code: FrontmatterCode, at: number, message: string): FrontmatterError {
  const line = countLines(view, at);
  return { code, line, column: columnOf(view, at), text: lineText(view, line), message };
}

function located(
  view: string,
  base: number,
  fault: { code: FrontmatterCode; at: number; message: string; other?: number },
) {
  const error = errorAt(view, fault.code, base + fault.at, fault.message);
  return fault.other === undefined ? error : { ...error, other_line: countLines(view, base + fault.other) };
}

function columnOf(text: string, at: number): number {
  return at === 0 ? 1 : at - text.lastIndexOf('\n', at - 1);
}

function lineText(view: string, line: number): string {
  let start = 0;
  for (let count = 1; count < line; count += 1) start = view.indexOf('\n', start) + 1;
  return view.slice(start, Math.min(lineBounds(view, start).end, start + 200)).toWellFormed();
}

/** Line number of rising offsets, each counted on from the last. */
function lineCounter(text: string, first: number): (at: number) => number {
  let line = first;
  let from = 0;
  return (at) => {
    for (let index = text.indexOf('\n', from); index >= 0 && index < at; index = text.indexOf('\n', from)) {
      line += 1;
      from = index + 1;
    }
    return line;
  };
}

function countLines(text: string, at: number): number {
  return lineCounter(text, 1)(at);
}

function lineBounds(text: string, start: number): { start: number; end: number; next: number } {
  const end = text.indexOf('\n', start);
  return end < 0 ? { start, end: text.length, next: text.length } : { start, end, next: end + 1 };
}

function isFence(text: string, start: number, end: number): boolean {
  return text.startsWith('---', start) && text.slice(start + 3, end).trim() === '' && end - start >= 3;
}

function findFence(text: string, from: number): { start: number; next: number } | undefined {
  for (let at = from; at <= text.length; ) {
    const { end, next } = lineBounds(text, at);
    if (isFence(text, at, end)) return { start: at, next };
    if (end === text.length) return undefined;
    at = next;
  }
  return undefined;
}
