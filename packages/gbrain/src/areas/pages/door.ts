// What a caller may see of a page's text, and how a text that it sends meets rows that it cannot see. Pure.
import { raise } from '../../failure.ts';
import { mergeBack } from './fence-merge.ts';
import { type FenceError, hiddenView, parseFences } from './fences.ts';

/** The text that a caller sees: all of it for the owner, without hidden rows for everybody else. */
export const seenText = (text: string, isOwner: boolean): string => hiddenView(text, isOwner ? 'owner' : 'world');

function refuseFence(errors: readonly FenceError[], slug: string): never {
  const [first] = errors;
  if (!first) throw new Error('a fence was refused without a reason');
  const { line, column, text, reason } = first;
  return raise('invalid_fence', { slug, line, column, text, reason, problem: first.message });
}

/**
 * The text to store when a caller sends `sent` for a page that stands at `stored`: rows that it could not see come back
 * at their places. Raises `invalid_fence` for a text whose tables cannot be told apart from prose.
 */
export function mergedText(stored: string | undefined, sent: string, at: { isOwner: boolean; slug: string }): string {
  if (sent === stored) return sent;
  if (stored === undefined || at.isOwner) {
    const parsed = parseFences(sent);
    if (!parsed.ok) refuseFence(parsed.errors, at.slug);
    return sent;
  }
  const merged = mergeBack(stored, sent);
  if (!merged.ok) refuseFence(merged.errors, at.slug);
  return merged.text;
}
