// What chunks promise: nothing lost, nothing over the caps, no character cut, hidden text nowhere, turns whole.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePage } from '../pages/page.ts';
import { parseSlug } from '../pages/slug.ts';
import { bodyOfPage, type PageBody, scanBody } from './body.ts';
import { type Chunk, type ChunkOptions, chunkBody, FENCES_MAX, isConversation } from './chunk.ts';
import { type CutCaps, DEFAULT_CAPS } from './cut.ts';
import { countWords, estimateTokens, worstCaseTokens } from './measure.ts';

const chunkText = (body: PageBody, caps?: CutCaps, options: ChunkOptions = {}) =>
  chunkBody(scanBody(body), caps ? { ...options, caps } : options);

const page = (text: string, rest: Partial<PageBody> = {}): PageBody => ({
  text,
  regions: [{ source: 'compiled_truth', start: 0, end: text.length }],
  ...rest,
});

const prose = (chunks: readonly Chunk[]) => chunks.filter(({ source }) => source !== 'fenced_code');

/** The units of `text` that no prose chunk covers. */
function uncovered(text: string, chunks: readonly Chunk[]): string {
  let rest = '';
  let at = 0;
  for (const { startOffset, endOffset } of prose(chunks)) {
    rest += text.slice(at, Math.max(at, startOffset));
    at = Math.max(at, endOffset);
  }
  return rest + text.slice(at);
}

const sentence = fc.array(
  fc.constantFrom('alpha', 'béta', '上海', '仓库。', 'x', 'supercalifragilistic', '👩‍👩‍👧', 'e\u0301'),
  {
    minLength: 1,
    maxLength: 30,
  },
);
const pieces = fc.oneof(
  sentence.map((words) => `${words.join(' ')}. `),
  fc.constantFrom('\n\n', '\n', '# Head\n', '## Sub head\n\n', '- item\n', '> quote\n', '| a | b |\n', '    code\n'),
  fc.constantFrom('```ts\n', '```\n', '~~~\n', '<!-- c\n', '-->\n', '<pre>\n', '</pre>\n', '---\n', '===\n'),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer({ min: 1, max: 7000 }).map((n) => 'AbC9'.repeat(n).slice(0, n)),
  fc.integer({ min: 1, max: 900 }).map((n) => '😀'.repeat(n)),
);
const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('').toWellFormed());
const smallCaps: CutCaps = { words: 40, overlapWords: 8, chars: 400, tokens: 120, bytes: 500 };

