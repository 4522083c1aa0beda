// Which dated entries a page has, and that rows of its fences are none of them.
import { expect, test } from 'vitest';
import { parsePage } from './page.ts';
import { listTimeline } from './page-timeline.ts';
import { parseSlug } from './slug.ts';
import type { TimelineEntry } from './timeline.ts';

const list = (text: string, name = 'notes/x'): TimelineEntry[] => {
  const slug = parseSlug(name);
  if (!slug.ok) throw new Error(slug.reason);
  const result = parsePage(text, { slug: slug.slug });
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return listTimeline(result.page);
};
const entry = (date: string, source: string, summary: string, line: number, detail = ''): TimelineEntry => ({
  date,
  source,
  summary,
  detail,
  line,
});

test('citations of the body and bullets of the timeline, each once', () => {
  const bullet = '- **2024-01-02** | call — talked\n';
  const body = '---\ndate: 2020-01-01\n---\nIt grew [Source: deck, 2024-03-05].\n\n';
  const text = `${body}<!-- timeline -->\n${bullet}  more\n${bullet}`;
  expect(list(text)).toEqual([
    entry('2024-03-05', 'deck', 'It grew .', 4),
    entry('2024-01-02', 'call', 'talked', 7, 'more'),
  ]);
});

test('a citation inside a bullet is part of it', () => {
  const text = 'Body\n<!-- timeline -->\n- **2024-01-02** | call — talked [Source: deck, 2024-03-05]\n';
  expect(list(text)).toEqual([entry('2024-01-02', 'call', 'talked [Source: deck, 2024-03-05]', 3)]);
});

test('text behind a section of bullets is body again', () => {
  const text = 'Body\n## Timeline\n- **2024-01-02** | a\n## Next\nIt grew [Source: deck, 2024-03-05]\n';
  expect(list(text).map(({ line }) => line)).toEqual([3, 5]);
});

test.each([
  ['facts', 'body', ''],
  ['takes', 'body', ''],
  ['facts', 'timeline', '<!-- timeline -->\n- **2024-01-02** | a\n'],
])('rows of a %s fence in the %s are no entries', (kind, _, before) => {
  const rows = '| # | claim |\n|--|--|\n| 1 | SECRET [Source: x, 2024-03-05] |\n- **2024-05-05** | SECRET\n';
  const text = `# T\n${before}<!--- gbrain:${kind}:begin -->\n${rows}<!--- gbrain:${kind}:end -->\nafter\n`;
  expect(JSON.stringify(list(text))).not.toContain('SECRET');
  expect(list(text)).toHaveLength(before === '' ? 0 : 1);
});

test('a page with a stated date and no entry has one for its title', () => {
  expect(list('---\ndate: 2024-03-05\n---\n# Launch\n')).toEqual([entry('2024-03-05', 'markdown', 'Launch', 1)]);
  expect(list('# Launch\n', 'notes/2024-03-05-launch')).toHaveLength(1);
  expect(list('---\ncreated: 2024-03-05\n---\n# Launch\n')).toEqual([]);
});
