// Edits and diffs: every refusal, what fences protect, and the laws that hold for any text.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffText, MAX_DIFF_BYTES } from './diff.ts';
import { applyEdits, type EditResult, findAll, MAX_EDITS, type TextEdit } from './edit.ts';
import { hiddenView, type Viewer } from './fences.ts';
import { toView } from './text-edge.ts';

const facts =
  '<!--- gbrain:facts:begin -->\n| # | claim | visibility |\n|--|--|--|\n' +
  '| 1 | tea | world |\n| 2 | hidden | private |\n<!--- gbrain:facts:end -->\n';
const takes = '<!--- gbrain:takes:begin -->\n| # | claim |\n|--|--|\n| 1 | guess |\n<!--- gbrain:takes:end -->\n';
const page = `# T\n\nfirst tea\n\n${facts}middle\n${takes}last\n`;

const edit = (text: string, pairs: [string, string][], viewer: Viewer = 'owner'): EditResult =>
  applyEdits(
    text,
    pairs.map(([oldText, newText]): TextEdit => ({ oldText, newText })),
    viewer,
  );
const edited = (...args: Parameters<typeof edit>): string => {
  const result = edit(...args);
  if (!result.ok) throw new Error(JSON.stringify(result));
  return result.text;
};

describe('applyEdits', () => {
  test('edits match the text as it was, in any order', () => {
    expect(
      edited('a b c', [
        ['c', 'a'],
        ['a', 'c'],
      ]),
    ).toBe('c b a');
    expect(
      edited('a b c', [
        ['a ', ''],
        ['b', 'x\ny'],
      ]),
    ).toBe('x\ny c');
    expect(
      edited(page, [
        ['first tea', 'coffee'],
        ['last', 'end'],
      ]),
    ).toBe(page.replace('first tea', 'coffee').replace('last', 'end'));
  });

  test('line ends are those of the file', () => {
    const crlf = `\ufeff${page.replaceAll('\n', '\r\n')}`;
    expect(edited(crlf, [['T\n\nfirst', 'X\nY']])).toBe(crlf.replace('T\r\n\r\nfirst', 'X\r\nY'));
    expect(edited('a\nb\n', [['a\r\nb', 'c\r\nd']])).toBe('c\nd\n');
  });

  test.each<[string, string, [string, string][], string, number, number]>([
    ['absent', 'abc', [['x', 'y']], 'edit_no_match', 0, 0],
    [
      'second absent',
      'abc',
      [
        ['a', 'y'],
        ['x', 'y'],
      ],
      'edit_no_match',
      1,
      0,
    ],
    ['twice', 'aba', [['a', 'y']], 'edit_ambiguous_match', 0, 2],
    ['overlapping itself', 'aaa', [['aa', 'y']], 'edit_ambiguous_match', 0, 2],
    ['in a fence', page, [['| 1 | guess |', '']], 'edit_protected_span', 0, 1],
    ['a marker', page, [['<!--- gbrain:takes:end -->\n', '']], 'edit_protected_span', 0, 1],
    ['across a border', page, [['middle\n<!---', 'x']], 'edit_protected_span', 0, 1],
    ['empty', 'abc', [['', 'x']], 'edit_invalid', 0, 0],
    ['same', 'a\r\nb', [['a\nb', 'a\r\nb']], 'edit_invalid', 0, 0],
    ['NUL', 'abc', [['a', '\0']], 'edit_invalid', 0, 0],
    ['half a pair', 'abc', [['a', '\ud800']], 'edit_invalid', 0, 0],
    [
      'overlap',
      'abcd',
      [
        ['abc', 'x'],
        ['cd', 'y'],
      ],
      'edit_invalid',
      1,
      0,
    ],
    ['none', 'abc', [], 'edit_invalid', 0, 0],
    [
      'too many',
      'abc',
      Array.from({ length: MAX_EDITS + 1 }, () => ['a', 'b'] as [string, string]),
      'edit_invalid',
      0,
      0,
    ],
  ])('%s is refused', (_, text, pairs, code, edit_index, match_count) => {
    expect(edit(text, pairs)).toMatchObject({ ok: false, code, edit_index, match_count });
  });

  test('a text that is in a fence too still counts once', () => {
    expect(edited(`tea\n${facts}`, [['tea', 'x']])).toBe(`x\n${facts}`);
  });

  test.each<[string, [string, string][]]>([
    ['code over the fences', [['first tea', '```']]],
    ['a fence made a quote', [['middle\n', 'middle\n> ']]],
    [
      'frontmatter around',
      [
        ['# T', '---\na: 1'],
        ['last', '---'],
      ],
    ],
    ['a second fence', [['middle', facts]]],
    ['a malformed marker', [['middle', '<!-- gbrain:facts:begin -->']]],
    ['a row before the end', [['middle\n', 'middle\n| 3 | x |\n<!--- gbrain:takes:end -->\n']]],
  ])('what a fence is does not change: %s', (_, pairs) => {
    expect(edit(page, pairs, 'world')).toMatchObject({ ok: false, code: 'edit_protected_span' });
    expect(edit(page, pairs, 'owner')).toMatchObject({ ok: false, code: 'edit_protected_span' });
  });

  test('whoever does not see a row cannot ask for it', () => {
    expect(edit(page, [['| 2 | hidden', 'x']], 'world')).toMatchObject({ code: 'edit_no_match', match_count: 0 });
    expect(edit(page, [['guess', 'x']], 'world')).toMatchObject({ code: 'edit_no_match', match_count: 0 });
    expect(edit(page, [['| 1 | tea', 'x']], 'world')).toMatchObject({ code: 'edit_protected_span', match_count: 1 });
    expect(edit(page, [['middle\nlast', 'x']], 'world')).toMatchObject({ code: 'edit_protected_span', match_count: 1 });
    expect(
      edited(
        page,
        [
          ['middle\n', 'm\n'],
          ['last', 'end'],
        ],
        'world',
      ),
    ).toBe(page.replace('middle', 'm').replace('last', 'end'));
  });

  test('law: an edit of what is seen is an edit of what is stored', () => {
    const word = fc.constantFrom('a', 'b', 'é', '😀', '\n', 'ab ');
    const text = fc
      .tuple(
        fc.array(word, { maxLength: 8 }),
        fc.array(word, { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.constantFrom('', facts, takes, facts + takes),
      )
      .map(([head, tail, eol, fence]) => `${head.join('')}\n${fence}${tail.join('')}`.replaceAll('\n', eol));
    const part = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 6 }));
    fc.assert(
      fc.property(text, part, fc.constantFrom<Viewer>('owner', 'world'), (stored, [at, length], viewer) => {
        const seen = toView(hiddenView(stored, viewer));
        const oldText = seen.slice(at % seen.length, (at % seen.length) + length);
        const result = edit(stored, [[oldText, 'NEW']], viewer);
        const count = [...findAll(seen, oldText)].length;
        const replaced = [...findAll(seen, oldText)].map(
          (at) => `${seen.slice(0, at)}NEW${seen.slice(at + oldText.length)}`,
        );
        if (result.ok) expect(replaced).toContain(toView(hiddenView(result.text, viewer)));
        else if (result.code === 'edit_ambiguous_match') expect(count).toBeGreaterThan(1);
        else if (result.code === 'edit_no_match') throw new Error('what is seen was not found');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('findAll', () => {
  test('law: it finds what indexOf finds', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(text, pattern, (inText, one) => {
        const expected: number[] = [];
        for (let at = inText.indexOf(one); at >= 0; at = inText.indexOf(one, at + 1)) expected.push(at);
        expect([...findAll(inText, one)]).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('a periodic text of 5 MB is searched in one pass', () => {
    const text = 'a'.repeat(5_000_000);
    expect(edit(text, [[`${'a'.repeat(2_500_000)}b`, 'x']])).toMatchObject({ code: 'edit_no_match' });
    expect(edit(text, [['a', 'x']])).toMatchObject({ code: 'edit_ambiguous_match', match_count: 1000 });
  });
});

/** Applies a diff of one file to its old text. */
const patch = (before: string, diff: string): string => {
  const lines = before.match(/[^\n]*\n|[^\n]+/g) ?? [];
  const output: string[] = [];
  let at = 0;
  const parts = diff.split('\n').slice(0, -1);
  for (const [index, line] of parts.entries()) {
    const head = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    const end = parts[index + 1]?.startsWith('\\') ? '' : '\n';
    if (head !== null) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      output.push(...lines.slice(at, start));
      at = start;
    } else if (line.startsWith('+')) output.push(line.slice(1) + end);
    else if (!line.startsWith('\\')) {
      if (lines[at] !== line.slice(1) + end) throw new Error(`line ${at} is ${lines[at]}, not ${line}`);
      if (line.startsWith(' ')) output.push(line.slice(1) + end);
      at += 1;
    }
  }
  return [...output, ...lines.slice(at)].join('');
};

describe('diffText', () => {
  test.each([
    ['a\n', 'a\n', ''],
    ['a\nb\nc\n', 'a\nB\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n'],
    ['', 'a\n', '@@ -0,0 +1 @@\n+a\n'],
    ['a', 'a\n', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n'],
    [
      '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
      '1\n2\n3\n4\n5x\n6\n7\n8\n9\n',
      '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+5x\n 6\n 7\n 8\n',
    ],
  ])('%j to %j', (before, after, diff) => {
    expect(diffText(before, after)).toEqual({ diff, truncated: false });
  });

  test('law: the diff applied to the old text is the new one', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd', 'e', '', 'f'), { maxLength: 20 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(patch(before, diffText(before, after).diff)).toBe(after);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['one long line', 'a', '😀'.repeat(1_000_000)],
    ['many lines', 'x\n'.repeat(100_000), 'y\n'.repeat(100_000)],
    [
      'all moved',
      Array.from({ length: 100_000 }, (_, i) => `${i}\n`).join(''),
      Array.from({ length: 100_000 }, (_, i) => `${99_999 - i}\n`).join(''),
    ],
  ])('the cap is on bytes and between code points: %s', (_, before, after) => {
    const { diff, truncated } = diffText(before, after);
    expect(truncated).toBe(true);
    expect(Buffer.byteLength(diff)).toBeGreaterThan(MAX_DIFF_BYTES - 5);
    expect(Buffer.byteLength(diff)).toBeLessThanOrEqual(MAX_DIFF_BYTES);
    expect(diff.isWellFormed()).toBe(true);
  });
});
