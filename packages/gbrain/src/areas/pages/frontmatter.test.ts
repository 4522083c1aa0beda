// Frontmatter: the split, values as their authors wrote them, every fault with its place, hostile blocks.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Frontmatter, type FrontmatterError, MAX_FRONTMATTER_LENGTH, parseFrontmatter } from './frontmatter.ts';

const read = (view: string): Frontmatter => {
  const result = parseFrontmatter(view);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.frontmatter;
};
const refused = (view: string): FrontmatterError[] => {
  const result = parseFrontmatter(view);
  if (result.ok) throw new Error(`read: ${JSON.stringify(result.frontmatter.data)}`);
  return result.errors;
};
const data = (yaml: string) => read(`---\n${yaml}\n---\n`).data;

describe('the split', () => {
  test.each([
    ['body\n', false, 'body\n', 1],
    ['', false, '', 1],
    ['---\na: 1\n---\nbody', true, 'body', 4],
    ['---\na: 1\n---', true, '', 4],
    ['--- \na: 1\n---\t\nbody', true, 'body', 4],
    ['---\n---\nbody', true, 'body', 3],
    ['----\na\n---\n', false, '----\na\n---\n', 1],
    ['\n---\na: 1\n---\n', false, '\n---\na: 1\n---\n', 1],
    ['---\na: 1\n---\n\n---\n\nprose: no\n', true, '\n---\n\nprose: no\n', 4],
    ['---\na: 1\n---\n---\nNot a field.\n---\n', true, '---\nNot a field.\n---\n', 4],
  ])('%j', (view, present, body, line) => {
    const frontmatter = read(view);
    expect(frontmatter.present).toBe(present);
    expect(view.slice(frontmatter.bodyStart)).toBe(body);
    expect(frontmatter.bodyLine).toBe(line);
  });

  test.each([
    ['---', 'MISSING_CLOSE', 1, 1, '---'],
    ['---\ntitle: x\n', 'MISSING_CLOSE', 1, 1, '---'],
    ['---\ntitle: x\n---\n\n---\ntitle: y\n---\n', 'STACKED_BLOCKS', 5, 1, '---'],
    ['---\njust prose\n---\n', 'YAML_PARSE', 2, 1, 'just prose'],
    ['---\n- a\n---\n', 'YAML_PARSE', 2, 1, '- a'],
    ['---\nok: 1\ntags: [a\n---\n', 'YAML_PARSE', 3, 9, 'tags: [a'],
    ['---\ntitle: "Foo "bar" baz"\n---\n', 'NESTED_QUOTES', 2, 14, 'title: "Foo "bar" baz"'],
    ['---\ntitle: "unclosed\nb: 1\n---\n', 'YAML_PARSE', 3, 5, 'b: 1'],
    ['---\n\ttitle: x\n---\n', 'YAML_PARSE', 2, 1, '\ttitle: x'],
    ['---\na: 1\n b: 2\n---\n', 'YAML_PARSE', 2, 4, 'a: 1'],
    ['---\na: b\n...\nc: d\n---\n', 'YAML_PARSE', 3, 1, '...'],
    ['---\na: *nope\n---\n', 'YAML_PARSE', 2, 4, 'a: *nope'],
    ['---\na: 1\nb: 2\na: 3\n---\n', 'DUPLICATE_KEY', 4, 1, 'a: 3'],
    ['---\nx:\n  a: 1\n  a: 2\n---\n', 'DUPLICATE_KEY', 4, 3, '  a: 2'],
    ['---\nx: 1\ntitle: [a]\n---\n', 'NON_STRING_FIELD', 3, 1, 'title: [a]'],
    ['---\ntags:\n  - {a: 1}\n---\n', 'NON_STRING_FIELD', 2, 1, 'tags:'],
    ['---\na: "x\\0"\n---\n', 'NULL_BYTES', 2, 4, 'a: "x\\0"'],
    ['---\na: "\\ud800"\n---\n', 'YAML_PARSE', 2, 4, 'a: "\\ud800"'],
  ])('%j is %s in line %d', (view, code, line, column, text) => {
    expect(refused(view)[0]).toMatchObject({ code, line, column, text });
  });

  test('both lines of a collision are named', () => {
    expect(refused('---\na: 1\nb: 2\na: 3\n---\n')[0]).toMatchObject({ line: 4, other_line: 2 });
    expect(refused('---\na: 1\n---\n---\na: 1\n---\n')[0]).toMatchObject({ line: 4, other_line: 1 });
  });
});

