// Edits one field of a page's frontmatter in place: comments, order, line ends and every other line stay as they are.
import { isScalar, isSeq, type ParsedNode } from 'yaml';
import { errorAt, type FrontmatterError, parseFrontmatter, tagKey } from './frontmatter.ts';
import { isEmptyNode, type Json, parseYamlBlock, quoteYaml, scalarText, type YamlField } from './frontmatter-yaml.ts';
import { type Range, spliceView, toView } from './text-edge.ts';

/** What a field can be set to. Text is written in double quotes, lists between brackets. */
export type FieldValue = string | number | boolean | readonly string[];

/** The edited file text, or why it could not be edited; `changed` is false when the text already says so. */
export type FrontmatterEdit = { ok: true; text: string; changed: boolean } | { ok: false; errors: FrontmatterError[] };

/** Sets a field where it stands, else as the last one; a page without a block gets one in front of its body. */
export function setField(text: string, key: string, value: FieldValue): FrontmatterEdit {
  const opened = openBlock(text);
  if (!opened.ok) return opened;
  const rendered = render(value);
  const field = opened.block.fields.find((one) => one.key === key);
  const splice =
    field === undefined ? insertField(opened.block, key, rendered) : replaceValue(opened.block, field, rendered);
  return finish(opened.block, [splice], { ...opened.block.data, [key]: expectedJson(key, value) });
}

/** Removes a field with its lines and with the comments between them. */
export function removeField(text: string, key: string): FrontmatterEdit {
  const opened = openBlock(text);
  if (!opened.ok) return opened;
  const { block } = opened;
  const index = block.fields.findIndex((one) => one.key === key);
  const field = block.fields[index];
  if (field === undefined) return { ok: true, text, changed: false };
  const { [key]: _removed, ...rest } = block.data;
  const whole = block.fields.map((one) => ({ start: block.base + one.keyStart, end: contentEnd(block, one) }));
  const range = block.flow ? flowCut(whole, index) : wholeLines(block.view, whole[index] ?? { start: 0, end: 0 });
  return finish(block, [{ ...range, text: '' }], rest);
}

