// Exact-once replacements in a page's text, all or none, never inside a fence and never by what the caller cannot see.
import { hiddenRanges, keepsFences, protectedSpans, type Viewer } from './fences.ts';
import { type Range, spliceView, toView } from './text-edge.ts';

/** One replacement; both texts may use any line ends. */
export interface TextEdit {
  oldText: string;
  newText: string;
}

/**
 * - `edit_no_match`, `edit_ambiguous_match`: the old text is not there, or not only once.
 * - `edit_protected_span`: it is there in a fence alone, or the edits would change what a fence is.
 * - `edit_invalid`: no edits or more than 50, an empty old text, no change, NUL or half a surrogate pair, an overlap.
 */
export type EditFault = 'edit_no_match' | 'edit_ambiguous_match' | 'edit_protected_span' | 'edit_invalid';

/** `edit_index` counts from 0; `match_count` stops at 1,000. */
export type EditResult =
  | { ok: true; text: string }
  | { ok: false; code: EditFault; edit_index: number; match_count: number; message: string };

/** Most edits of one call. */
export const MAX_EDITS = 50;
const MAX_MATCHES = 1000;
/** What can open, close or hide a fence. */
const FENCE_LIKE = /[`~>]|<!-|-->|---/;

/**
 * Replaces each old text, which must occur exactly once in the page as `viewer` sees it, by its new one. Every edit is
 * matched against the text as it was, so their order does not matter and they may not overlap. Line ends are compared
 * as `\n` and written in the file's own style; everything outside the replaced ranges stays byte for byte.
 */
export function applyEdits(text: string, edits: readonly TextEdit[], viewer: Viewer): EditResult {
  if (edits.length < 1 || edits.length > MAX_EDITS) return invalid(0, `a call takes 1 to ${MAX_EDITS} edits`);
  const view = toView(text);
  const seen = new SeenText(view, viewer);
  const placed: (Range & { text: string; index: number })[] = [];
  for (const [index, edit] of edits.entries()) {
    const oldText = toLines(edit.oldText);
    const newText = toLines(edit.newText);
    const flaw = describeFlaw(oldText, newText);
    if (flaw !== undefined) return invalid(index, flaw);
    const { free, held, first } = seen.find(oldText);
    if (free === 0) {
      const code = held > 0 ? 'edit_protected_span' : 'edit_no_match';
      const message =
        held > 0 ? 'the old text is inside a fence, which edits leave alone' : 'the old text is not in the page';
      return { ok: false, code, edit_index: index, match_count: held, message };
    }
    if (free > 1) {
      const message = 'the old text is in the page more than once: quote more of what is around it';
      return { ok: false, code: 'edit_ambiguous_match', edit_index: index, match_count: free, message };
    }
    placed.push({ start: first, end: first + oldText.length, text: newText, index });
  }
  placed.sort((a, b) => a.start - b.start);
  for (const [at, one] of placed.entries()) {
    const before = placed[at - 1];
    if (before !== undefined && one.start < before.end)
      return invalid(Math.max(one.index, before.index), 'two edits overlap');
  }
  const result = spliceView(text, placed);
  if (keepsFences(view, toView(result))) return { ok: true, text: result };
  const culprit = placed.find((one) => FENCE_LIKE.test(one.text + view.slice(one.start, one.end))) ?? placed[0];
  const message = 'the edits would change where a fence begins or ends, or make one that is malformed';
  return { ok: false, code: 'edit_protected_span', edit_index: culprit?.index ?? 0, match_count: 1, message };
}

/** The view without what the caller may not see, with the places where a match does not count. */
class SeenText {
  readonly #text: string;
  /** Pieces of the seen text: where each begins, there and in the view. */
  readonly #pieces: { seen: number; view: number }[];
  readonly #held: Range[];

  constructor(view: string, viewer: Viewer) {
    const pieces = [{ seen: 0, view: 0 }];
    let text = '';
    let from = 0;
    for (const range of hiddenRanges(view, viewer)) {
      text += view.slice(from, range.start);
      from = range.end;
      pieces.push({ seen: text.length, view: from });
    }
    this.#text = text + view.slice(from);
    this.#pieces = pieces;
    this.#held = protectedSpans(view);
  }

  /** How often a text occurs outside (`free`) and in or across (`held`) what is protected; `first` is in the view. */
  find(text: string): { free: number; held: number; first: number } {
    const count = { free: 0, held: 0, first: -1 };
    let piece = 0;
    let held = 0;
    for (const start of findAll(this.#text, text)) {
      while ((this.#pieces[piece + 1]?.seen ?? Number.POSITIVE_INFINITY) <= start) piece += 1;
      const at = start + (this.#pieces[piece]?.view ?? 0) - (this.#pieces[piece]?.seen ?? 0);
      const seam = this.#pieces[piece + 1]?.seen ?? Number.POSITIVE_INFINITY;
      while ((this.#held[held]?.end ?? Number.POSITIVE_INFINITY) <= at) held += 1;
      const across = seam < start + text.length;
      if (across || (this.#held[held]?.start ?? Number.POSITIVE_INFINITY) < at + text.length) {
        count.held += 1;
      } else {
        if (count.free === 0) count.first = at;
        count.free += 1;
      }
      if (count.free >= MAX_MATCHES) break;
    }
    return { ...count, held: Math.min(count.held, MAX_MATCHES) };
  }
}

/** Offsets of all occurrences, overlapping ones too, in one pass (Knuth, Morris and Pratt): linear for any input. */
export function* findAll(text: string, pattern: string): Generator<number> {
  const borders = new Int32Array(pattern.length);
  for (let index = 1, length = 0; index < pattern.length; index += 1) {
    while (length > 0 && pattern.charCodeAt(index) !== pattern.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (pattern.charCodeAt(index) === pattern.charCodeAt(length)) length += 1;
    borders[index] = length;
  }
  for (let index = 0, length = 0; index < text.length; index += 1) {
    while (length > 0 && text.charCodeAt(index) !== pattern.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(index) === pattern.charCodeAt(length)) length += 1;
    if (length < pattern.length) continue;
    yield index - length + 1;
    length = borders[length - 1] ?? 0;
  }
}

function describeFlaw(oldText: string, newText: string): string | undefined {
  if (oldText === '') return 'the old text is empty';
  if (oldText === newText) return 'the new text is the old one';
  if (/\0/.test(oldText + newText)) return 'a text holds a NUL character';
  if (!oldText.isWellFormed() || !newText.isWellFormed()) return 'a text holds half of a surrogate pair';
  return undefined;
}

/** The line ends of a view; a byte order mark is no line end and stays. */
function toLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

function invalid(index: number, message: string): EditResult {
  return { ok: false, code: 'edit_invalid', edit_index: index, match_count: 0, message };
}
