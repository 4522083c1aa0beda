// Puts one entry into the configuration text of an agent app, or takes it out, and leaves every other byte of meaning
// as it was: comments, order and unknown settings stay. Pure; an edit that cannot be shown to be only that is refused.
import { isDeepStrictEqual } from 'node:util';
import type { App, Entry } from './apps.ts';

/** Why a text was not edited: it is not what its app writes, or its entry stands where it cannot be replaced alone. */
export type EditRefusal = 'not_readable' | 'not_editable';

/** Thrown instead of an edit that could damage the file. */
export class EditRefused extends Error {
  readonly reason: EditRefusal;
  constructor(reason: EditRefusal, cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

type Table = Record<string, unknown>;

const tableOf = (value: unknown): Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {};

const serversIn = (content: Table, path: readonly string[]): Table =>
  path.reduce<Table>((at, key) => tableOf(at[key]), content);

/** The content without one entry, and without tables that are empty then: what must be the same before and after. */
function others(content: Table, [head, ...rest]: readonly string[]): Table {
  const { [head!]: inner, ...kept } = content;
  if (rest.length === 0 || inner === undefined) return kept;
  const left = others(tableOf(inner), rest);
  return Object.keys(left).length > 0 ? { ...kept, [head!]: left } : kept;
}

type Jsonc = typeof import('jsonc-parser');

/** The package is CommonJS where it is run from source, and a module in the bundle. */
async function jsonc(): Promise<Jsonc> {
  const loaded = (await import('jsonc-parser')) as Jsonc & { default?: Jsonc };
  return loaded.default ?? loaded;
}

async function parse(format: App['format'], text: string): Promise<Table> {
  if (text.trim() === '') return {};
  try {
    if (format === 'toml') return (await import('smol-toml')).parse(text) as Table;
    const { parse: parseJson, printParseErrorCode } = await jsonc();
    const errors: { error: number; offset: number; length: number }[] = [];
    const content: unknown = parseJson(text, errors, { allowTrailingComma: true });
    if (errors.length > 0) throw new SyntaxError(printParseErrorCode(errors[0]!.error));
    if (tableOf(content) !== content) throw new SyntaxError('its root is no object');
    return content as Table;
  } catch (error) {
    throw new EditRefused('not_readable', error);
  }
}

/** The servers that a configuration text registers, by name. Throws `EditRefused`. */
export const readServers = async (app: App, text: string): Promise<Table> =>
  serversIn(await parse(app.format, text), app.path);

interface Node {
  offset: number;
  length: number;
  children?: Node[];
}

const endOf = ({ offset, length }: Node): number => offset + length;

/** White space in front of a place on its line; undefined when something else stands there. */
const indentAt = (text: string, offset: number): string | undefined =>
  /(?:^|\n)([ \t]*)$/.exec(text.slice(0, offset))?.[1];

/**
 * A property put behind the last one of an object, or without a key a value behind the last one of a list; nothing else
 * of the text moves.
 */
function insertInto(text: string, object: Node, key: string | undefined, value: unknown): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const last = object.children?.at(-1);
  const outer = /(?:^|\n)([ \t]*)[^\n]*$/.exec(text.slice(0, object.offset))?.[1] ?? '';
  const unit = /\n(\t| +)\S/.exec(text)?.[1] ?? '  ';
  const indent = (last && indentAt(text, last.offset)) ?? outer + unit;
  const lines = JSON.stringify(value, null, unit)
    .split('\n')
    .join(eol + indent);
  const property = `${eol}${indent}${key === undefined ? '' : `${JSON.stringify(key)}: `}${lines}`;
  if (last) return `${text.slice(0, endOf(last))},${property}${text.slice(endOf(last))}`;
  const close = endOf(object) - 1;
  const inside = text.slice(object.offset + 1, close);
  const kept = inside.trim() === '' ? '' : inside.trimEnd();
  return `${text.slice(0, object.offset + 1)}${kept}${property}${eol}${outer}${text.slice(close)}`;
}

function removeProperty(text: string, object: Node, property: Node): string {
  const siblings = object.children ?? [];
  const at = siblings.indexOf(property);
  const before = siblings[at - 1];
  const after = siblings[at + 1];
  if (before) return text.slice(0, endOf(before)) + text.slice(endOf(property));
  if (after) return text.slice(0, property.offset) + text.slice(after.offset);
  return text.slice(0, object.offset + 1) + text.slice(endOf(object) - 1);
}

/** The entry put in, replaced or taken out by its place in the text. */
async function editJson(given: string, path: readonly string[], entry: unknown): Promise<string> {
  const { findNodeAtLocation, parseTree } = await jsonc();
  const text = given.trim() === '' ? '{}\n' : given;
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (!root) throw new EditRefused('not_readable');
  const found = findNodeAtLocation(root, [...path]);
  if (found?.parent?.parent) {
    if (entry === undefined) return removeProperty(text, found.parent.parent, found.parent);
    const indent = indentAt(text, found.parent.offset) ?? '';
    const unit = /\n(\t| +)\S/.exec(text)?.[1] ?? '  ';
    const value = JSON.stringify(entry, null, unit).split('\n').join(`\n${indent}`);
    return text.slice(0, found.offset) + value + text.slice(endOf(found));
  }
  if (entry === undefined) return given;
  // The deepest table of the path that is there takes the rest of it.
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const table = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth));
    if (table?.type !== 'object') continue;
    const value = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), entry);
    return insertInto(text, table, path[depth]!, value);
  }
  throw new EditRefused('not_editable');
}

