// Reads the inline markup of one block: where references stand and what is code, comment or tag. It gives targets as
// they are written and knows nothing of pages, slugs or folders.

import { UnitClass, unitClass } from '../chunks/measure.ts';
import type { Span } from '../chunks/visible.ts';
import { CODE_ENDING } from './targets.ts';
import type { TextBlock } from './text-blocks.ts';

/**
 * How a reference is written. `path` is a bare `dir/slug` in prose, `code` a bare source file with or without a line.
 */
export type ReferenceForm = 'wikilink' | 'embed' | 'markdown' | 'image' | 'path' | 'code';

/** A reference as it is written, before anybody asks what it leads to. */
export interface RawReference extends Span {
  readonly form: ReferenceForm;
  /** Target as written, without brackets, label or title. */
  readonly dest: string;
  /** What a reader sees in its place. */
  readonly label: string;
}

/** Inline view of one block. `masked` is code, comments and tags: no part of its prose. */
export interface InlineView {
  readonly references: readonly RawReference[];
  readonly masked: readonly Span[];
}

/** Targets of `[label]: target` lines by label, as `labelKey` gives it. */
export type Definitions = ReadonlyMap<string, string>;

const TARGET_CHARS_MAX = 1000;
const TAG = /<\/?[A-Za-z][^<>]*>/y;
const DEFINITION = /\[([^[\]^\n][^[\]\n]*)\]:[ \t]*\n?[ \t]*(<[^<>\n]*>|[^\s<]\S*)/y;

/** Form in which labels of reference links are compared. Source: CommonMark 0.31, matching of link labels. */
export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

/** Definitions that a block consists of; undefined when it is ordinary prose. */
export function readDefinitions(text: string, block: TextBlock): [string, string][] | undefined {
  if (block.kind !== 'paragraph' || text.charCodeAt(block.start) !== 91) return undefined;
  const found: [string, string][] = [];
  let at = block.start;
  while (at < block.end) {
    DEFINITION.lastIndex = at;
    const match = DEFINITION.exec(text);
    if (!match || DEFINITION.lastIndex > block.end) return found.length > 0 ? found : undefined;
    found.push([labelKey(match[1]!), match[2]!.replace(/^<|>$/g, '')]);
    const newline = text.indexOf('\n', DEFINITION.lastIndex);
    at = newline < 0 ? block.end : newline + 1;
    while (at < block.end && (text[at] === ' ' || text[at] === '\t')) at++;
  }
  return found;
}

/** References and masked stretches of `block`. Linear: no unit is looked at more than a few times. */
export function scanInline(text: string, block: TextBlock, definitions: Definitions): InlineView {
  const scan = new InlineScan(text, block, definitions);
  return scan.run();
}

interface OpenBracket {
  readonly at: number;
  readonly image: boolean;
  /** How many references were known when it opened; those after it stand inside the label. */
  readonly known: number;
}

class InlineScan {
  readonly #text: string;
  readonly #end: number;
  readonly #definitions: Definitions;
  readonly #references: RawReference[] = [];
  readonly #masked: Span[];
  readonly #brackets: OpenBracket[] = [];
  /** How many of the open brackets can no longer make a link, for a link stands inside them. */
  #spent = 0;
  /** Runs of backticks by length, positions descending, so that the next one is popped. */
  #ticks: Map<number, number[]> | undefined;
  /**
   * Set once no comment or code element ends any more, so that many openings do not search the rest again and again.
   */
  #noComment = false;
  #noCode = false;
  /** A bare path does not reach back over this. */
  #floor: number;
  #at: number;

  constructor(text: string, block: TextBlock, definitions: Definitions) {
    this.#text = text;
    this.#end = block.end;
    this.#definitions = definitions;
    this.#masked = [...block.prefixes];
    this.#at = block.start;
    this.#floor = block.start;
  }

  run(): InlineView {
    while (this.#at < this.#end) {
      if (!this.#step(this.#text.charCodeAt(this.#at))) this.#at++;
    }
    return { references: this.#references, masked: this.#masked.sort((a, b) => a.start - b.start) };
  }

  /** Handles the construct that begins here and moves behind it; false when there is none. */
  #step(code: number): boolean {
    switch (code) {
      case 92: // \
        this.#jump(Math.min(this.#at + 2, this.#end));
        return true;
      case 96: // `
        return this.#codeSpan();
      case 60: // <
        return this.#commentOrTag();
      case 91: // [
        return this.#openBracket();
      case 93: // ]
        return this.#closeBracket();
      case 47: // /
        return this.#path();
      default:
        return false;
    }
  }

  #jump(to: number): void {
    this.#at = to;
    this.#floor = to;
  }

