// Field and tag edits: the exact text that results, and that nothing else changes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFrontmatter, tagKey } from './frontmatter.ts';
import { addTag, type FieldValue, type FrontmatterEdit, removeField, removeTag, setField } from './frontmatter-edit.ts';
import type { Json } from './frontmatter-yaml.ts';
import { toView } from './text-edge.ts';

const edited = (edit: FrontmatterEdit): string => {
  if (!edit.ok) throw new Error(JSON.stringify(edit.errors));
  return edit.text;
};
const dataOf = (text: string): { [key: string]: Json } => {
  const result = parseFrontmatter(toView(text));
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.frontmatter.data;
};
const block = (yaml: string): string => `---\n${yaml}---\nbody\n`;

describe('setField', () => {
  test.each<[string, string, FieldValue, string]>([
    ['title: old # why\nb: 1\n', 'title', 'new', 'title: "new" # why\nb: 1\n'],
    ['title: "old"\n', 'title', 'a "b": c', 'title: "a \\"b\\": c"\n'],
    ['title:\nb: 1\n', 'title', 'x', 'title: "x"\nb: 1\n'],
    ['title:   # empty\nb: 1\n', 'title', 'x', 'title: "x"   # empty\nb: 1\n'],
    ['title: |\n  a\n  b\n\n# c\nb: 1\n', 'title', 'x', 'title: "x"\n\n# c\nb: 1\n'],
    ['x:\n  a: 1\n  b: 2\ny: 1\n', 'x', 3, 'x: 3\ny: 1\n'],
    ['a: 1\n', 'b', true, 'a: 1\nb: true\n'],
    ['# only\n', 'b', 'x', '# only\nb: "x"\n'],
    ['', 'b', 'x', 'b: "x"\n'],
    ['{a: 1}\n', 'b', 'x', '{a: 1, b: "x"}\n'],
    ['{}\n', 'b', 'x', '{b: "x"}\n'],
    ['  a: 1\n', 'b', 'x', '  a: 1\n  b: "x"\n'],
    ['a: 1\n', 'odd key: x', 'v', 'a: 1\n"odd key: x": "v"\n'],
    ['aliases: [a] # c\n', 'aliases', ['b', 'c'], 'aliases: ["b", "c"] # c\n'],
    ['title: Foo: bar\nb: 1\n', 'b', 2, 'title: "Foo: bar"\nb: 2\n'],
    ["'title': old\n", 'title', 'new', '\'title\': "new"\n'],
  ])('%j with %s = %j', (before, key, value, after) => {
    const expected = block(after);
    expect(edited(setField(block(before), key, value))).toBe(expected);
    const crlf = (text: string): string => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    expect(edited(setField(crlf(block(before)), key, value))).toBe(crlf(expected));
  });

  test('a page without a block gets one', () => {
    expect(edited(setField('body\n', 'title', 'x'))).toBe('---\ntitle: "x"\n---\nbody\n');
    expect(edited(setField('\ufeffa\r\n', 'title', 'x'))).toBe('\ufeff---\r\ntitle: "x"\r\n---\r\na\r\n');
    expect(edited(setField('', 'title', 'x'))).toBe('---\ntitle: "x"\n---\n');
  });

  test('what would not read back is not edited', () => {
    expect(setField(block('a: &x 1\nb: *x\n'), 'a', 2)).toMatchObject({
      ok: false,
      errors: [{ code: 'NOT_EDITABLE' }],
    });
    expect(setField('\n---\na: 1\n---\n', 'b', 1)).toMatchObject({ ok: false, errors: [{ code: 'NOT_EDITABLE' }] });
    expect(setField(block('a: 1\n'), 'b', '\ud800')).toMatchObject({ ok: false, errors: [{ code: 'NOT_EDITABLE' }] });
    expect(setField('---\na: 1\n', 'b', 1)).toMatchObject({ ok: false, errors: [{ code: 'MISSING_CLOSE' }] });
  });
});

describe('removeField', () => {
  test.each([
    ['a: 1\nb: 2 # x\nc: 3\n', 'b', 'a: 1\nc: 3\n'],
    ['a: 1\nb:\n  - x\n  # in\n  - y\n\n# c\nc: 3\n', 'b', 'a: 1\n\n# c\nc: 3\n'],
    ['b:\n', 'b', ''],
    ['b: |\n  x\n\nc: 1\n', 'b', '\nc: 1\n'],
    ['{a: 1, b: 2, c: 3}\n', 'b', '{a: 1, c: 3}\n'],
    ['{a: 1, b: 2}\n', 'a', '{b: 2}\n'],
    ['a: 1\n', 'zzz', 'a: 1\n'],
  ])('%j without %s', (before, key, after) => {
    expect(edited(removeField(block(before), key))).toBe(block(after));
  });
});

