// Reads a value written as JSON or as a Python literal: some published test sets hold the second. It reads text only
// and runs nothing of it.

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  a: '\x07',
  v: '\v',
  '0': '\0',
};
const NAMES: Readonly<Record<string, unknown>> = {
  None: null,
  True: true,
  False: false,
  null: null,
  true: true,
  false: false,
};
const CODE_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const DEPTH_MAX = 200;

/** The value of a text; throws a SyntaxError with the place of the first character that does not fit. */
export function readLiteral(text: string): unknown {
  const reader = new LiteralReader(text);
  const value = reader.value(0);
  reader.space();
  if (reader.at < text.length) reader.fail();
  return value;
}

class LiteralReader {
  at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  fail(): never {
    throw new SyntaxError(`unexpected text at character ${this.at + 1}`);
  }

  /** Skips spaces and remarks. */
  space(): void {
    const found = /(?:\s|#[^\n]*)*/y;
    found.lastIndex = this.at;
    found.exec(this.text);
    this.at = found.lastIndex;
  }

  private take(mark: string): boolean {
    this.space();
    if (this.text[this.at] !== mark) return false;
    this.at++;
    return true;
  }

  value(depth: number): unknown {
    if (depth > DEPTH_MAX) this.fail();
    if (this.take('{')) return this.object(depth + 1);
    if (this.take('[')) return this.list(']', depth + 1);
    if (this.take('(')) return this.list(')', depth + 1);
    const mark = this.text[this.at];
    if (mark === '"' || mark === "'") return this.strings();
    const word = /[-+\w.]+/y;
    word.lastIndex = this.at;
    const found = word.exec(this.text)?.[0];
    if (found === undefined) this.fail();
    if (Object.hasOwn(NAMES, found)) {
      this.at = word.lastIndex;
      return NAMES[found];
    }
    const number = Number(found.replaceAll('_', ''));
    if (Number.isNaN(number)) this.fail();
    this.at = word.lastIndex;
    return number;
  }

  private list(end: string, depth: number): unknown[] {
    const items: unknown[] = [];
    while (!this.take(end)) {
      items.push(this.value(depth));
      if (!this.take(',')) {
        if (!this.take(end)) this.fail();
        break;
      }
    }
    return items;
  }

  private object(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    while (!this.take('}')) {
      const key = this.value(depth);
      if (!this.take(':')) this.fail();
      entries.push([String(key), this.value(depth)]);
      if (!this.take(',')) {
        if (!this.take('}')) this.fail();
        break;
      }
    }
    return Object.fromEntries(entries);
  }

  /** Strings that stand beside each other are one. */
  private strings(): string {
    let whole = '';
    for (let mark = this.text[this.at]; mark === '"' || mark === "'"; mark = this.text[this.at]) {
      whole += this.string(mark);
      this.space();
    }
    return whole;
  }

  private string(mark: string): string {
    const end = this.text.startsWith(mark.repeat(3), this.at) ? mark.repeat(3) : mark;
    this.at += end.length;
    let whole = '';
    while (!this.text.startsWith(end, this.at)) {
      const one = this.text[this.at++];
      if (one === undefined) this.fail();
      whole += one === '\\' ? this.escape() : one;
    }
    this.at += end.length;
    return whole;
  }

  private escape(): string {
    const one = this.text[this.at++];
    if (one === undefined) this.fail();
    const length = CODE_LENGTHS[one];
    if (length === undefined) return one === '\n' ? '' : (ESCAPES[one] ?? (/['"\\/]/.test(one) ? one : `\\${one}`));
    const code = Number.parseInt(this.text.slice(this.at, this.at + length), 16);
    if (Number.isNaN(code) || code > 0x10ffff) this.fail();
    this.at += length;
    return String.fromCodePoint(code);
  }
}
