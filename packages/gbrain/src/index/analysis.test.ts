// What a text becomes: words in order, and what lies over them.
import { describe, expect, it } from 'vitest';
import { SKIP_MARK, TERM_LENGTH_MAX, tokensOf } from './analysis.ts';

const check = (text: string, words: string, extras = ''): void => {
  const tokens = tokensOf(text);
  expect(tokens.words.join(' ')).toBe(words);
  expect(tokens.extras.join(' ')).toBe(extras);
  expect(tokens.extraAt).toHaveLength(tokens.extras.length);
  for (const at of tokens.extraAt) expect(at).toBeLessThan(tokens.words.length);
};

describe('words', () => {
  it('lowers case and keeps accents', () => check('Zoë  HÅKANSSON', 'zoë håkansson'));
  it('reads full-width and ligature forms as plain ones', () => check('ＡＢＣ ﬁne', 'abc fine'));
  it('drops the possessive', () => check("Mira's kiln, James’s hut", 'mira kiln james hut'));
  it('joins a contraction over its parts', () => check('don’t', 'don t', 'dont'));
  it('joins a name with an apostrophe', () => check("O'Brien's dog", 'o brien dog', 'obrien'));
  it('finds nothing in punctuation, controls and lone surrogates', () => check('\u0000 -- ?! \ud800 …', ''));
  it('takes a pictograph as a word', () => check('done🎉now', 'done 🎉 now'));
  it('cuts endless words', () => expect(tokensOf('x'.repeat(5000)).words).toEqual(['x'.repeat(TERM_LENGTH_MAX)]));
});

describe('identifiers', () => {
  it('keeps an invoice number whole and in parts', () => check('INV-20931.', 'inv 20931', 'inv-20931'));
  it('reads paths', () => check('src/io/read.ts', 'src io read ts', 'src/io/read.ts read.ts'));
  it('reads snake and camel case', () =>
    check(
      'snake_case parseHttpRequest HTTPServer',
      'snake case parsehttprequest httpserver',
      'snake_case parse http request http server',
    ));
  it('tells C++ and C# from C', () => check('C++ C# C', 'c c c', 'c++ c#'));
  it('reads grouped numbers', () => check('1,234.5', '1 234 5', '1234.5 1,234.5'));
  it('leaves a comma between words alone', () => check('a,b', 'a b'));
});

describe('links', () => {
  it('reads a labelled link as its label, its target whole', () =>
    check('see [[people/mira-kettle|Mira Kettle]] there', 'see mira kettle there', 'people/mira-kettle'));
  it('reads a markdown link alike', () =>
    check('[the plan](https://a.example/p?q=1) x', 'the plan x', 'https://a.example/p?q=1'));
  it('reads a bare link by its words', () => check('[[mira-kettle]]', 'mira kettle', 'mira-kettle'));
});

describe('dates', () => {
  it.each([
    ['on March 8, 2024', '2024-03-08 2024-03'],
    ['8 May, 2023', '2023-05-08 2023-05'],
    ['in März 2024', '2024-03'],
    ['2024-03-08', '2024-03-08 2024-03'],
  ])('gives %s its normal form', (text, dates) => expect(tokensOf(text).extras.join(' ')).toBe(dates));
  it('reads a date inside a slug', () => expect(tokensOf('meetings/2024-03-08-kiln').extras).toContain('2024-03-08'));
  it('reads a date with year, month and day signs', () =>
    expect(tokensOf('2025年10月24日').extras).toEqual(expect.arrayContaining(['2025-10-24', '2025-10'])));
});

describe('scripts without spaces', () => {
  it('reads pairs, distant pairs and the last character', () =>
    check('冷链仓库', '冷链 链仓 仓库', `${SKIP_MARK}冷仓 ${SKIP_MARK}链库 库`));
  it('reads one character as a word', () => check('茶', '茶'));
  it('reads kana, Hangul and Thai alike', () =>
    check(
      'フェリー 부산항 ไทย',
      'フェ ェリ リー 부산 산항 ไท ทย',
      `${SKIP_MARK}フリ ${SKIP_MARK}ェー ー ${SKIP_MARK}부항 항 ${SKIP_MARK}ไย ย`,
    ));
});
