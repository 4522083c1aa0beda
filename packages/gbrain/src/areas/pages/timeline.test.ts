// Timeline bullets read and added.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findBody } from './frontmatter.ts';
import { splitBody } from './page-body.ts';
import { toView } from './text-edge.ts';
import { calendarDate, parseInlineCitations, parseTimeline, parseTimelineBullet } from './timeline.ts';
import { addTimelineEntry, type NewTimelineEntry } from './timeline-edit.ts';

describe('parseTimelineBullet', () => {
  test.each([
    ['- **2024-03-05** | call — talked', '2024-03-05', 'call', 'talked'],
    ['**2024-03-05** | call - talked', '2024-03-05', 'call', 'talked'],
    ['* **2024-03-05** | call – talked — twice', '2024-03-05', 'call', 'talked — twice'],
    ['- **2024-03-05** | just this', '2024-03-05', 'markdown', 'just this'],
    ['- **2024-03-05** | well-known thing', '2024-03-05', 'markdown', 'well-known thing'],
    ['- **2024-03-05** | [a — b](u — v) — talked', '2024-03-05', '[a — b](u — v)', 'talked'],
    ['- **2024-03-05** | a :( — b', '2024-03-05', 'a :(', 'b'],
    ['- **2024-03-05** — one — two', '2024-03-05', 'markdown', 'one — two'],
    ['- **2024-03-05** - one', '2024-03-05', 'markdown', 'one'],
    ['- **2024年3月5日** | 会議 — 話した', '2024-03-05', '会議', '話した'],
  ])('%j', (text, date, source, summary) => {
    expect(parseTimelineBullet(text)).toEqual({ date, source, summary });
  });

  test.each([
    '- 2024-03-05 | x',
    '- **2024-13-05** | x',
    '- **2024-02-30** | x',
    '- **2024-03** | x',
    '- **2024-03-05** x',
    '- **2024-03-05** |',
    '- **2024-03-05**',
    '   - **2024-03-05** | x',
    'text',
    '',
  ])('%j is none', (text) => {
    expect(parseTimelineBullet(text)).toBeUndefined();
  });

  test('days are of the calendar', () => {
    expect(calendarDate('2024', '2', '29')).toBe('2024-02-29');
    expect(calendarDate('2023', '02', '29')).toBeUndefined();
    expect(calendarDate('2024', '00', '01')).toBeUndefined();
    expect(calendarDate('2024', undefined, '01')).toBeUndefined();
  });
});

describe('parseTimeline', () => {
  test('lines behind a bullet are its detail, up to a heading', () => {
    const text =
      'intro\n- **2024-01-02** | a — b\n  more\n    deep\n\nplain\n\n- **2024-01-03** | c\n## Next\nnot detail\n';
    expect(parseTimeline(text, 10)).toEqual([
      { date: '2024-01-02', source: 'a', summary: 'b', detail: '  more\n    deep\n\nplain', line: 11 },
      { date: '2024-01-03', source: 'markdown', summary: 'c', detail: '', line: 17 },
    ]);
    expect(parseTimeline('- **2024-01-02** | a\n\n  x\n   y\n\n')[0]?.detail).toBe('x\n y');
  });

  test('bullets in code are detail or nothing', () => {
    expect(parseTimeline('```\n- **2024-01-02** | a\n```\n')).toEqual([]);
    expect(parseTimeline('- **2024-01-02** | a\n  ```\n- **2024-01-03** | b\n')).toHaveLength(2);
  });

  test('hostile timelines are read once', () => {
    expect(parseTimeline('- **2024-01-02** | x\n'.repeat(50_000))).toHaveLength(50_000);
    expect(parseTimeline(`- **2024-01-02** | x\n${' y\n'.repeat(300_000)}`)[0]?.detail).toHaveLength(599_999);
    expect(parseTimeline(`- **2024-01-02** | ${'['.repeat(1_000_000)}${'- '.repeat(1_000_000)}`)).toHaveLength(1);
  });
});

test('inline citations are entries of their line', () => {
  const text =
    '- It grew [Source: Board deck, 2024-03-05] fast. [source: x, 2024-03-06]\n' +
    '`x`\n[Source: a, 2024-99-01]\n```\n[Source: b, 2024-01-01]\n```\n';
  const summary = 'It grew  fast.';
  expect(parseInlineCitations(text, 3)).toEqual([
    { date: '2024-03-05', source: 'Board deck', summary, detail: '', line: 3 },
    { date: '2024-03-06', source: 'x', summary, detail: '', line: 3 },
  ]);
  expect(parseInlineCitations('a [Source: x, 2024-01-01] '.repeat(20_000))).toHaveLength(20_000);
  expect(parseInlineCitations('[Source: '.repeat(200_000))).toEqual([]);
});

const added = (text: string, entry: NewTimelineEntry): string => {
  const result = addTimelineEntry(text, entry);
  if (!result.ok) throw new Error(result.reason);
  return result.text;
};

