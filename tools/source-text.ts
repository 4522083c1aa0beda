// Reads TypeScript as text for the repository's own tests: imports and function sizes. No compiler, no types.

/** Specifiers that a file imports or re-exports; type-only imports too unless `types` is false. */
export function importsOf(content: string, options: { types?: boolean } = {}): string[] {
  const statement = /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/g;
  const dynamic = /\bimport\('([^']+)'\)/g;
  const found = [...content.matchAll(statement)]
    .filter(([, type]) => options.types !== false || !type)
    .map(([, , to]) => to!);
  return options.types === false ? found : [...found, ...[...content.matchAll(dynamic)].map(([, to]) => to!)];
}

/** Source with the insides of strings, templates, comments and regular expressions blanked; lines stay. */
export function blanked(content: string): string {
  const pattern = new RegExp(
    [
      String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`,
      String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"`,
      '`(?:\\\\.|[^`\\\\])*`',
      // A regular expression stands where a value may begin.
      String.raw`(?<=[=(,:[!&|?{};\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*`,
    ].join('|'),
    'g',
  );
  return content.replace(pattern, (match) => match.replace(/[^\n]/g, ' '));
}

/** Position behind the bracket that closes the one at `open`. */
function behindClosing(source: string, open: number): number {
  let depth = 0;
  for (let i = open; i < source.length; i++) {
    if ('([{'.includes(source[i]!)) depth++;
    else if (')]}'.includes(source[i]!) && --depth === 0) return i + 1;
  }
  return source.length;
}

function countParameters(list: string): number {
  let depth = 0;
  let count = list.trim() === '' ? 0 : 1;
  for (let i = 0; i < list.length; i++) {
    const c = list[i]!;
    if ('([{<'.includes(c)) depth++;
    else if (')]}'.includes(c) || (c === '>' && list[i - 1] !== '=')) depth--;
    else if (c === ',' && depth === 0 && list.slice(i + 1).trim() !== '') count++;
  }
  return count;
}

/** A named function or method with its size. */
export interface FunctionSize {
  name: string;
  lines: number;
  parameters: number;
}

/** Named functions, methods and arrow functions of a file with their sizes. */
export function functionsOf(content: string): FunctionSize[] {
  const source = blanked(content);
  const types = String.raw`(?:<[^()]*?>)?`;
  const heads = new RegExp(
    [
      String.raw`(?:\bfunction\s*\*?\s*(\w+)\s*${types}`,
      String.raw`\bconst\s+(\w+)\s*=\s*(?:async\s*)?${types}`,
      String.raw`\n {2}(?:static |async |override |private )*\*?(#?\w+)${types})\s*\(`,
    ].join('|'),
    'g',
  );
  const found: FunctionSize[] = [];
  for (const match of source.matchAll(heads)) {
    const name = match[1] ?? match[2] ?? match[3]!;
    if (/^(if|for|while|switch|catch|return|super|constructor)$/.test(name) && name !== 'constructor') continue;
    const open = match.index + match[0].length - 1;
    const close = behindClosing(source, open);
    // A brace right behind `:`, `<`, `|`, `&`, `,` or `(` belongs to the type of what it gives; any other is the body.
    const type = /^\s*(?::[^={;]*?(?:(?<=[:<|&,(]\s*)\{[^{}]*\}[^={;]*?)?)?(?:=>\s*)?(?<![:<|&,(]\s*)\{/;
    const after = type.exec(source.slice(close, close + 400));
    if (!after) continue;
    const end = behindClosing(source, close + after[0].length - 1);
    const lines = source.slice(match.index, end).trimStart().split('\n').length;
    found.push({ name, lines, parameters: countParameters(source.slice(open + 1, close - 1)) });
  }
  return found;
}
