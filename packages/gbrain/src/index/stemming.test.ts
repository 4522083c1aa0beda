// Languages: which stemmer runs, and under which keys the forms of a word meet.
import { describe, expect, it } from 'vitest';
import { foldAccents, normalizeName } from './characters.ts';
import { groupKeys, openStemmer, stemmedLanguages } from './stemming.ts';

describe('languages', () => {
  it.each([
    ['english', 'english'],
    ['DE', 'german'],
    ['pt_br', 'portuguese'],
    ['catalan', 'simple'],
    ['constructor', 'simple'],
    ['', 'simple'],
  ])('opens %s as %s', async (name, language) => expect((await openStemmer(name)).language).toBe(language));

  it('loads every language and stems a word of its own', async () => {
    for (const language of stemmedLanguages()) {
      const stemmer = await openStemmer(language);
      expect(stemmer.language).toBe(language);
      expect(stemmer.stems('information').length).toBeGreaterThan(0);
    }
  });

  it('brings the Portuguese plural of -ão to its singular', async () => {
    const { stems } = await openStemmer('portuguese');
    expect(stems('reuniões')).toContain(stems('reunião')[0]);
    expect(stems('reuniao')).toEqual(expect.arrayContaining([stems('reunião')[0]]));
  });
});

describe('groups', () => {
  it('lists inflected and accented forms, and nothing for numbers and identifiers', async () => {
    const stemmer = await openStemmer('english');
    expect(groupKeys('meetings', stemmer)).toEqual(['s:meet']);
    expect(groupKeys('zoë', stemmer)).toEqual(expect.arrayContaining(['a:zoe']));
    expect(groupKeys('inv-20931', stemmer)).toEqual([]);
    expect(groupKeys('2024', stemmer)).toEqual([]);
  });
});

describe('folding', () => {
  it.each([
    ['świętosławski', 'swietoslawski'],
    ['øyvind', 'oyvind'],
    ['straße', 'strasse'],
    ['čapek', 'capek'],
    ['пётр', 'петр'],
    ['ガス', 'ガス'],
    ['हिन्दी', 'हिन्दी'],
  ])('%s is %s without accents', (word, plain) => expect(foldAccents(word)).toBe(plain));

  it('compares names without case, spare spaces and one layer of quotes', () => {
    expect(normalizeName('  “Quill   Optics” ')).toBe('quill optics');
    expect(normalizeName('"')).toBe('"');
  });
});
