// Text scripts that read like a manual and run over the built binary. test/e2e/README.md shows the grammar.
// This file parses and matches; it runs nothing.

/** What one command of a script is, and how it must end. */
export interface Step {
  /** Line number of the command in its file. */
  line: number;
  command: string;
  stdin: string[] | 'closed' | 'open';
  /** Expected lines; undefined where the document is checked by path instead. */
  stdout: string[] | undefined;
  stderr: string[];
  /** Values of the JSON document on stdout, by path. */
  values: { line: number; path: string; expected: string }[];
  exit: number;
}

/** A parsed script. */
export interface Script {
  /** Its first line of prose. */
  title: string;
  /** What its home holds: nothing, a brain, or a brain that a server has open. */
  given: 'an empty home' | 'a brain' | 'a running server';
  steps: Step[];
}

/** Texts that the steps before have kept, by name. */
export type Kept = Map<string, string>;

const PATTERNS: Readonly<Record<string, string>> = {
  uuid: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  date: '\\d{4}-\\d{2}-\\d{2}',
  time: '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z',
  n: '\\d+',
  hash: '[0-9a-f]+',
  any: '.*',
};

function takeLine(script: Script, text: string, line: number): void {
  const step = script.steps.at(-1);
  const fail = (why: string): never => {
    throw new Error(`line ${line}: ${why}: ${text}`);
  };
  if (text.trim() === '') return;
  if (text.startsWith('#')) {
    script.title ||= text.replace(/^#+\s*/, '');
  } else if (text === 'given an empty home' || text === 'given a running server') {
    script.given = text.slice(6) as Script['given'];
  } else if (text.startsWith('$ ')) {
    script.steps.push({ line, command: text.slice(2), stdin: 'closed', stdout: [], stderr: [], values: [], exit: 0 });
  } else if (!step) {
    fail('nothing runs before this line');
  } else if (/^exit \d+$/.test(text)) {
    step.exit = Number(text.slice(5));
  } else if (text === 'stdin open') {
    step.stdin = 'open';
  } else if (text.startsWith('= ')) {
    const found = /^= (\S+) (.+)$/.exec(text) ?? fail('a path and a value are wanted');
    step.values.push({ line, path: found[1]!, expected: found[2]! });
    step.stdout = undefined;
  } else {
    takeText(step, text, fail);
  }
}

function takeText(step: Step, text: string, fail: (why: string) => never): void {
  const found = /^([<>!])(?: (.*))?$/.exec(text) ?? fail('no line of a script begins so');
  const [, mark, rest = ''] = found;
  if (mark === '<') step.stdin = [...(Array.isArray(step.stdin) ? step.stdin : []), rest];
  else if (mark === '!') step.stderr.push(rest);
  else step.stdout?.push(rest);
}

/** Reads a script; throws with the line that is none. */
export function parseScript(text: string): Script {
  const script: Script = { title: '', given: 'a brain', steps: [] };
  for (const [index, line] of text.split('\n').entries()) takeLine(script, line, index + 1);
  return script;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** A line with `{uuid}`, `{any:name}`, `$name` as a regular expression; the names are its groups. */
export function linePattern(line: string, kept: Kept): RegExp {
  const source = line
    .split(/(\{(?:uuid|date|time|n|hash|any)(?::\w+)?\}|\$\w+)/)
    .map((part) => {
      const [, kind, name] = /^\{(\w+)(?::(\w+))?\}$/.exec(part) ?? [];
      if (kind && PATTERNS[kind]) return name ? `(?<${name}>${PATTERNS[kind]})` : PATTERNS[kind];
      const variable = /^\$(\w+)$/.exec(part)?.[1];
      return escaped(variable !== undefined && kept.has(variable) ? kept.get(variable)! : part);
    })
    .join('');
  return new RegExp(`^${source}$`, 's');
}

function matchLine(expected: string, actual: string, kept: Kept): boolean {
  const found = linePattern(expected, kept).exec(actual);
  for (const [name, value] of Object.entries(found?.groups ?? {})) if (value !== undefined) kept.set(name, value);
  return found !== null;
}

/** Matches lines in order; `...` stands for any number of them. Undefined when they fit, else what does not. */
export function matchLines(expected: readonly string[], actual: readonly string[], kept: Kept): string | undefined {
  let at = 0;
  for (const [index, line] of expected.entries()) {
    if (line === '...') {
      const next = expected[index + 1];
      if (next === undefined) return undefined;
      while (at < actual.length && !linePattern(next, kept).test(actual[at]!)) at += 1;
    } else if (at >= actual.length) {
      return `nothing where ${JSON.stringify(line)} is expected`;
    } else if (!matchLine(line, actual[at]!, kept)) {
      return `${JSON.stringify(actual[at])} where ${JSON.stringify(line)} is expected`;
    } else {
      at += 1;
    }
  }
  return at < actual.length ? `${JSON.stringify(actual[at])} where nothing is expected` : undefined;
}

/** The value at a path such as `fix.argv.0`; undefined where there is none. */
export function valueAt(document: unknown, path: string): unknown {
  if (path === '.') return document;
  let value = document;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

const parseJson = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
};

/**
 * Compares a value of the document: `absent`, `present`, a JSON value, or a line pattern for its text. A list of plain
 * words is compared as its words with blanks between. Undefined when it fits, else what is there.
 */
export function matchValue(document: unknown, path: string, expected: string, kept: Kept): string | undefined {
  const value = valueAt(document, path);
  const shown = JSON.stringify(value);
  if (expected === 'absent') return value === undefined ? undefined : shown;
  if (expected === 'present') return value === undefined ? 'nothing' : undefined;
  const json = parseJson(expected);
  if (json && JSON.stringify(json.value) === shown) return undefined;
  const words = Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join(' ') : undefined;
  const text = typeof value === 'string' ? value : (words ?? shown ?? 'nothing');
  return matchLine(expected, text, kept) ? undefined : (shown ?? 'nothing');
}

/** Lines of an output; its last line break ends a line and begins none. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
