// What is derived from a page's text: title, type, dates, timeline, hashes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentHashOf, humanizeSlug, type Page, type ParsePageOptions, parsePage } from './page.ts';
import { parseSlug, type Slug } from './slug.ts';
import { toView } from './text-edge.ts';

const slugOf = (text: string): Slug => {
  const result = parseSlug(text);
  if (!result.ok) throw new Error(result.reason);
  return result.slug;
};
const now = new Date('2026-11-30T00:00:00Z');
const read = (text: string, slug = 'notes/some-page', more: Partial<ParsePageOptions> = {}): Page => {
  const result = parsePage(text, { slug: slugOf(slug), now, ...more });
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.page;
};
const front = (yaml: string): string => `---\n${yaml}\n---\n`;

describe('title', () => {
  test.each([
    ['# From heading\n', 'From heading', 'heading'],
    [`${front('title: Stated')}# From heading\n`, 'Stated', 'frontmatter'],
    [`${front('title: "  "')}# From heading\n`, 'From heading', 'heading'],
    [`${front('title: 2026')}`, '2026', 'frontmatter'],
    ['```\n# code\n```\n# Real\n', 'Real', 'heading'],
    ['> # quoted\n\n<!--\n# hidden\n-->\n# Real #\n', 'Real', 'heading'],
    ['    # indented\n# Real\n', 'Real', 'heading'],
    ['#tag\n# C#\n', 'C#', 'heading'],
    ['#\n# Second ## \n', 'Second', 'heading'],
    ['Under line\n===\n', 'Under line', 'heading'],
    ['a\nb\n===\n', 'Some Page', 'slug'],
    ['# **Bold** `code` [[people/x|Name]] [l](u)\n', 'Bold code Name l', 'heading'],
    ['## Second level\n', 'Some Page', 'slug'],
    ['', 'Some Page', 'slug'],
    ['<!-- timeline -->\n# Below\n', 'Some Page', 'slug'],
  ])('%j is titled %j', (text, title, titleSource) => {
    expect(read(text)).toMatchObject({ title, titleSource });
  });

  test.each([
    ['people/alice-example', 'Alice Example'],
    ['meetings/2024-03-05-board_meeting', '2024-03-05 Board Meeting'],
    ['daily/2024-03-05', '2024-03-05'],
    ['日本語', '日本語'],
    ['_', '_'],
  ])('the name %s reads %s', (slug, words) => {
    expect(humanizeSlug(slugOf(slug))).toBe(words);
  });
});

describe('fields', () => {
  test.each([
    ['type: Person', 'notes/x', 'person', 'frontmatter'],
    ['type: Social  Digest', 'notes/x', 'social-digest', 'frontmatter'],
    ['a: 1', 'people/x', 'person', 'path'],
    ['a: 1', 'people', 'note', 'default'],
    ['a: 1', 'constructor/x', 'note', 'default'],
  ])('%j at %s is of type %s', (yaml, slug, type, typeSource) => {
    expect(read(front(yaml), slug)).toMatchObject({ type, typeSource });
  });

  test('a stored type stands where the text names none', () => {
    expect(read('x', 'people/x', { storedType: 'crm' })).toMatchObject({ type: 'crm', typeSource: 'stored' });
    expect(read(front('type: deal'), 'people/x', { storedType: 'crm' }).type).toBe('deal');
  });

  test('tags and aliases', () => {
    const page = read(front('tags: [B, " a ", b, "#A", É, e\u0301]\naliases: [Jo, Jo, jo]\ntitle: T\nx: 1'));
    expect(page.tags).toEqual(['B', 'a', 'É']);
    expect(page.aliases).toEqual(['Jo', 'jo']);
    expect(page.frontmatter).toEqual({ aliases: ['Jo', 'Jo', 'jo'], x: 1 });
  });

  test.each([
    ['visibility: private', 'private', 0],
    ['visibility: Private', 'private', 0],
    ['visibility: world', 'world', 0],
    ['visibility:', 'world', 0],
    ['a: 1', 'world', 0],
    ['visibility: secret', 'private', 1],
    ['visibility: false', 'private', 1],
  ])('%j is %s', (yaml, visibility, warned) => {
    const page = read(front(yaml));
    expect(page.visibility).toBe(visibility);
    expect(page.warnings.filter(({ code }) => code === 'unknown_visibility')).toHaveLength(warned);
  });

  test.each([
    [front('slug: other/page'), 'SLUG_MISMATCH', 2],
    [front('a: 1\nslug: ..'), 'SLUG_MISMATCH', 3],
    ['a\n\0', 'NULL_BYTES', 2],
    ['\ud800', 'LONE_SURROGATE', 1],
    ['---\na', 'MISSING_CLOSE', 1],
    ['a\n<!--- gbrain:takes:begin -->\n', 'invalid_fence', 2],
  ])('%j is refused: %s', (text, code, line) => {
    const result = parsePage(text, { slug: slugOf('notes/x') });
    expect(result).toMatchObject({ ok: false, errors: [{ code, line }] });
  });

  test('a declared slug that means the same page is no mismatch', () => {
    expect(read(front('slug: Notes/Some Page.md')).slug).toBe('notes/some-page');
  });
});