describe('tags', () => {
  test.each([
    ['tags: [a, b] # c\n', 'new', 'tags: [a, b, "new"] # c\n'],
    ['tags: []\n', 'new', 'tags: ["new"]\n'],
    ['tags:\n  - a # one\n  - b\nx: 1\n', 'new', 'tags:\n  - a # one\n  - b\n  - "new"\nx: 1\n'],
    ['tags:\n- a\n# mid\nx: 1\n', '#new', 'tags:\n- a\n- "new"\n# mid\nx: 1\n'],
    ['tags: a, b\n', 'new', 'tags: ["a", "b", "new"]\n'],
    ['tags:\n', 'new', 'tags: ["new"]\n'],
    ['x: 1\n', 'new', 'x: 1\ntags: ["new"]\n'],
    ['tags: [a, New]\n', ' new ', 'tags: [a, New]\n'],
    ['tags: [\n  a, # one\n  b,\n]\n', 'new', 'tags: [\n  a, # one\n  b, "new",\n]\n'],
    ['tags:\n  -\n', 'new', 'tags: ["new"]\n'],
  ])('%j plus %j', (before, tag, after) => {
    expect(edited(addTag(block(before), tag))).toBe(block(after));
  });

  test.each([
    ['tags: [a, b, c]\n', 'B', 'tags: [a, c]\n'],
    ['tags: [a, b] # c\n', 'a', 'tags: [b] # c\n'],
    ['tags:\n  - a # one\n  # two\n  - "#b"\nx: 1\n', 'b', 'tags:\n  - a # one\n  # two\nx: 1\n'],
    ['tags:\n  - a\n  - b\n  - A\n', 'a', 'tags:\n  - b\n'],
    ['tags: [a, b, A]\n', 'a', 'tags: ["b"]\n'],
    ['tags: a, b\n', 'a', 'tags: ["b"]\n'],
    ['tags: [a]\nx: 1\n', 'a', 'x: 1\n'],
    ['tags: [a]\n', 'z', 'tags: [a]\n'],
    ['x: 1\n', 'z', 'x: 1\n'],
  ])('%j minus %j', (before, tag, after) => {
    expect(edited(removeTag(block(before), tag))).toBe(block(after));
  });

  test.each(['', ' # ', 'a,b', 'a\nb', '\ud800'])('%j is no tag', (tag) => {
    expect(addTag('x', tag)).toMatchObject({ ok: false, errors: [{ code: 'NOT_EDITABLE' }] });
  });
});

/** Frontmatter as people write it: many ways of a value, comments, blank lines, any line end. */
const yamlLine = fc.oneof(
  fc.constantFrom(
    '# comment',
    '',
    'n: 3',
    'd: 2024-01-05',
    'list: [a, "b"]',
    'deep:\n  x: 1\n  y: [2]',
    'f: >-\n  a\n  b',
  ),
  fc.constantFrom('title: T # c', "title: 'it''s'", 'title: Foo: bar', 'title:', 'title: |\n  long\n'),
  fc.constantFrom('tags: [x, Y]', 'tags:\n  - x\n  - "z z" # c', 'tags: x, y', 'tags:', 'tags: [\n  x,\n  q\n]'),
);
const pageText = fc
  .tuple(
    fc.uniqueArray(yamlLine, { maxLength: 6, selector: (line) => /^\w+/.exec(line)?.[0] ?? line }),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.constantFrom('', '\ufeff'),
    fc.constantFrom('', 'body\n', '\n# H\n\ntext'),
  )
  .map(
    ([lines, eol, bom, body]) =>
      bom + `---\n${lines.map((line) => `${line}\n`).join('')}---\n${body}`.replaceAll('\n', eol),
  );

describe('laws', () => {
  const name = fc.constantFrom('title', 'n', 'list', 'deep', 'new');
  const value = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
  );

  test('a set field reads back, other fields stay, and setting it again changes nothing', () => {
    fc.assert(
      fc.property(pageText, name, value, (text, key, to) => {
        fc.pre(key !== 'title' || typeof to === 'string');
        fc.pre(typeof to !== 'string' || !to.includes('\0'));
        const after = edited(setField(text, key, to));
        const { [key]: got, ...rest } = dataOf(after);
        const { [key]: _was, ...before } = dataOf(text);
        expect(got).toEqual(key === 'title' ? String(to) : Object.is(to, -0) ? 0 : to);
        expect(rest).toEqual(before);
        expect(edited(setField(after, key, to))).toBe(after);
        expect(after.startsWith('\ufeff')).toBe(text.startsWith('\ufeff'));
        if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      }),
      { numRuns: 600 },
    );
  });

  test('a tag comes and goes, and only its lines change', () => {
    const tag = fc.constantFrom('x', 'Y', 'new', 'été', 'z z');
    fc.assert(
      fc.property(pageText, tag, (text, one) => {
        const added = edited(addTag(text, one));
        const tags = dataOf(added).tags as string[];
        expect(tags.filter((other) => tagKey(other) === tagKey(one))).toHaveLength(1);
        const removed = edited(removeTag(added, one));
        const left = (dataOf(removed).tags ?? []) as string[];
        expect(left.map(tagKey)).toEqual(tags.map(tagKey).filter((other) => other !== tagKey(one)));
        const touched = (line: string): boolean => /tags|^\s*-|^\s*(x|q|Y)|^\]|Foo: bar|^\s*#|^\s*$/.test(line);
        const stay = (from: string): string[] =>
          toView(from)
            .split('\n')
            .filter((line) => !touched(line));
        expect(stay(added)).toEqual(stay(text));
        expect(stay(removed)).toEqual(stay(text));
      }),
      { numRuns: 600 },
    );
  });
});
