// Texts of rows: what a reader sees of a chunk.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf, readLinks } from './excerpt.ts';

describe('links', () => {
  it.each([
    ['see [[people/mira-kettle|Mira Kettle]]!', 'see Mira Kettle!'],
    ['[[people/mira-kettle]] and [[kiln]]', 'mira-kettle and kiln'],
    ['no [[link', 'no [[link'],
    ['[a](b) stays', '[a](b) stays'],
  ])('%s', (text, shown) => expect(readLinks(text)).toBe(shown));
});

describe('excerpts', () => {
  const padding = (text: string) => text.repeat(40);
  const event = 'The kiln seized after a bearing cracked. ';
  const long = `${padding('Nothing of note. ')}${event}${padding('More of nothing. ')}`;

  it('shows the part that holds the words, from a sentence on', () => {
    const shown = excerptOf(long, ['kiln', 'bearing'], 200);
    expect(shown).toMatch(/^…Nothing of note\./);
    expect(shown).toContain('The kiln seized after a bearing cracked.');
    expect(shown.endsWith('…')).toBe(true);
  });
  it('begins at the beginning when the words stand there or nowhere', () => {
    expect(excerptOf(long, ['nothing'], 50)).toMatch(/^Nothing of note\./);
    expect(excerptOf(long, ['zebra'], 50)).toMatch(/^Nothing of note\./);
  });
  it('keeps short text, and all of it when asked', () => {
    expect(excerptOf('short', ['x'], 50)).toBe('short');
    expect(excerptOf(long, ['kiln'], 0)).toBe(long);
  });
  it('never exceeds its length and never splits a code point', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '.', '😀', '冷'), minLength: 30, maxLength: 300 });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 10, max: 120 }),
        fc.array(fc.constantFrom('a', '冷', '😀')),
        (one, chars, sought) => {
          const shown = excerptOf(one, sought, chars);
          expect(shown.length).toBeLessThanOrEqual(Math.max(chars, 0));
          expect(shown.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});
