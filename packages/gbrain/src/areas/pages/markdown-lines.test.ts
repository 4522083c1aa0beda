// What is code, quote and comment, line by line.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indentOf, walkLines } from './markdown-lines.ts';

const kinds = (text: string): string => [...walkLines(text)].map((line) => line.kind.charAt(0)).join('');

describe('walkLines', () => {
  test.each([
    ['', ''],
    ['a\n\nb', 'tbt'],
    ['```\n# x\n```\ny', 'ccct'],
    ['~~~ js\n```\n~~~\ny', 'ccct'],
    ['````\n```\n````\ny', 'ccct'],
    ['``` a`b\ny', 'tt'],
    ['```\nx\n``` y\nz', 'cccc'],
    ['    ```\n    x\ny', 'ttt'],
    ['- a\n\n  ```\n  x\n  ```\n  y', 'tbccct'],
    ['- ```\n  x\n  ```\ny', 'ccct'],
    ['1. a\n   ```\n   x\ny', 'tcct'],
    ['> ```\n> x\ny', 'qqt'],
    ['> a\n```\nx\n```', 'qccc'],
    ['<!-- a -->\ny', 'ct'],
    ['<!-- a\n# b\n\nc --> d\ny', 'cccct'],
    ['<!-- a\nb', 'tt'],
    ['```\n<!--\n```\ny -->', 'ccct'],
    ['\t```\nx', 'tt'],
    ['   ```\nx\n   ```\ny', 'ccct'],
  ])('%j is %s', (text, expected) => {
    expect(kinds(text)).toBe(expected);
    expect(kinds(text.replaceAll('\n', '\r\n'))).toBe(expected);
    expect(kinds(text.replaceAll('\n', '\r'))).toBe(expected);
  });

  test('law: the lines are the text, and any markdown is walked', () => {
    const piece = fc.constantFrom(
      '```',
      '~~~',
      '> ',
      '- ',
      '1. ',
      '<!--',
      '-->',
      '  ',
      '\t',
      '\n',
      '\r\n',
      '\r',
      'a',
      '# ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        const lines = [...walkLines(text)];
        expect(lines.map((line) => text.slice(line.start, line.next)).join('')).toBe(text);
        expect(lines.every((line, index) => line.number === index + 1)).toBe(true);
        expect(lines.every((line) => !/[\r\n]/.test(line.text))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('hostile inputs are walked once', () => {
    const openings = '<!-- x\n'.repeat(300_000);
    expect([...walkLines(openings)]).toHaveLength(300_000);
    expect([...walkLines('`'.repeat(5_000_000))]).toHaveLength(1);
    expect([...walkLines(`${' '.repeat(5_000_000)}x`)]).toHaveLength(1);
  });

  test('indentation counts columns', () => {
    expect(indentOf(' \tx')).toBe(4);
    expect(indentOf('\t\tx')).toBe(8);
    expect(indentOf('')).toBe(0);
  });
});
