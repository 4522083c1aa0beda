// Search results as a person reads them: words of the text and not of its markup, the part that answers, whole words
// marked.
import { describe, expect, test } from 'vitest';
import type { HumanView } from '../../operation.ts';
import { readableText } from '../../render/markdown.ts';
import { plainLine } from '../../render/text-width.ts';
import { excerptOf, searchLines } from './human-rows.ts';
import type { SearchRow } from './run-search.ts';

const same = (text: string) => text;
const marked = (text: string) => `<${text}>`;
const view = (columns: number): HumanView => ({
  colour: true,
  columns,
  bold: same,
  dim: same,
  green: same,
  yellow: marked,
  red: same,
  cyan: same,
});

const row = (more: Partial<SearchRow>): SearchRow => ({
  slug: 'notes/kiln',
  title: 'Kiln',
  type: 'note',
  chunk_text: 'The kiln runs at night.',
  score: 0.9,
  effective_date: '2026-03-01',
  source_id: 'default',
  chunk_id: 0,
  evidence: 'keyword_exact',
  create_safety: 'probable',
  trust_tier: 'owner',
  origin: 'written',
  ...more,
});

const asked = (query: string) => ({ query, explain: false, isWide: false, meta: {} });

describe('text of markdown', () => {
  test.each([
    ['[![build](https://x.example/b.svg)](https://x.example) Fast.', 'Fast.'],
    ['See [the guide](https://x.example/guide) and ![chart](c.png).', 'See the guide and .'],
    ['# Title\n\n- **one** of `two`\n> said', 'Title one of two said'],
    ['```ts\nconst a = 1;\n```', 'const a = 1;'],
    ['YAML <a href="https://x.example"><img src="x"></a>', 'YAML'],
    ['a < b and c > d', 'a < b and c > d'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a b 1 2'],
  ])('%j reads %j', (text, read) => {
    expect(plainLine(readableText(text))).toBe(read);
  });
});

describe('an excerpt', () => {
  const [before, after] = ['Nothing of note here. '.repeat(20), 'More of it. '.repeat(20)];
  const long = `${before}The bearing of the kiln failed in March. ${after}`;

  test('is the part with the most of the words, on one line, and begins with a whole word', () => {
    const shown = excerptOf(long, ['kiln', 'bearing'], 80);
    expect(shown).toMatch(/^…\S+ /);
    expect(shown).toContain('bearing of the kiln');
    expect(shown).not.toContain('\n');
    expect(shown.length).toBeLessThanOrEqual(76);
  });

  test('of a page that is only a heading is the heading', () => {
    expect(excerptOf('# Kiln\n', ['kiln'], 80)).toBe('Kiln');
  });
});

describe('rows', () => {
  test('say why they were found: a link before words, and words in part where not all are there', () => {
    const head = (more: Partial<SearchRow>) => searchLines([row(more)], asked('kiln'), view(120)).split('\n')[0];
    expect(head({})).toMatch(/its words$/);
    expect(head({ evidence: 'weak_semantic', matched: ['kiln'] })).toMatch(/some of the words$/);
    expect(head({ evidence: 'weak_semantic' })).toMatch(/weak match$/);
    const marks = [{ stage: 'relation', note: 'founded of companies/acme' }];
    expect(head({ evidence: 'weak_semantic', marks })).toMatch(/its link: founded of companies\/acme$/);
    expect(head({ marks: [{ stage: 'order', note: '1 of 3: 2026-03-01' }] })).toMatch(/its date$/);
  });

  test('have the title on a line of its own where it would be cut, and every other line fits', () => {
    const long = row({ title: 'Meeting on delivery windows', slug: 'meetings/2026-01-08-delivery-windows' });
    const lines = (columns: number) => searchLines([long], asked('kiln'), view(columns)).split('\n');
    expect(lines(120)[0]).toBe(
      'Meeting on delivery windows  meetings/2026-01-08-delivery-windows  2026-03-01  its words',
    );
    expect(lines(80).slice(0, 2)).toEqual([
      'Meeting on delivery windows',
      '    meetings/2026-01-08-delivery-windows  2026-03-01  its words',
    ]);
    expect(lines(60).slice(0, 3)).toEqual([
      'Meeting on delivery windows',
      '    meetings/2026-01-08-delivery-windows  2026-03-01',
      '    its words',
    ]);
  });

  test('mark whole words that were asked for, not words of every text nor parts of others', () => {
    const text = 'It shows how the kilns of the skiln run.';
    expect(searchLines([row({ chunk_text: text })], asked('how does the kiln run'), view(80))).toContain(
      'It shows how the <kilns> of the skiln <run>.',
    );
    const spelt = row({ chunk_text: 'A kiln at night.', matched: ['kiln'] });
    expect(searchLines([spelt], asked('kilm'), view(80))).toContain('A <kiln> at night.');
    expect(searchLines([row({ chunk_text: '東京の窯' })], asked('窯'), view(80))).toContain('東京の<窯>');
  });
});