describe('chunkBody', () => {
  test.each([
    ['the usual caps', DEFAULT_CAPS],
    ['small caps', smallCaps],
  ])('loses nothing but white space and keeps to %s', (_, caps) => {
    fc.assert(
      fc.property(texts, (text) => {
        const chunks = chunkText(page(text), caps);
        expect(uncovered(text, chunks).trim()).toBe('');
        for (const [i, chunk] of chunks.entries()) {
          expect(chunk.index).toBe(i);
          expect(chunk.text).toBe(text.slice(chunk.startOffset, chunk.endOffset));
          expect(chunk.text.isWellFormed()).toBe(true);
          expect(chunk.text.trim()).not.toBe('');
          expect(chunk.text.length).toBeLessThanOrEqual(caps.chars);
          expect(countWords(chunk.text)).toBeLessThanOrEqual(caps.words);
          expect(worstCaseTokens(chunk.text)).toBeLessThanOrEqual(caps.bytes);
          expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(caps.tokens + 1);
        }
      }),
      { numRuns: 120 },
    );
  });

  test('own text begins where the chunk before ends, and the repeat is at most the overlap', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const chunks = prose(chunkText(page(text), smallCaps));
        for (let i = 1; i < chunks.length; i++) {
          const { startOffset, overlapChars, text: own } = chunks[i]!;
          expect(text.slice(chunks[i - 1]!.endOffset, startOffset + overlapChars).trim()).toBe('');
          expect(countWords(own.slice(0, overlapChars))).toBeLessThanOrEqual(smallCaps.overlapWords + 1);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('a page of 300 words is one chunk, one of 301 is two', () => {
    const words = Array.from({ length: 301 }, (_, i) => `word${i}`);
    expect(chunkText(page(words.slice(0, 300).join(' ')))).toHaveLength(1);
    expect(chunkText(page(words.join(' ')))).toHaveLength(2);
  });

  test('long prose repeats whole sentences of the chunk before, 50 words at most', () => {
    const text = Array.from({ length: 120 }, (_, i) => `Sentence number ${i} has exactly seven words.`).join(' ');
    const chunks = chunkText(page(text));
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text: own, overlapChars } of chunks.slice(1)) {
      expect(own).toMatch(/^Sentence number/);
      expect(countWords(own.slice(0, overlapChars))).toBeGreaterThanOrEqual(40);
      expect(countWords(own.slice(0, overlapChars))).toBeLessThanOrEqual(50);
    }
  });

  test('cuts before a heading rather than in the middle of a section, with the path of headings', () => {
    const section = (name: string) => `## ${name}\n\n${`Plain words about ${name} go here. `.repeat(20)}\n\n`;
    const text = `# Page\n\n${['One', 'Two', 'Three', 'Four'].map(section).join('')}`;
    const chunks = chunkText(page(text));
    expect(chunks.map(({ headingPath }) => headingPath)).toEqual([['Page'], ['Page', 'Three']]);
    expect(chunks[1]!.text.startsWith('## Three')).toBe(true);
  });

  test('compiled truth and timeline are cut apart, and indexes go on', () => {
    const text = 'Truth here.\n\n<!-- timeline -->\n\n- **2024-01-02** | note — Something.\n';
    const split = text.indexOf('<!--');
    const chunks = chunkText({
      text,
      regions: [
        { source: 'compiled_truth', start: 0, end: split },
        { source: 'timeline', start: split, end: text.length },
      ],
    });
    expect(chunks.map(({ index, source }) => [index, source])).toEqual([
      [0, 'compiled_truth'],
      [1, 'timeline'],
    ]);
  });

  test('a fence is prose and a chunk of its own, with its language', () => {
    const text = '# Setup\n\nRun this:\n\n```TypeScript title="x"\nconst a = 1;\n```\n\nDone.\n\n~~~\nplain\n~~~\n';
    const chunks = chunkText(page(text));
    expect(chunks.map(({ source, language, text: own, headingPath }) => [source, language, own, headingPath])).toEqual([
      ['compiled_truth', undefined, text.trimEnd(), ['Setup']],
      ['fenced_code', 'typescript', 'const a = 1;', ['Setup']],
      ['fenced_code', undefined, 'plain', ['Setup']],
    ]);
  });

  test('caps the fences of a page that get chunks', () => {
    const chunks = chunkText(page('```\nx\n```\n\n'.repeat(FENCES_MAX + 20)));
    expect(chunks.filter(({ source }) => source === 'fenced_code')).toHaveLength(FENCES_MAX);
  });

  test('hidden stretches are in no chunk, and offsets are those of the whole page', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(400), (text, at, length) => {
        const start = safe(text, at % (text.length + 1));
        const end = safe(text, Math.min(text.length, start + length));
        const shown = `${text.slice(0, start)}${text.slice(end)}`;
        const secret = `${text.slice(0, start)}\u{f0000}${text.slice(start, end)}\u{f0000}${text.slice(end)}`;
        const hidden = [{ start, end: end + 4 }];
        const chunks = chunkText(page(secret, { hidden }), smallCaps);
        expect(chunks.map((chunk) => chunk.text)).toEqual(chunkText(page(shown), smallCaps).map((chunk) => chunk.text));
        for (const chunk of chunks) {
          expect(secret.slice(chunk.startOffset, chunk.endOffset).startsWith(chunk.text.slice(0, 1))).toBe(true);
          expect(chunk.text).not.toContain('\u{f0000}');
        }
      }),
      { numRuns: 100 },
    );
  });

  test('pieces of hostile text overlap by a bounded share, so that the work stays linear', () => {
    for (const unit of ['x', '[[', '`', '> ', '- ', 'word ', '\n\n', '上', 'a.\n', '```\n']) {
      const text = unit.repeat(400_000 / unit.length);
      const chunks = prose(chunkText(page(text)));
      const total = chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
      expect(total).toBeLessThanOrEqual(1.5 * text.length);
    }
  });
});

