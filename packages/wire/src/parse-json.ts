// JSON text to a value, with a bound on how deep it is nested: what walks the value later may do so by recursion.

/** Deeper values are refused, so that hostile input cannot exhaust the stack. */
export const JSON_DEPTH_MAX = 1_000;

/** Parses text as `JSON.parse` does. Throws a SyntaxError too for text that is nested deeper than the bound. */
export function parseJson(text: string): unknown {
  if (isDeeper(text, JSON_DEPTH_MAX)) throw new SyntaxError(`it is nested deeper than ${JSON_DEPTH_MAX} levels`);
  return JSON.parse(text);
}

/** Looks at brackets outside strings. Of text that is no JSON it may say anything. */
function isDeeper(text: string, max: number): boolean {
  if (text.length <= max) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = findStringEnd(text, at);
    else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > max) return true;
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
  return false;
}

/** The closing quote of the string that opens at `start`: one behind an even number of backslashes. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === 0x5c) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