  #mask(end: number): true {
    this.#masked.push({ start: this.#at, end });
    this.#jump(end);
    return true;
  }

  #codeSpan(): boolean {
    const size = runLength(this.#text, this.#at, this.#end);
    this.#ticks ??= tickRuns(this.#text, this.#at, this.#end);
    const runs = this.#ticks.get(size) ?? [];
    while (runs.length > 0 && runs[runs.length - 1]! <= this.#at) runs.pop();
    const close = runs.pop();
    if (close !== undefined) return this.#mask(close + size);
    this.#jump(this.#at + size);
    return true;
  }

  #commentOrTag(): boolean {
    if (this.#text.startsWith('<!--', this.#at)) {
      const close = this.#noComment ? -1 : indexWithin(this.#text, '-->', this.#at + 4, this.#end);
      if (close >= 0) return this.#mask(close + 3);
      this.#noComment = true;
      return false;
    }
    TAG.lastIndex = this.#at;
    if (!TAG.test(this.#text) || TAG.lastIndex > this.#end) return false;
    const end = TAG.lastIndex;
    // Text inside a code element is code, as between backticks.
    if (!this.#noCode && /^<code[\s>]/i.test(this.#text.slice(this.#at, this.#at + 6))) {
      const close = indexWithin(this.#text, '</code>', end, this.#end);
      if (close >= 0) return this.#mask(close + 7);
      this.#noCode = true;
    }
    return this.#mask(end);
  }

  #openBracket(): boolean {
    const image = this.#at > this.#floor && this.#text.charCodeAt(this.#at - 1) === 33;
    if (this.#text.charCodeAt(this.#at + 1) === 91 && this.#wikilink(image)) return true;
    this.#brackets.push({ at: this.#at, image, known: this.#references.length });
    this.#jump(this.#at + 1);
    return true;
  }

  #wikilink(embed: boolean): boolean {
    const inner = this.#at + 2;
    let close = inner;
    let bar = -1;
    for (; close < this.#end && close - inner <= TARGET_CHARS_MAX; close++) {
      const code = this.#text.charCodeAt(close);
      if (code === 124 && bar < 0) bar = close;
      if (code === 91 || code === 93 || code === 10) break;
    }
    if (!this.#text.startsWith(']]', close) || close + 2 > this.#end || close === inner) return false;
    if (this.#isLinkText(close + 2)) return false;
    const escaped = bar > inner && this.#text.charCodeAt(bar - 1) === 92;
    const dest = this.#text.slice(inner, bar < 0 ? close : escaped ? bar - 1 : bar).trim();
    const label = bar < 0 ? dest : this.#text.slice(bar + 1, close).trim();
    if (dest !== '') {
      const start = embed ? this.#at - 1 : this.#at;
      this.#references.push({ form: embed ? 'embed' : 'wikilink', start, end: close + 2, dest, label: label || dest });
    }
    this.#jump(close + 2);
    return true;
  }

  /** `[[1]](address)` is an ordinary link whose label wears brackets; `[[Alice]](a remark)` is not. */
  #isLinkText(at: number): boolean {
    if (this.#text.charCodeAt(at) !== 40) return false;
    const dest = this.#destination(at + 1);
    return dest !== undefined && /[/.#:]/.test(dest.text);
  }

  #closeBracket(): boolean {
    const open = this.#brackets.pop();
    if (!open) return false;
    const spent = this.#brackets.length < this.#spent;
    if (spent) this.#spent = this.#brackets.length;
    if (spent && !open.image) return false;
    const next = this.#text.charCodeAt(this.#at + 1);
    const inline = next === 40 ? this.#destination(this.#at + 2) : undefined;
    const found = inline ?? (this.#definitions.size > 0 ? this.#defined(open.at, next) : undefined);
    if (!found) return false;
    // A link in a label is impossible, and a path there is only how the label reads; an image there stays.
    const inside = this.#references.splice(open.known).filter(({ form }) => form === 'image' || form === 'embed');
    const start = open.image ? open.at - 1 : open.at;
    const label = this.#text.slice(open.at + 1, this.#at);
    this.#references.push(...inside);
    if (!open.image) this.#spent = this.#brackets.length;
    this.#references.push({ form: open.image ? 'image' : 'markdown', start, end: found.end, dest: found.text, label });
    this.#jump(found.end);
    return true;
  }

  /** Target and title of an inline link whose parenthesis opens before `at`; `end` is behind the closing one. */
  #destination(at: number): { text: string; end: number } | undefined {
    const limit = Math.min(this.#end, at + TARGET_CHARS_MAX);
    let from = skipBlank(this.#text, at, limit);
    const angled = this.#text.charCodeAt(from) === 60;
    if (angled) from++;
    let depth = 0;
    let to = from;
    for (; to < limit; to++) {
      const code = this.#text.charCodeAt(to);
      if (code === 92) to++;
      else if (code === 10 || (angled ? code === 62 : code <= 32)) break;
      else if (!angled && code === 40) depth++;
      else if (!angled && code === 41 && depth-- === 0) break;
      else if (code === 93 && this.#text.charCodeAt(to + 1) === 40) return undefined;
    }
    const text = this.#text.slice(from, to).replace(/\\([!-/:-@[-`{-~])/g, '$1');
    const end = this.#closeParenthesis(angled ? to + 1 : to, limit);
    return end === undefined ? undefined : { text, end };
  }

  #closeParenthesis(at: number, limit: number): number | undefined {
    let to = skipBlank(this.#text, at, limit);
    const quote = this.#text[to];
    if (to > at && (quote === '"' || quote === "'" || quote === '(')) {
      const close = indexWithin(this.#text, quote === '(' ? ')' : quote, to + 1, limit);
      if (close < 0) return undefined;
      to = skipBlank(this.#text, close + 1, limit);
    }
    return to < limit && this.#text.charCodeAt(to) === 41 ? to + 1 : undefined;
  }

  /** A full, collapsed or shortcut reference link. */
  #defined(open: number, next: number): { text: string; end: number } | undefined {
    let label = this.#text.slice(open + 1, this.#at);
    let end = this.#at + 1;
    if (next === 91) {
      const close = indexWithin(this.#text, ']', this.#at + 2, Math.min(this.#end, this.#at + TARGET_CHARS_MAX));
      if (close < 0) return undefined;
      if (close > this.#at + 2) label = this.#text.slice(this.#at + 2, close);
      end = close + 1;
    }
    const text = label.length > TARGET_CHARS_MAX ? undefined : this.#definitions.get(labelKey(label));
    return text === undefined ? undefined : { text, end };
  }

  /** A bare path: the run of path characters around this slash, read once. */
  #path(): boolean {
    let start = this.#at;
    while (start > this.#floor && isPathUnit(this.#text.charCodeAt(start - 1))) start--;
    let end = this.#at + 1;
    while (end < this.#end && isPathUnit(this.#text.charCodeAt(end))) end++;
    const run = this.#text.slice(start, Math.min(end, start + TARGET_CHARS_MAX)).replace(/[.:,_~-]+$/, '');
    const before = start > 0 ? this.#text[start - 1]! : ' ';
    // The target of a link that its author escaped is no path either.
    const apart = !/[#@\\$&=[]/.test(before) && !this.#text.startsWith('](', start - 2);
    const form = apart && end - start <= TARGET_CHARS_MAX ? pathForm(run) : undefined;
    if (form) this.#references.push({ form, start, end: start + run.length, dest: run, label: run });
    this.#jump(end);
    return true;
  }
}

const CODE_PATH = new RegExp(`^(?:[\\w.@-]+/)+[\\w.@-]+${CODE_ENDING}(?::\\d+(?:[-:]\\d+)?)?$`);
/**
 * Segments of lower-case words, digits and `. _ -`; a path with a scheme, a drive, capitals or a leading dot is
 * another thing.
 */
const SLUG_PATH = /^\p{Ll}[\p{Ll}\p{Lo}\p{M}\p{N}_-]*(?:\/[\p{Ll}\p{Lo}\p{M}\p{N}][\p{Ll}\p{Lo}\p{M}\p{N}._-]*)+$/u;

function pathForm(run: string): ReferenceForm | undefined {
  if (CODE_PATH.test(run)) return 'code';
  return SLUG_PATH.test(run) ? 'path' : undefined;
}

function isPathUnit(code: number): boolean {
  if (code < 128) {
    const unit = unitClass(code);
    return (
      unit === UnitClass.letter ||
      unit === UnitClass.digit ||
      code === 45 ||
      code === 46 ||
      code === 47 ||
      code === 58 ||
      code === 64 ||
      code === 126
    );
  }
  const unit = unitClass(code);
  return unit === UnitClass.foreign || unit === UnitClass.mark;
}

function runLength(text: string, at: number, end: number): number {
  let to = at;
  while (to < end && text.charCodeAt(to) === 96) to++;
  return to - at;
}

function tickRuns(text: string, start: number, end: number): Map<number, number[]> {
  const runs = new Map<number, number[]>();
  for (let at = text.indexOf('`', start); at >= 0 && at < end; at = text.indexOf('`', at)) {
    const size = runLength(text, at, end);
    const known = runs.get(size);
    if (known) known.push(at);
    else runs.set(size, [at]);
    at += size;
  }
  for (const positions of runs.values()) positions.reverse();
  return runs;
}

/** Where `token` begins in `text[from, limit)`, or -1; never looks beyond. */
function indexWithin(text: string, token: string, from: number, limit: number): number {
  const at = text.slice(from, limit).indexOf(token);
  return at < 0 ? -1 : from + at;
}

function skipBlank(text: string, at: number, limit: number): number {
  let to = at;
  while (to < limit && (text.charCodeAt(to) === 32 || text.charCodeAt(to) === 9)) to++;
  return to;
}