/** A place of `text` that is not inside a surrogate pair. */
function safe(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

test('what no region covers is not read: frontmatter and markers', () => {
  const text = '---\ntitle: "```"\n---\nBody.\n\n```\ncode\n```\n';
  const chunks = chunkText({ text, regions: [{ source: 'compiled_truth', start: 21, end: text.length }] });
  expect(chunks.map((chunk) => [chunk.text, chunk.startOffset])).toEqual([
    ['Body.\n\n```\ncode\n```', 21],
    ['code', 32],
  ]);
});

test('the body of a parsed page leaves out frontmatter and tells the timeline apart', () => {
  const slug = parseSlug('people/alice');
  const text =
    '---\ntitle: "# no"\n---\n# Alice\n\nTruth.\n\n## Timeline\n\n' +
    '- **2024-01-02** | note — Met.\n\n## After\n\nMore.\n';
  const parsed = slug.ok ? parsePage(text, { slug: slug.slug }) : slug;
  if (!('page' in parsed)) throw new Error('the page must be read');
  const chunks = chunkBody(scanBody(bodyOfPage(parsed.page)));
  expect(chunks.map(({ source, headingPath, text: own }) => [source, headingPath.at(-1), own.split('\n')[0]])).toEqual([
    ['compiled_truth', 'Alice', '# Alice'],
    ['timeline', 'Timeline', '## Timeline'],
    ['compiled_truth', 'After', '## After'],
  ]);
  expect(
    chunks.every(({ text: own, startOffset, endOffset }) => parsed.page.view.slice(startOffset, endOffset) === own),
  ).toBe(true);
});

describe('conversations', () => {
  test('are told by type or folder', () => {
    expect(isConversation('slack-thread', 'x')).toBe(true);
    expect(isConversation('note', 'conversations/2024-01-01')).toBe(true);
    expect(isConversation('meeting', 'meetings/x')).toBe(false);
  });

  const check = (text: string, expected: [string | undefined, string | undefined, string][]) => {
    const chunks = chunkText(page(text), undefined, { conversation: true });
    expect(
      chunks.map(({ speaker, speakerRole, text: own }) => [speaker, speakerRole, own.replace(/\s+/g, ' ')]),
    ).toEqual(expected);
  };

  test.each([
    [
      'bold labels',
      '**User:** Hi there\n\nmore\n\n**Assistant:** Hello',
      '**User:** Hi there more',
      '**Assistant:** Hello',
    ],
    ['headings', '## User\n\nHi there\n\n## Assistant\n\nHello', '## User Hi there', '## Assistant Hello'],
    ['plain labels', 'User: Hi there\nAssistant: Hello', 'User: Hi there', 'Assistant: Hello'],
    ['times', '[10:02] User: Hi there\n[10:03] Assistant: Hello', '[10:02] User: Hi there', '[10:03] Assistant: Hello'],
  ])('%s: one chunk a turn, user and assistant apart', (_, text, first, second) => {
    check(text, [
      ['User', 'user', first],
      ['Assistant', 'assistant', second],
    ]);
  });

  test('named people are speakers when the name opens several lines; a preamble stays apart', () => {
    check('# Chat\n\nCaroline: Hi\nMelanie: Hey\nCaroline: Note: this\nMelanie: bye', [
      [undefined, undefined, '# Chat'],
      ['Caroline', 'other', 'Caroline: Hi'],
      ['Melanie', 'other', 'Melanie: Hey'],
      ['Caroline', 'other', 'Caroline: Note: this'],
      ['Melanie', 'other', 'Melanie: bye'],
    ]);
  });

  test('labels in code are no turns, and prose without speakers is cut as prose', () => {
    check('**User:** see\n\n```\nUser: x\nAssistant: y\n```\n\n**Assistant:** ok', [
      ['User', 'user', '**User:** see ``` User: x Assistant: y ```'],
      ['Assistant', 'assistant', '**Assistant:** ok'],
      [undefined, undefined, 'User: x Assistant: y'],
    ]);
    check('Decision: go on.\n\nOwner: somebody.', [[undefined, undefined, 'Decision: go on. Owner: somebody.']]);
  });
});
