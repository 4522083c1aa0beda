// A slug argument of an operation: parsed by the one constructor, or refused with a corrected call where that is safe.
import type { Context } from '../../context.ts';
import { parseSlug, type Slug, type SlugFault } from './slug.ts';

const EXPECTED: Record<SlugFault, string> = {
  empty: 'a slug, for example people/alice-example',
  leading_slash: 'a slug without a slash in front',
  empty_segment: 'a slug without an empty part between slashes',
  dot_segment: 'a slug without a part of dots alone',
  control_character: 'a slug without control characters',
  bidi_control: 'a slug without characters that turn the direction of text',
  backslash: 'a slug with / between its parts',
  percent_encoded: 'a slug that is not percent-encoded',
  lone_surrogate: 'a slug of whole characters',
  link_syntax: 'a slug, not a markdown link',
  segment_too_long: 'a slug with at most 255 bytes between slashes',
  too_long: 'a slug of at most 512 bytes',
};

/** Faults of writing alone: the name that is meant is plain. */
const MENDABLE: ReadonlySet<SlugFault> = new Set(['leading_slash', 'empty_segment', 'backslash']);

function mended(text: string): Slug | undefined {
  const parts = text.trim().replaceAll('\\', '/').split('/');
  const result = parseSlug(parts.filter((part) => part.trim() !== '').join('/'));
  return result.ok ? result.slug : undefined;
}

/**
 * The slug of an argument, `slug` unless the operation calls it otherwise. Raises `invalid_params`, with the same call
 * corrected where only the writing is wrong.
 */
export function requireSlug(
  ctx: Context,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  param = 'slug',
): Slug {
  const given = String(input[param]);
  const parsed = parseSlug(given);
  if (parsed.ok) return parsed.slug;
  const better = MENDABLE.has(parsed.reason) ? mended(given) : undefined;
  return ctx.fail('invalid_params', {
    tool: operation,
    param,
    problem: 'shape',
    expected: EXPECTED[parsed.reason],
    reason: parsed.reason,
    ...(better !== undefined && { corrected: { ...input, [param]: better } }),
  });
}
