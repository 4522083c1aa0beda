// What a caller may see of a page's text, and how a text that it sends meets rows that it cannot see. Pure.

const FENCE = '<!--- gbrain:';

function assertPlain(text: string): void {
  if (text.includes(FENCE)) throw new Error('tables inside pages are not read yet');
}

/** The text that a caller sees: all of it for the owner, without hidden rows for everybody else. */
export function seenText(text: string, isOwner: boolean): string {
  if (!isOwner) assertPlain(text);
  return text;
}

/** A caller's text with the rows that it could not see put back where they stood. */
export function mergedText(stored: string | undefined, sent: string, isOwner: boolean): string {
  if (!isOwner) assertPlain(`${stored ?? ''}${sent}`);
  return sent;
}