describe('effective date', () => {
  const day = '2024-03-05T00:00:00.000Z';
  test.each([
    ['event_date: 2024-03-05\ndate: 2020-01-01', 'x', day, 'event_date'],
    ['date: 2024-03-05\npublished: 2020-01-01', 'x', day, 'date'],
    ['published: 2024/3/5', 'x', day, 'published'],
    ['a: 1', '2024-03-05-notes', day, 'filename'],
    ['date: 2020-01-01', 'daily/2024-03-05', day, 'filename'],
    ['date: 2020-01-01', 'x/meetings/2024-03-05-a', day, 'filename'],
    ['date: 2024-03-05', 'notes/2020-01-01', day, 'date'],
    ['created: 2024-03-05', 'x', day, 'created'],
    ['updated_at: 2024-03-05\ncreated_at: 2020-01-01', 'x', day, 'created'],
    ['date: 2024-03', 'x', '2024-03-01T00:00:00.000Z', 'date'],
    ['date: 2024-03-05T10:30:00+02:00', 'x', '2024-03-05T08:30:00.000Z', 'date'],
    ['date: 2024-03-05 10:30', 'x', '2024-03-05T10:30:00.000Z', 'date'],
    ['date: 2024-02-30', 'x', null, 'fallback'],
    ['date: 1989-12-31', 'x', null, 'fallback'],
    ['date: 1990-01-01', 'x', '1990-01-01T00:00:00.000Z', 'date'],
    ['date: 2028-01-01\npublished: 2024-03-05', 'x', day, 'published'],
    ['date: soon', 'x', null, 'fallback'],
    ['a: 1', '2024-03-055', null, 'fallback'],
  ])('%j at %s', (yaml, slug, effectiveDate, effectiveDateSource) => {
    expect(read(front(yaml), slug)).toMatchObject({ effectiveDate, effectiveDateSource });
  });

  test('an unusable date is told', () => {
    expect(read(front('a: 1\ndate: soon')).warnings).toMatchObject([{ code: 'unusable_date', line: 3 }]);
  });
});

describe('timeline', () => {
  const bullet = '- **2024-03-05** | call — talked\n';
  test.each(['valueOf', 'constructor', '__proto__'])('a line that says %s is text', (word) => {
    expect(read(`Body\n${word}\nmore\n`)).toMatchObject({ timeline: '', timelineMarker: null });
  });

  test.each([
    ['marker', `Body\n\n<!-- timeline -->\n\n${bullet}`, 'Body\n\n', `\n${bullet}`, 'comment'],
    ['dashes', `Body\n--- timeline ---\n${bullet}`, 'Body\n', bullet, 'dashes'],
    ['empty section', 'Body\n<!-- timeline -->\n', 'Body\n', '', 'comment'],
    ['first marker wins', 'a\n--- timeline ---\nb\n<!-- timeline -->\nc', 'a\n', 'b\n<!-- timeline -->\nc', 'dashes'],
    ['section', `Body\n\n## Timeline\n\n${bullet}  more\n`, 'Body\n\n', `\n${bullet}  more\n`, 'section'],
    [
      'only the section moves',
      `Body\n## History\n${bullet}## Next\ntext\n`,
      'Body\n## Next\ntext\n',
      bullet,
      'section',
    ],
    ['rule before the section', `---x\n\n---\n\n## Timeline\n${bullet}`, '---x\n\n', bullet, 'section'],
    ['rule at the head', `---\n\n## Timeline\n${bullet}`, '', bullet, 'section'],
  ])('%s', (_, body, compiledTruth, timeline, timelineMarker) => {
    for (const head of ['', front('a: 1')].slice(body.startsWith('---\n') ? 1 : 0)) {
      const page = read(head + body);
      expect(page).toMatchObject({ compiledTruth, timeline, timelineMarker });
      expect(
        page.view
          .split('\n')
          .slice(page.timelineLine - 1)
          .join('\n')
          .startsWith(timeline),
      ).toBe(true);
    }
  });

  test.each([
    ['a lone rule', `Body\n\n---\n\n${bullet}`],
    ['a heading that begins alike', `Body\n## History of X\n${bullet}`],
    ['prose in the section', `Body\n## Timeline\n${bullet}Then prose.\n`],
    ['a rule and prose', 'Body\n---\n\n## History\nIt was founded long ago.\n'],
    ['no text before', `## Timeline\n${bullet}`],
    ['no bullet', 'Body\n## Timeline\n\n'],
    ['level 3', `Body\n### Timeline\n${bullet}`],
    ['in code', `\`\`\`\n<!-- timeline -->\n\`\`\`\n${bullet}`],
    ['in a quote', `> <!-- timeline -->\n${bullet}`],
    ['inline', `Write <!-- timeline --> here\n${bullet}`],
    ['indented', `    <!-- timeline -->\n${bullet}`],
    ['near miss', `<!--timeline-->\n${bullet}`],
  ])('%s is no timeline', (_, body) => {
    expect(read(body)).toMatchObject({ compiledTruth: body, timeline: '', timelineMarker: null, timelineRange: null });
  });
});