describe('addTimelineEntry', () => {
  const entry = { date: '2024-05-05', source: 'call', summary: 'talked' };
  const bullet = '- **2024-05-05** | call — talked\n';
  const at = (date: string): string => `- **${date}** | x\n`;

  test.each([
    ['no timeline', 'Body\n', `Body\n\n<!-- timeline -->\n\n${bullet}`],
    ['no line end', 'Body', `Body\n\n<!-- timeline -->\n\n${bullet}`],
    ['nothing', '', `<!-- timeline -->\n\n${bullet}`],
    ['empty section', 'Body\n<!-- timeline -->\n', `Body\n<!-- timeline -->\n\n${bullet}`],
    ['marker without line end', 'Body\n<!-- timeline -->', `Body\n<!-- timeline -->\n\n${bullet}`],
    [
      'oldest first',
      `<!-- timeline -->\n${at('2024-01-01')}${at('2024-09-01')}`,
      `<!-- timeline -->\n${at('2024-01-01')}${bullet}${at('2024-09-01')}`,
    ],
    [
      'newest first',
      `<!-- timeline -->\n${at('2024-09-01')}${at('2024-01-01')}`,
      `<!-- timeline -->\n${at('2024-09-01')}${bullet}${at('2024-01-01')}`,
    ],
    [
      'newest first, oldest of all',
      `<!-- timeline -->\n${at('2024-09-01')}${at('2024-08-01')}`,
      `<!-- timeline -->\n${at('2024-09-01')}${at('2024-08-01')}${bullet}`,
    ],
    [
      'one entry, with detail',
      `<!-- timeline -->\n${at('2024-01-01')}  more\n\n`,
      `<!-- timeline -->\n${at('2024-01-01')}  more\n${bullet}\n`,
    ],
    [
      'no line end at the end',
      `<!-- timeline -->\n- **2024-01-01** | x`,
      `<!-- timeline -->\n${at('2024-01-01')}${bullet}`,
    ],
    [
      'a section between others',
      `Body\n## Timeline\n${at('2024-01-01')}\n## Next\ntext\n`,
      `Body\n## Timeline\n${at('2024-01-01')}${bullet}\n## Next\ntext\n`,
    ],
    ['prose in the section', 'Body\n<!-- timeline -->\nnone yet\n', `Body\n<!-- timeline -->\nnone yet\n\n${bullet}`],
  ])('%s', (_, before, after) => {
    expect(added(before, entry)).toBe(after);
    const crlf = (text: string): string => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    if (before.includes('\n')) expect(added(crlf(before), entry)).toBe(crlf(after));
  });

  test('an entry that is there is not added again', () => {
    expect(addTimelineEntry(`<!-- timeline -->\n${bullet}`, entry)).toEqual({
      ok: true,
      text: `<!-- timeline -->\n${bullet}`,
      changed: false,
    });
  });

  test.each([
    [{ date: '2024-02-30', summary: 'x' }, 'invalid_date'],
    [{ date: 'soon', summary: 'x' }, 'invalid_date'],
    [{ date: '2024-01-01', summary: ' \n ' }, 'empty_summary'],
    [{ date: '2024-01-01', summary: 'x', detail: '# heading' }, undefined],
    [{ date: '2024-01-01', summary: 'x', detail: '<!--- gbrain:facts:begin -->' }, 'unwritable_entry'],
    [{ date: '2024-01-01', summary: 'x', detail: '<!-- timeline -->' }, 'unwritable_entry'],
  ])('%j: %s', (one, reason) => {
    const result = addTimelineEntry('Body\n', one);
    expect(result.ok ? undefined : result.reason).toBe(reason);
    if (reason === undefined) expect(result.ok).toBe(true);
  });

  test('a page that ends in open code keeps its text', () => {
    expect(addTimelineEntry('```\ncode', entry)).toMatchObject({ ok: false, reason: 'unwritable_entry' });
  });

  test('law: what is added is read back, beside what was there, and no other line changes', () => {
    const words = fc.string({
      unit: fc.constantFrom('a', ' ', '-', '—', '[', ']', '(', ')', '|', '\n', '*', 'é'),
      maxLength: 12,
    });
    const date = fc.constantFrom('2024-01-01', '2024-05-05', '2025-01-31');
    const one = fc.record({
      date,
      summary: words.map((text) => `s${text}`),
      source: words,
      detail: fc.constantFrom('', 'one', 'one\n  two\n\nthree', ' - x'),
    });
    const start = fc.constantFrom(
      '',
      'Body',
      '---\na: 1\n---\n# H\n\nText\n',
      'Body\r\n<!-- timeline -->\r\n',
      'a\n\n## History\n- **2023-01-01** | x\n\n## End\nb\n',
    );
    fc.assert(
      fc.property(start, fc.array(one, { minLength: 1, maxLength: 5 }), (text, entries) => {
        let page: string = text;
        for (const entry of entries) {
          const result = addTimelineEntry(page, entry);
          if (!result.ok) throw new Error(`${result.reason} for ${JSON.stringify(page)}`);
          const view = toView(result.text);
          const lines = new Set(view.split('\n'));
          for (const line of toView(page).split('\n')) expect(lines).toContain(line);
          const body = findBody(view);
          const read = parseTimeline(splitBody(view, body.offset, body.line).timeline);
          const summary = entry.summary.replace(/\s+/g, ' ').trim();
          expect(read.filter((other) => other.date === entry.date && other.summary === summary).length).toBeGreaterThan(
            0,
          );
          page = result.text;
        }
        const crlf = text.includes('\r\n');
        if (crlf) expect(page.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      }),
      { numRuns: 600 },
    );
  });
});
