// Cuts the words around a reference that go with an edge, as a reader would see them.

import type { Mention, MentionBlock } from './mentions.ts';

/** About how many units of text a context has. */
export const CONTEXT_CHARS = 240;

/**
 * The words of `block` around [start, end), at most about 240 units of its text, references as their labels, on one
 * line. Never cuts into a reference or a surrogate pair.
 */
export function contextAround(
  text: string,
  block: MentionBlock,
  { start, end }: { start: number; end: number },
): string {
  const room = Math.max(0, CONTEXT_CHARS - (end - start)) >> 1;
  const span = Math.min(end, start + CONTEXT_CHARS);
  const from = outside(block.mentions, wordStart(text, Math.max(block.start, start - room), block.start), 'start');
  const to = outside(block.mentions, wordEnd(text, Math.min(block.end, span + room), block.end), 'end');
  const parts: string[] = [];
  let at = from;
  for (const mention of block.mentions) {
    if (mention.end <= at || mention.start >= to) continue;
    parts.push(text.slice(at, mention.start), mention.label);
    at = mention.end;
  }
  parts.push(text.slice(Math.min(at, to), to));
  return parts
    .join('')
    .replace(/\n[ \t]*(?:>[ \t]?)+/g, ' ')
    .replace(/[*`]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed();
}

function outside(mentions: readonly Mention[], at: number, side: 'start' | 'end'): number {
  return mentions.find(({ start, end }) => start < at && at < end)?.[side] ?? at;
}

/** A context does not begin or end in the middle of a word, unless the word has no end in sight. */
function wordStart(text: string, at: number, least: number): number {
  for (let to = at; to > least && to > at - 24; to--) if (/\s/.test(text[to - 1]!)) return to;
  return at;
}

function wordEnd(text: string, at: number, most: number): number {
  for (let to = at; to < most && to < at + 24; to++) if (/\s/.test(text[to]!)) return to;
  return at;
}