/** Lines of the table of an entry with its subtables: from its head to the next head of another table. */
function tomlBlock(lines: readonly string[], path: readonly string[]): { start: number; end: number } | undefined {
  const keys = path.map((key) => `(?:${key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}|"${key}"|'${key}')`);
  const head = new RegExp(`^\\s*\\[\\s*${keys.join('\\s*\\.\\s*')}\\s*(?:\\.[^\\]]*)?\\]\\s*(?:#.*)?$`);
  const start = lines.findIndex((line) => head.test(line));
  if (start === -1) return undefined;
  const next = lines.findIndex((line, i) => i > start && /^\s*\[/.test(line) && !head.test(line));
  let end = next === -1 ? lines.length : next;
  // Comments and blank lines in front of the next table belong to that one, blank lines at the end to the file.
  const isBeside = next === -1 ? /^\s*$/ : /^\s*(?:#.*)?$/;
  while (end > start + 1 && isBeside.test(lines[end - 1]!)) end -= 1;
  return { start, end };
}

async function editToml(text: string, path: readonly string[], entry: Entry | undefined): Promise<string> {
  const { stringify } = await import('smol-toml');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text === '' ? [] : text.split(/\r?\n/);
  const nested = [...path].reverse().reduce<unknown>((inner, key) => ({ [key]: inner }), entry ?? {});
  const block =
    entry === undefined
      ? []
      : stringify(nested as Table)
          .trimEnd()
          .split('\n');
  const found = tomlBlock(lines, path);
  if (found) {
    const before = lines.slice(0, found.start);
    // The blank line that set the table apart goes with it.
    if (block.length === 0) while (before.at(-1)?.trim() === '') before.pop();
    const after = lines.slice(found.end);
    return [
      ...before,
      ...block,
      ...(block.length === 0 && before.length > 0 && after[0]?.trim() ? [''] : []),
      ...after,
    ].join(eol);
  }
  if (block.length === 0) return text;
  while (lines.at(-1)?.trim() === '') lines.pop();
  return [...lines, ...(lines.length > 0 ? [''] : []), ...block, ''].join(eol);
}

/**
 * The text with `entry` under `name`, or without that entry when it is undefined. Everything else means what it meant:
 * checked by reading both texts. Throws `EditRefused`.
 */
export async function editServers(app: App, text: string, name: string, entry: Entry | undefined): Promise<string> {
  const before = await parse(app.format, text);
  const path = [...app.path, name];
  const edited = app.format === 'toml' ? await editToml(text, path, entry) : await editJson(text, path, entry);
  const after = await parse(app.format, edited).catch((error: unknown) => {
    throw new EditRefused('not_editable', error);
  });
  const isAsWanted = isDeepStrictEqual(plain(serversIn(after, app.path)[name]), plain(entry));
  if (!isAsWanted || !isDeepStrictEqual(plain(others(after, path)), plain(others(before, path)))) {
    throw new EditRefused('not_editable');
  }
  return edited;
}

/** One item of a list, and which items count as an earlier one of it. */
export interface ListItem {
  isOurs(value: unknown): boolean;
  /** Undefined takes it out. */
  item: Entry | undefined;
}

async function editItem(text: string, path: readonly string[], { isOurs, item }: ListItem): Promise<string> {
  const { findNodeAtLocation, getNodeValue, parseTree } = await jsonc();
  const root = text.trim() === '' ? undefined : parseTree(text, [], { allowTrailingComma: true });
  const list = root && findNodeAtLocation(root, [...path]);
  if (!root || !list) return item === undefined ? text : editJson(text, path, [item]);
  if (list.type !== 'array') throw new EditRefused('not_editable');
  const own = list.children?.find((child) => isOurs(getNodeValue(child)));
  if (!own) return item === undefined ? text : insertInto(text, list, undefined, item);
  if (item === undefined) {
    if (list.children!.length > 1) return removeProperty(text, list, own);
    // Tables that would be empty then go with it.
    let depth = path.length;
    while (depth > 1 && findNodeAtLocation(root, path.slice(0, depth - 1))?.children?.length === 1) depth -= 1;
    return editJson(text, path.slice(0, depth), undefined);
  }
  const indent = indentAt(text, own.offset) ?? '';
  const unit = /\n(\t| +)\S/.exec(text)?.[1] ?? '  ';
  const value = JSON.stringify(item, null, unit).split('\n').join(`\n${indent}`);
  return text.slice(0, own.offset) + value + text.slice(endOf(own));
}

const listIn = (content: Table, path: readonly string[]): unknown[] => {
  const found = serversIn(content, path.slice(0, -1))[path.at(-1)!];
  return Array.isArray(found) ? found : [];
};

/** The item of ours in a list of a JSON text; undefined where there is none. Throws `EditRefused`. */
export const readItem = async (text: string, path: readonly string[], isOurs: ListItem['isOurs']): Promise<unknown> =>
  listIn(await parse('json', text), path).find(isOurs);

/**
 * A JSON text with an item in a list, in the place of an earlier one of it, or without it. Everything else means what
 * it meant: checked by reading both texts. Throws `EditRefused`.
 */
export async function editList(text: string, path: readonly string[], change: ListItem): Promise<string> {
  const before = await parse('json', text);
  const edited = await editItem(text, path, change);
  const after = await parse('json', edited).catch((error: unknown) => {
    throw new EditRefused('not_editable', error);
  });
  const theirs = (content: Table) => plain(listIn(content, path).filter((one) => !change.isOurs(one)));
  const ours = listIn(after, path).filter(change.isOurs);
  const isAsWanted = isDeepStrictEqual(plain(ours), plain(change.item === undefined ? [] : [change.item]));
  const isRestKept = isDeepStrictEqual(plain(others(after, path)), plain(others(before, path)));
  if (!isAsWanted || !isRestKept || !isDeepStrictEqual(theirs(after), theirs(before))) {
    throw new EditRefused('not_editable');
  }
  return edited;
}

/** Without the prototypes that a parser gives its tables; dates of TOML stay what they are. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
