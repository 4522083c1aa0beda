// The YAML of a frontmatter block: its fields as nodes with positions and as plain JSON. Knows no field's meaning.
import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type ParsedNode, parseDocument } from 'yaml';

/** What a field holds, as it goes into a JSON column. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** One top-level field. Offsets count from the start of the YAML text. */
export interface YamlField {
  key: string;
  keyStart: number;
  keyEnd: number;
  node: ParsedNode | null;
  json: Json;
}

/** A fault of the YAML text at an offset; `other` is the offset of the earlier place that it collides with. */
export interface YamlFault {
  code: 'YAML_PARSE' | 'NESTED_QUOTES' | 'DUPLICATE_KEY' | 'TOO_LARGE' | 'NULL_BYTES';
  at: number;
  message: string;
  other?: number;
}

/** A line that was read as if its value were quoted. `at` is an offset of the YAML text. */
export interface YamlRepair {
  at: number;
  message: string;
}

/** `source` is the text that was parsed: the given one, or the same with the repaired lines quoted. */
export type YamlBlock =
  | { ok: true; source: string; fields: YamlField[]; flow: boolean; repairs: YamlRepair[] }
  | { ok: false; faults: YamlFault[] };

/** Most nodes that a block may hold once its aliases are followed. */
const MAX_NODES = 20_000;
const MAX_DEPTH = 32;
/** Most faults that are reported of one block. */
const MAX_FAULTS = 10;

/**
 * Reads the text between the fences (lines end with `\n`). A plain value that YAML cannot read, such as a title with a
 * colon in it or one that begins with a backtick, is read as the text that it is and listed in `repairs`.
 */
export function parseYamlBlock(yaml: string): YamlBlock {
  const ended = yaml.search(/^\.\.\.(?:[ \t]|$)/m);
  if (ended >= 0)
    return { ok: false, faults: [{ code: 'YAML_PARSE', at: ended, message: 'this line ends the YAML early' }] };
  let source = yaml;
  let document = parse(source);
  let repairs: YamlRepair[] = [];
  if (document.errors.length > 0) {
    const quoted = quoteFailedLines(source, document);
    if (quoted !== undefined) {
      const again = parse(quoted.source);
      if (again.errors.length === 0) ({ source, repairs } = quoted);
      if (again.errors.length === 0) document = again;
    }
  }
  if (document.errors.length > 0) return { ok: false, faults: document.errors.slice(0, MAX_FAULTS).map(toFault(yaml)) };

  const root = document.contents;
  if (root === null) return { ok: true, source, fields: [], flow: false, repairs };
  if (!isMap(root)) {
    return { ok: false, faults: [{ code: 'YAML_PARSE', at: root.range[0], message: 'the block holds no fields' }] };
  }
  const reader = new JsonReader();
  const fields: YamlField[] = [];
  const seen = new Map<string, number>();
  for (const pair of root.items) {
    const at = pair.key.range[0];
    const key = keyText(pair.key);
    if (key === undefined)
      return { ok: false, faults: [{ code: 'YAML_PARSE', at, message: 'a field needs a plain name' }] };
    const other = seen.get(key);
    if (other !== undefined) reader.faults.push(duplicate(key, at, other));
    seen.set(key, at);
    fields.push({ key, keyStart: at, keyEnd: pair.key.range[1], node: pair.value, json: reader.read(pair.value) });
  }
  if (reader.faults.length > 0) return { ok: false, faults: reader.faults.slice(0, MAX_FAULTS) };
  return { ok: true, source, fields, flow: root.flow === true, repairs };
}

/** The text of a scalar as its author wrote it: `2026`, `true` and `1.10` stay what they are. Undefined for no text. */
export function scalarText(node: unknown): string | undefined {
  if (!isScalar(node)) return undefined;
  if (node.type !== 'PLAIN') return typeof node.value === 'string' ? node.value : undefined;
  const source = node.source ?? '';
  return source === '' || source === '~' || source === 'null' ? undefined : source;
}

/** Whether a field was left empty, or says so with `~` or `null`. */
export function isEmptyNode(node: unknown): boolean {
  return (
    node === null || node === undefined || (isScalar(node) && node.type === 'PLAIN' && scalarText(node) === undefined)
  );
}

type ParsedDocument = Document.Parsed<ParsedNode>;

function parse(source: string): ParsedDocument {
  return parseDocument(source, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  }) as ParsedDocument;
}

function duplicate(key: string, at: number, other: number): YamlFault {
  return { code: 'DUPLICATE_KEY', at, other, message: `the field ${key} appears twice` };
}

function keyText(node: unknown): string | undefined {
  if (!isScalar(node)) return undefined;
  return node.type === 'PLAIN' ? (node.source ?? '') : String(node.value);
}

