// Page text at the tool's edge: whole Unicode without NUL, within the bounds of a page. Refused with its place.
import { raise } from '../../failure.ts';
import { parseText, type TextFault } from './text-edge.ts';

const PROBLEMS: Record<Exclude<TextFault, 'too_large'>, string> = {
  invalid_utf8: 'the bytes are not UTF-8',
  nul: 'a NUL character',
  lone_surrogate: 'half of a surrogate pair',
};

/** The text itself. Raises `content_rejected` (`encoding`) with line and column, or `file_too_large`. */
export function checkedText(text: string, slug: string): string {
  const parsed = parseText(text);
  if (parsed.ok) return parsed.edge.text;
  const { reason, at, line, column } = parsed;
  if (reason === 'too_large') raise('file_too_large', { slug });
  return raise('content_rejected', {
    slug,
    reason: 'encoding',
    problem: PROBLEMS[reason],
    line,
    column,
    detail: `position=${at}`,
  });
}