describe('hashes', () => {
  const base = `${front('title: T\ntags: [b, a]\nx: 1')}Body\n`;
  test('form does not count, content does', () => {
    const hash = read(base).contentHash;
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(read(`\ufeff${base.replaceAll('\n', '\r\n')}`).contentHash).toBe(hash);
    expect(read(base.replace('x: 1', 'x: 1 # note\ncaptured_at: 2020\nquarantine: true')).contentHash).toBe(hash);
    expect(read(base.replace('[b, a]', '[a, b]')).contentHash).toBe(hash);
    expect(read(base.replace('Body', 'body')).contentHash).not.toBe(hash);
    expect(read(base.replace('x: 1', 'x: 2')).contentHash).not.toBe(hash);
    expect(read(base.replace('[b, a]', '[b]')).contentHash).not.toBe(hash);
    expect(read(base, 'notes/some-page', { storedType: 'deal' }).contentHash).not.toBe(hash);
  });

  test('the formula is pinned', () => {
    const page = {
      title: 'T',
      type: 'note',
      compiledTruth: 'c',
      timeline: '',
      frontmatter: { b: 1, a: [true] },
      tags: ['z', 'a'],
    };
    expect(contentHashOf(page)).toBe('c0b2f1f5127dc3c19bfbcf3b8d247e873139206a6d4ede9109b468a96bfca604');
  });

  test('the text hash is that of the bytes', () => {
    expect(read('').textHash).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});

test('law: body, timeline and what stood between them are the text', () => {
  const piece = fc.constantFrom(
    '# h',
    '## Timeline',
    '## History',
    '- **2024-01-02** | a — b',
    '---',
    '```',
    '> q',
    '<!-- timeline -->',
    '--- timeline ---',
    '  detail',
    'text',
    '',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), fc.constantFrom('\n', '\r\n', '\r'), (lines, eol) => {
      const text = `${front('a: 1').replaceAll('\n', eol)}${lines.join(eol)}`;
      const page = read(text);
      expect(page.text).toBe(text);
      const body = page.view.slice(front('a: 1').length);
      const { timelineRange: range } = page;
      if (range === null) expect(page.compiledTruth).toBe(body);
      else expect(page.compiledTruth).toBe(toView(page.view.slice(13, range.start) + page.view.slice(range.end)));
      if (range !== null) expect(page.view.slice(range.start, range.end).endsWith(page.timeline)).toBe(true);
      const lost = range === null ? '' : page.view.slice(range.start, range.end - page.timeline.length).trim();
      expect(lost).toMatch(/^(|<!-- timeline -->|--- timeline ---|(---\s+)?## (Timeline|History))$/);
    }),
    { numRuns: 1000 },
  );
});

test('a page knows its fences', () => {
  const fence = '<!--- gbrain:facts:begin -->\n| # | claim |\n|--|--|\n| x | y |\n<!--- gbrain:facts:end -->\n';
  const page = read(`a\n${fence}`);
  expect(page.fences.map(({ kind, start, end }) => [kind, page.view.slice(start, end)])).toEqual([['facts', fence]]);
  expect(page.warnings).toMatchObject([{ code: 'fence_row', line: 5 }]);
});

test('hostile bodies', () => {
  const heads = '# a\n'.repeat(100_000);
  expect(read(heads).title).toBe('a');
  expect(read(`x${'#'.repeat(2_000_000)} ${' '.repeat(2_000_000)}x`).titleSource).toBe('slug');
  expect(read(`# ${'#'.repeat(1_000_000)}x ${'['.repeat(1_000_000)}`).title).toHaveLength(1000);
  const sections = `a\n${`## Timeline\n- **2024-01-02** | x\nprose\n`.repeat(50_000)}`;
  expect(read(sections).timelineMarker).toBeNull();
});