function toFault(yaml: string): (error: { pos: [number, number]; message: string }) => YamlFault {
  const last = yaml.trimEnd().length;
  return ({ pos, message }) => {
    const at = Math.min(pos[0], last);
    const line = lineAt(yaml, at);
    const quotes = /^[^"\n]*:[ \t]*"/.test(line.text) ? line.text.replace(/\\./g, '').split('"').length - 1 : 0;
    return { code: quotes > 2 ? 'NESTED_QUOTES' : 'YAML_PARSE', at, message };
  };
}

function lineAt(text: string, at: number): { start: number; text: string } {
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', start);
  return { start, text: text.slice(start, end < 0 ? text.length : end) };
}

/** A string as a double-quoted YAML scalar on one line, whatever is in it. */
export function quoteYaml(value: string): string {
  const toEscape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, toEscape);
}

/** Text that begins like a quoted, block or bracketed value is only plain when it cannot be one. */
function isPlainText(value: string): boolean {
  if (/^["'|>!]/.test(value)) return false;
  const close = value.startsWith('[') ? value.lastIndexOf(']') : value.startsWith('{') ? value.lastIndexOf('}') : 0;
  return close >= 0 && (close === 0 || close < value.trimEnd().length - 1);
}

const PLAIN_LINE = /^([\p{L}\p{N}_][\p{L}\p{N}_ -]*:[ \t]+|[ \t]*-[ \t]+)(\S.*)$/u;

/** Quotes the plain values of the lines that failed; undefined when one of these lines is not of that kind. */
function quoteFailedLines(
  yaml: string,
  document: ParsedDocument,
): { source: string; repairs: YamlRepair[] } | undefined {
  const starts = new Set(document.errors.map((error) => lineAt(yaml, error.pos[0]).start));
  const repairs: YamlRepair[] = [];
  let source = '';
  let from = 0;
  for (const start of [...starts].sort((a, b) => a - b)) {
    const line = lineAt(yaml, start).text;
    const [, lead, rest] = PLAIN_LINE.exec(line) ?? [];
    if (lead === undefined || rest === undefined || !isPlainText(rest)) return undefined;
    const comment = rest.search(/[ \t]#/);
    const value = comment < 0 ? rest.trimEnd() : rest.slice(0, comment).trimEnd();
    source += yaml.slice(from, start) + lead + quoteYaml(value) + rest.slice(value.length);
    from = start + line.length;
    repairs.push({ at: start, message: `the value of this line needs quotes: ${quoteYaml(value.slice(0, 100))}` });
  }
  return { source: source + yaml.slice(from), repairs };
}

/** Turns nodes to JSON, following aliases within a budget that no nest of them can pass. */
class JsonReader {
  readonly faults: YamlFault[] = [];
  readonly #anchors = new Map<string, unknown>();
  #nodes = 0;

  read(node: unknown, depth = 0): Json {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES || depth > MAX_DEPTH)
      return this.#fault(node, 'TOO_LARGE', 'too many or too deep values');
    if (isAlias(node)) {
      if (!this.#anchors.has(node.source)) return this.#fault(node, 'YAML_PARSE', `nothing is named ${node.source}`);
      return this.read(this.#anchors.get(node.source), depth + 1);
    }
    const json = isSeq(node)
      ? this.#list(node.items, depth)
      : isMap(node)
        ? this.#map(node.items, depth)
        : this.#scalar(node);
    if ((isScalar(node) || isSeq(node) || isMap(node)) && node.anchor !== undefined)
      this.#anchors.set(node.anchor, node);
    return json;
  }

  #list(items: readonly unknown[], depth: number): Json[] {
    const list: Json[] = [];
    for (const item of items) {
      if (this.faults.length > 0) break;
      list.push(this.read(item, depth + 1));
    }
    return list;
  }

  #map(items: readonly unknown[], depth: number): Json {
    const map: { [key: string]: Json } = {};
    const seen = new Map<string, number>();
    for (const pair of items) {
      if (this.faults.length > 0 || !isPair(pair)) break;
      const key = keyText(pair.key);
      if (key === undefined) return this.#fault(pair.key, 'YAML_PARSE', 'a field needs a plain name');
      const at = positionOf(pair.key);
      const other = seen.get(key);
      if (other !== undefined) this.faults.push(duplicate(key, at, other));
      seen.set(key, at);
      const value = this.read(pair.value, depth + 1);
      Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
    }
    return map;
  }

  #scalar(node: unknown): Json {
    if (!isScalar(node)) return null;
    const { value, source = '' } = node;
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number') return String(value) === source ? value : source;
    if (value === null || value === undefined) return null;
    const text = typeof value === 'string' ? value : source;
    if (text.includes('\0')) return this.#fault(node, 'NULL_BYTES', 'a value holds a NUL character');
    if (!text.isWellFormed()) return this.#fault(node, 'YAML_PARSE', 'a value holds half of a surrogate pair');
    return text;
  }

  #fault(node: unknown, code: YamlFault['code'], message: string): null {
    this.faults.push({ code, at: positionOf(node), message });
    return null;
  }
}

function positionOf(node: unknown): number {
  return isScalar(node) || isSeq(node) || isMap(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
}