/** Adds a tag after the others; one that differs from a tag of the page by case or a `#` alone is there already. */
export function addTag(text: string, tag: string): FrontmatterEdit {
  const opened = openBlock(text);
  if (!opened.ok) return opened;
  const { block } = opened;
  const name = tag.trim().replace(/^#+/, '').trim();
  if (name === '' || /[\u0000-\u001f\u007f,]/.test(name) || !name.isWellFormed()) {
    return { ok: false, errors: [errorAt(block.view, 'NOT_EDITABLE', 0, 'a tag is one line of text without a comma')] };
  }
  const tags = tagsOf(block);
  if (tags.some((one) => tagKey(one) === tagKey(name))) return { ok: true, text, changed: false };
  const node = block.fields.find((one) => one.key === 'tags')?.node ?? null;
  const last = isSeq(node) ? node.items.at(-1) : undefined;
  const expected = { ...block.data, tags: [...tags, name] };
  if (isSeq(node) && isScalar(last) && last.range && !isEmptyNode(last)) {
    const end = block.base + last.range[1];
    if (node.flow) return finish(block, [{ start: end, end, text: `, ${quoteYaml(name)}` }], expected);
    const lead = /^[ \t]*-[ \t]+/.exec(lineFrom(block.view, lineStart(block.view, end - 1)))?.[0];
    const at = wholeLines(block.view, { start: end, end }).end;
    if (lead !== undefined)
      return finish(block, [{ start: at, end: at, text: `${lead}${quoteYaml(name)}\n` }], expected);
  }
  return setField(text, 'tags', [...tags, name]);
}

/** Removes a tag in every way that it is written; the last one takes the field with it. */
export function removeTag(text: string, tag: string): FrontmatterEdit {
  const opened = openBlock(text);
  if (!opened.ok) return opened;
  const { block } = opened;
  const tags = tagsOf(block);
  const kept = tags.filter((one) => tagKey(one) !== tagKey(tag));
  if (kept.length === tags.length) return { ok: true, text, changed: false };
  if (kept.length === 0) return removeField(text, 'tags');
  const node = block.fields.find((one) => one.key === 'tags')?.node ?? null;
  if (!isSeq(node) || !node.items.every((item) => isScalar(item))) return setField(text, 'tags', kept);
  const ranges = node.items.map((item) => rangeOf(block, item as ParsedNode));
  const gone = node.items.flatMap((item, index) => (tagKey(scalarText(item) ?? '') === tagKey(tag) ? [index] : []));
  if (node.flow && gone.length > 1) return setField(text, 'tags', kept);
  const splices = gone.map((index) => {
    const range = ranges[index] ?? { start: 0, end: 0 };
    return { ...(node.flow ? flowCut(ranges, index) : wholeLines(block.view, range)), text: '' };
  });
  const edited = finish(block, splices, { ...block.data, tags: kept });
  return edited.ok ? edited : setField(text, 'tags', kept);
}

interface OpenBlock {
  text: string;
  view: string;
  present: boolean;
  /** Offset of the YAML in the view, and of its end. */
  base: number;
  end: number;
  flow: boolean;
  fields: YamlField[];
  data: { [key: string]: Json };
}

type Splice = Range & { text: string };

/** The block with its nodes. Lines that were read as if quoted are quoted first, so that what follows is plain YAML. */
function openBlock(original: string): { ok: true; block: OpenBlock } | { ok: false; errors: FrontmatterError[] } {
  const read = parseFrontmatter(toView(original));
  if (!read.ok) return read;
  const { present, yamlStart: base, yamlEnd, data } = read.frontmatter;
  const yaml = toView(original).slice(base, yamlEnd);
  const parsed = parseYamlBlock(yaml);
  if (!parsed.ok) throw new Error('a frontmatter block that was read cannot be read again');
  const text = spliceView(original, base === 0 ? [] : changedLines(yaml, parsed.source, base));
  const { fields, flow } = parsed;
  return {
    ok: true,
    block: { text, view: toView(text), present, base, end: base + parsed.source.length, flow, fields, data },
  };
}

function changedLines(before: string, after: string, base: number): Splice[] {
  if (before === after) return [];
  const next = after.split('\n');
  let at = base;
  return before.split('\n').flatMap((line, index) => {
    const splice = { start: at, end: at + line.length, text: next[index] ?? '' };
    at += line.length + 1;
    return splice.text === line ? [] : [splice];
  });
}

/** Writes the splices and reads the result again: unless it says exactly what was meant, nothing was edited. */
function finish(block: OpenBlock, splices: readonly Splice[], expected: { [key: string]: Json }): FrontmatterEdit {
  const text = spliceView(block.text, splices);
  const read = parseFrontmatter(toView(text));
  if (read.ok && sameFields(read.frontmatter.data, expected)) return { ok: true, text, changed: text !== block.text };
  const message = 'this field is written in a way that cannot be edited on its own';
  return { ok: false, errors: [errorAt(block.view, 'NOT_EDITABLE', splices[0]?.start ?? 0, message)] };
}

function sameFields(a: { [key: string]: Json }, b: { [key: string]: Json }): boolean {
  const sorted = (data: { [key: string]: Json }) =>
    JSON.stringify(Object.entries(data).sort(([x], [y]) => (x < y ? -1 : 1)));
  return sorted(a) === sorted(b);
}

function insertField(block: OpenBlock, key: string, rendered: string): Splice {
  const name = /^[A-Za-z_][\w-]*$/.test(key) ? key : quoteYaml(key);
  const line = `${name}: ${rendered}`;
  if (!block.present) return { start: 0, end: 0, text: `---\n${line}\n---\n` };
  const last = block.fields.at(-1);
  if (block.flow) {
    const at = last === undefined ? block.view.lastIndexOf('}', block.end - 1) : contentEnd(block, last);
    return { start: at, end: at, text: last === undefined ? line : `, ${line}` };
  }
  const first = block.base + (block.fields[0]?.keyStart ?? 0);
  const indent = block.fields.length === 0 ? '' : ' '.repeat(first - lineStart(block.view, first));
  return { start: block.end, end: block.end, text: `${indent}${line}\n` };
}

/** A value on one line is replaced alone, so that a comment behind it stays; any other from the colon to its end. */
function replaceValue(block: OpenBlock, field: YamlField, rendered: string): Splice {
  const end = contentEnd(block, field);
  const colon = block.view.indexOf(':', block.base + field.keyEnd) + 1;
  const node = isEmptyNode(field.node) ? null : field.node;
  const start = node === null ? colon : block.base + (node.range?.[0] ?? 0);
  if (node !== null && !block.view.slice(colon, end).includes('\n')) return { start, end, text: rendered };
  return { start: colon, end, text: ` ${rendered}` };
}

/** Where the field's value ends, white space and line ends behind it left out. */
function contentEnd(block: OpenBlock, field: YamlField): number {
  const start = block.base + field.keyStart;
  const colon = block.view.indexOf(':', block.base + field.keyEnd) + 1;
  const end = Math.max(colon, block.base + (field.node?.range?.[1] ?? 0));
  return start + block.view.slice(start, end).trimEnd().length;
}

function rangeOf(block: OpenBlock, node: ParsedNode): Range {
  return { start: block.base + (node.range?.[0] ?? 0), end: block.base + (node.range?.[1] ?? 0) };
}

/** An item between commas: with the comma before it, the first with the one behind. */
function flowCut(items: readonly Range[], index: number): Range {
  const item = items[index] ?? { start: 0, end: 0 };
  const before = items[index - 1];
  const after = items[index + 1];
  if (before !== undefined) return { start: before.end, end: item.end };
  return { start: item.start, end: after === undefined ? item.end : after.start };
}

/** The lines that a range touches, the last line's end included. */
function wholeLines(view: string, range: Range): Range {
  const end = view.indexOf('\n', range.end);
  return { start: lineStart(view, range.start), end: end < 0 ? view.length : end + 1 };
}

function lineStart(view: string, at: number): number {
  return at <= 0 ? 0 : view.lastIndexOf('\n', at - 1) + 1;
}

function lineFrom(view: string, start: number): string {
  const end = view.indexOf('\n', start);
  return view.slice(start, end < 0 ? view.length : end);
}

function tagsOf(block: OpenBlock): string[] {
  const { tags } = block.data;
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}

function render(value: FieldValue): string {
  if (typeof value === 'string') return quoteYaml(value);
  return typeof value === 'object' ? `[${value.map(quoteYaml).join(', ')}]` : String(value);
}

/** What reading the field back gives. */
function expectedJson(key: string, value: FieldValue): Json {
  const probe = parseFrontmatter(`---\n${quoteYaml(key)}: ${render(value)}\n---\n`);
  const read = probe.ok ? probe.frontmatter.data[key] : undefined;
  return read ?? (typeof value === 'object' ? [...value] : value);
}
