// The slug rule: names of many scripts, hostile names, and that paths and slugs agree.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  foldSlug,
  MAX_SEGMENT_BYTES,
  MAX_SLUG_BYTES,
  parseSlug,
  pathFromSlug,
  type Slug,
  slugBasename,
  slugFromPath,
  slugFromTitle,
} from './slug.ts';

const slugOf = (text: string): Slug => {
  const result = parseSlug(text);
  if (!result.ok) throw new Error(`${result.reason} at ${result.at}: ${text}`);
  return result.slug;
};

/** Texts that look like names: scripts, marks, symbols and the characters that carry meaning in paths. */
const nameText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'abzAZ019._-/ &():\u0301\u0308\u05b8\u200d\ufe0f\u3164éÉßİΣşçกำ漢かが한🎉'),
    fc.constantFrom('.md', '.mdx', '..', '--', 'e\u0301', '\u1100\u1161'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
  minLength: 1,
  maxLength: 24,
});

describe('parseSlug', () => {
  test.each([
    ['people/alice-example', 'people/alice-example'],
    ['People/Alice Example', 'people/alice-example'],
    ['  people/alice  ', 'people/alice'],
    ['people / alice', 'people/alice'],
    ['people/alice.md', 'people/alice'],
    ['people/Alice.MDX', 'people/alice'],
    ['a.md.md', 'a'],
    ['docs.md/a', 'docs.md/a'],
    ['v1.2_notes', 'v1.2_notes'],
    ['.hidden/x', '.hidden/x'],
    ['Acme, Inc.', 'acme-inc'],
    ['a - - b', 'a-b'],
    ["O'Brien & Sons", 'obrien-sons'],
    ['[[people/alice]]', 'people/alice'],
    ['Café Münster', 'café-münster'],
    ['cafe\u0301', 'café'],
    ['日本語/東京', '日本語/東京'],
    ['ไทย/น้ำ', 'ไทย/น้ำ'],
    ['हिन्दी', 'हिन्दी'],
    ['שָׁלוֹם', 'שָׁלוֹם'.normalize('NFC')],
    ['ΟΔΟΣ', 'οδος'],
    ['con', 'con'],
    ['a\u200db\ufe0f', 'ab'],
    ['a?b*c"d<e>f|g:h', 'abcdefgh'],
    ['a％2fb', 'a2fb'],
    ['a／b', 'ab'],
    ['😀x', 'x'],
    ['_index', '_index'],
  ])('%j is %j', (text, slug) => {
    expect(parseSlug(text)).toEqual({ ok: true, slug });
  });

  test.each([
    ['', 'empty', 0],
    ['   ', 'empty', 0],
    ['/etc/passwd', 'leading_slash', 0],
    [' /a', 'leading_slash', 1],
    ['..', 'dot_segment', 0],
    ['a/../b', 'dot_segment', 2],
    ['a/./b', 'dot_segment', 2],
    ['a/...', 'dot_segment', 2],
    ['a/.\u200b.', 'dot_segment', 2],
    ['a/.&.', 'dot_segment', 2],
    ['a/...md', 'dot_segment', 2],
    ['a//b', 'empty_segment', 2],
    ['a/ /b', 'empty_segment', 2],
    ['a/', 'empty_segment', 1],
    ['a\u0000b', 'control_character', 1],
    ['a\nb', 'control_character', 1],
    ['a\u0085', 'control_character', 1],
    ['ab\u202ecd', 'bidi_control', 2],
    ['a\u2066', 'bidi_control', 1],
    ['a\\b', 'backslash', 1],
    ['a/%2e%2E/b', 'percent_encoded', 2],
    ['a%2Fb', 'percent_encoded', 1],
    ['a%5cb', 'percent_encoded', 1],
    ['a\ud800', 'lone_surrogate', 1],
    ['\udc00a', 'lone_surrogate', 0],
    ['[Alice](people/alice)', 'link_syntax', 6],
  ])('%j is refused: %s at %d', (text, reason, at) => {
    expect(parseSlug(text)).toEqual({ ok: false, reason, at });
  });

  test('bounds count UTF-8 bytes', () => {
    expect(slugOf('é'.repeat(127))).toBe('é'.repeat(127));
    expect(parseSlug('é'.repeat(128))).toMatchObject({ ok: false, reason: 'segment_too_long' });
    expect(slugOf('a'.repeat(MAX_SEGMENT_BYTES))).toHaveLength(MAX_SEGMENT_BYTES);
    expect(parseSlug('a'.repeat(MAX_SEGMENT_BYTES + 1))).toMatchObject({ ok: false, reason: 'segment_too_long' });
    const full = `${'a'.repeat(255)}/${'b'.repeat(255)}/c`;
    expect(parseSlug(full)).toMatchObject({ ok: false, reason: 'too_long' });
    expect(slugOf(full.slice(0, MAX_SLUG_BYTES - 1))).toHaveLength(511);
    expect(parseSlug('a/'.repeat(3_000_000))).toMatchObject({ ok: false, reason: 'too_long' });
  });

  test('a segment with nothing left gets a stable name of its own', () => {
    expect(slugOf('🎉')).toMatch(/^u-[0-9a-f]{12}$/);
    expect(slugOf('notes/🎉.md')).toBe(`notes/${slugOf('🎉')}`);
    expect(slugOf('❤\ufe0f')).toBe(slugOf('❤'));
    expect(slugOf('🎉')).not.toBe(slugOf('🎊'));
    expect(slugOf('---')).toMatch(/^u-/);
    expect(slugOf('.md')).toMatch(/^u-/);
  });

  test('law: idempotent, and composed, decomposed and cased input meet', () => {
    fc.assert(
      fc.property(nameText, (text) => {
        const result = parseSlug(text);
        if (!result.ok) return result.at >= 0 && result.at <= text.length;
        expect(parseSlug(result.slug)).toEqual(result);
        expect(parseSlug(text.normalize('NFD'))).toEqual(parseSlug(text.normalize('NFC')));
        expect(result.slug).toBe(result.slug.normalize('NFC').toLowerCase().normalize('NFC'));
        return !/(^|\/)(\.|\.\.|)(\/|$)|[\\%\s]|\.mdx?$/.test(result.slug);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('paths', () => {
  test.each([
    ['people/Alice Example.md', 'people/alice-example'],
    ['./notes/a.mdx', 'notes/a'],
    ['src/x.ts', 'src/x.ts'],
  ])('%j is %j', (path, slug) => {
    expect(slugFromPath(path)).toEqual({ ok: true, slug });
  });

  test('positions stay those of the path', () => {
    expect(slugFromPath('./a\\b')).toEqual({ ok: false, reason: 'backslash', at: 3 });
    expect(slugFromPath('../a.md')).toEqual({ ok: false, reason: 'dot_segment', at: 0 });
  });

  test('law: slug to file to slug is the identity', () => {
    fc.assert(
      fc.property(nameText, (text) => {
        const result = parseSlug(text);
        fc.pre(result.ok);
        if (result.ok) expect(slugFromPath(pathFromSlug(result.slug))).toEqual(result);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('foldSlug', () => {
  test.each([
    ['café-münster', 'cafe-munster'],
    ['straße/łódź', 'strasse/lodz'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['ｆｕｌｌ', 'full'],
    ['がぎ', 'がぎ'],
    ['한국', '한국'],
    ['हिन्दी', 'हिन्दी'],
    ['οδος', 'οδοσ'],
  ])('%j folds to %j', (slug, folded) => {
    expect(foldSlug(slug)).toBe(folded);
  });

  test('law: folding twice is folding once', () => {
    fc.assert(fc.property(nameText, (text) => foldSlug(foldSlug(text)) === foldSlug(text)));
  });
});

describe('slugFromTitle', () => {
  test.each([
    ['Board Meeting: Q3 / Q4', 'board-meeting-q3-q4'],
    ['会議の記録', '会議の記録'],
    ['\tA\nB\\C', 'a-b-c'],
    ['Notes.md', 'notes'],
    ['The end.', 'the-end'],
  ])('%j is %j', (title, slug) => {
    expect(slugFromTitle(title)).toBe(slug);
  });

  test('a folder goes in front, and long titles end between words', () => {
    expect(slugFromTitle('Alice', slugOf('people'))).toBe('people/alice');
    const long = slugFromTitle(`${'word '.repeat(40)}`);
    expect(long).toMatch(/^(word-)+word$/);
    expect(slugBasename(slugOf('a/b/c'))).toBe('c');
  });

  test('law: any text becomes a canonical slug', () => {
    fc.assert(
      fc.property(fc.oneof(nameText, fc.string({ unit: 'binary', maxLength: 300 })), (title) => {
        const slug = slugFromTitle(title, slugOf('inbox'));
        expect(parseSlug(slug)).toEqual({ ok: true, slug });
      }),
      { numRuns: 1000 },
    );
  });
});