describe('values', () => {
  test.each([
    ['title: 2026', { title: '2026' }],
    ['title: true', { title: 'true' }],
    ['title: 1.10', { title: '1.10' }],
    ['title: Null', { title: 'Null' }],
    ['title:', { title: null }],
    ["title: 'it''s'", { title: "it's" }],
    ['title: foo\n  bar', { title: 'foo bar' }],
    ['date: 2024-01-05', { date: '2024-01-05' }],
    ['date: 20240105', { date: '20240105' }],
    ['tags: [2026, true, 1.10, " x ", ~]', { tags: ['2026', 'true', '1.10', 'x'] }],
    ['tags:\n- a\n-\n- "#b"', { tags: ['a', '#b'] }],
    ['tags: a, b,', { tags: ['a', 'b'] }],
    ['aliases: Doe, Jane', { aliases: ['Doe, Jane'] }],
    ['n: 3\nf: 1.5\nb: true\nz: null', { n: 3, f: 1.5, b: true, z: null }],
    ['phone: 0123\nv: 1.10\nbig: 12345678901234567890', { phone: '0123', v: '1.10', big: '12345678901234567890' }],
    ['x: .inf\ny: .nan\nw: 0x1F', { x: '.inf', y: '.nan', w: '0x1F' }],
    ['d: 2024-01-05T10:00:00Z\ny: yes', { d: '2024-01-05T10:00:00Z', y: 'yes' }],
    ['m:\n  a: [1, {b: c}]', { m: { a: [1, { b: 'c' }] } }],
    ['a: &x {n: 1}\nb: *x', { a: { n: 1 }, b: { n: 1 } }],
    ['1: x\ntrue: y', { '1': 'x', true: 'y' }],
    ['a: !mine x', { a: 'x' }],
    ['f: |\n  a\n  b', { f: 'a\nb\n' }],
  ])('%j', (yaml, expected) => {
    expect(data(yaml)).toEqual(expected);
  });

  test('a field called __proto__ is a field', () => {
    expect(Object.keys(data('__proto__: {a: 1}\nx: {__proto__: 2}'))).toEqual(['__proto__', 'x']);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  test.each([
    ['title: Foo: bar', 'Foo: bar'],
    ['title: `code` first', '`code` first'],
    ['title: @alice', '@alice'],
    ['title: - dash', '- dash'],
    ['title: [draft] My title', '[draft] My title'],
    ['title: *star* note', '*star* note'],
    ['title: %x', '%x'],
    ['title: Foo: bar # kept as a comment', 'Foo: bar'],
    ['x: a: b\ntitle: c: d', 'c: d'],
  ])('%j is read as the text that it is, and reported', (yaml, title) => {
    const frontmatter = read(`---\nfirst: 1\n${yaml}\n---\n`);
    expect(frontmatter.data.title).toBe(title);
    expect(frontmatter.data.first).toBe(1);
    expect(frontmatter.repairs[0]?.line).toBe(3);
  });

  test('fields know their lines', () => {
    expect([...read('---\n# c\na: 1\nb:\n  - x\n\nc: 2\n---\n').lines]).toEqual([
      ['a', 3],
      ['b', 4],
      ['c', 7],
    ]);
  });
});

describe('hostile blocks', () => {
  test('a nest of aliases is refused', () => {
    const levels = Array.from({ length: 20 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`);
    const bomb = `---\nl0: &l0 [x]\n${levels.join('\n')}\n---\n`;
    expect(refused(bomb)[0]?.code).toBe('TOO_LARGE');
    expect(refused('---\na: &a [*a]\n---\n')[0]?.code).toBe('YAML_PARSE');
  });

  test.each([
    ['deep brackets', `a: ${'['.repeat(200)}${']'.repeat(200)}`, 'TOO_LARGE'],
    ['very deep brackets', `a: ${'['.repeat(30_000)}`, 'YAML_PARSE'],
    ['deep items', `${'- '.repeat(30_000)}a`, 'YAML_PARSE'],
    ['many values', `a: [${'x,'.repeat(25_000)}]`, 'TOO_LARGE'],
    ['many colons', ': '.repeat(30_000), 'YAML_PARSE'],
    ['long', `a: ${'x'.repeat(MAX_FRONTMATTER_LENGTH)}`, 'TOO_LARGE'],
  ])('%s', (_, yaml, code) => {
    expect(refused(`---\n${yaml}\n---\n`)[0]?.code).toBe(code);
  });

  test('law: a text that opens with a fence is read or refused with a place, never taken for body alone', () => {
    const piece = fc.constantFrom(
      'a',
      'title',
      ': ',
      '\n',
      '- ',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      '#',
      '|',
      '&x',
      '*x',
      '  ',
      '---',
      '?',
      '!',
      '%',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const view = `---\n${pieces.join('')}\n---\nbody\n`;
        const result = parseFrontmatter(view);
        if (result.ok) {
          expect(result.frontmatter.present).toBe(true);
          JSON.stringify(result.frontmatter.data);
        } else {
          const lines = view.split('\n');
          for (const error of result.errors) {
            expect(error.text).toBe(lines[error.line - 1]);
            expect(error.column).toBeGreaterThan(0);
            expect(error.column).toBeLessThanOrEqual(error.text.length + 1);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
