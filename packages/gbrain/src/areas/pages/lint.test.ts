// The writer's lint: one line of text a finding, and texts that are fine.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LintReport, lintPage } from './lint.ts';
import { toProse } from './lint-checks.ts';
import { parsePage } from './page.ts';
import { parseSlug } from './slug.ts';

const lint = (text: string): LintReport => {
  const slug = parseSlug('notes/x');
  if (!slug.ok) throw new Error(slug.reason);
  const result = parsePage(text, { slug: slug.slug, now: new Date('2026-11-30') });
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return lintPage(result.page);
};
const good = '# Title\n\nAcme raised ten million dollars in 2024 [Source: Board deck, 2024-03-05].\n';

test('a good page has the zero-findings shape', () => {
  expect(lint(good)).toEqual({
    error_count: 0,
    warning_count: 0,
    top_findings: [],
    details_truncated: false,
    by_validator: {},
  });
});

describe('findings', () => {
  test.each<[string, string, 'error' | 'warning', number | undefined]>([
    ['# T\n\nAcme raised ten million dollars in 2024.\n', 'uncited_claims', 'warning', 3],
    ['# T\n\n株式会社アクメは二千二十四年に千万ドルを調達した。\n', 'uncited_claims', 'warning', 3],
    ['no heading\n', 'missing_title', 'warning', undefined],
    ['---\ntitle: T\n---\n', 'empty_body', 'warning', undefined],
    ['---\n---\n# T\ntext\n', 'empty_frontmatter', 'warning', 1],
    ['---\ntitle: A: b\n---\ntext\n', 'frontmatter_repaired', 'warning', 2],
    ['---\ntitle: T\nvisibility: team\n---\ntext\n', 'unknown_visibility', 'error', 3],
    ['---\ntitle: T\ndate: soon\n---\ntext\n', 'unusable_date', 'warning', 3],
    ['\n---\ntitle: T\n---\ntext\n', 'missing_open', 'error', 3],
    ['title: T\ntags:\n  - a\n---\ntext\n', 'missing_open', 'error', 1],
    ['```yaml\n---\ntitle: T\n---\n```\n', 'missing_open', 'error', 3],
    [`${good}# Second\n`, 'heading_structure', 'warning', 4],
    [`${good}### Deep\n`, 'heading_structure', 'warning', 4],
    [`${good}## \n`, 'heading_structure', 'warning', 4],
    [`${good}As an AI language model, I cannot know.\n`, 'llm_artifact', 'warning', 4],
    [`${good}Certainly! Here is the page:\n`, 'llm_artifact', 'warning', 4],
    [`${good}done <|im_end|>\n`, 'llm_artifact', 'error', 4],
    [`${good}Met [Insert name here] today\n`, 'placeholder', 'warning', 4],
    [`${good}Dear {{first_name}}\n`, 'placeholder', 'warning', 4],
    [`${good}see https://example.com/a for it\n`, 'bare_url', 'warning', 4],
    [`${good}a [[people/alice\n`, 'wikilink', 'warning', 4],
    [`${good}a [[]] b\n`, 'wikilink', 'warning', 4],
    [`${good}a [[x [[y]]\n`, 'wikilink', 'warning', 4],
    [`${good}a [[people/alice|]]\n`, 'wikilink', 'warning', 4],
    [`${good}a [[a//b]]\n`, 'wikilink', 'warning', 4],
    [`${good}${'word '.repeat(500)}\n`, 'long_line', 'warning', 4],
    [`${good}<!-- timeline -->\n- 2024-01-01 met\n`, 'timeline_bullet', 'warning', 5],
    [`${good}<!-- timeline -->\n**2024-01-01** met\n`, 'timeline_bullet', 'warning', 5],
    [`${good}<!--timeline-->\n`, 'timeline_marker', 'error', 4],
    [
      `${good}<!--- gbrain:facts:begin -->\n| # | claim |\n|--|--|\n| x | a |\n<!--- gbrain:facts:end -->\n`,
      'fence_row',
      'warning',
      7,
    ],
  ])('%j: %s', (text, validator, severity, line) => {
    const report = lint(text);
    const found = report.top_findings.find((finding) => finding.validator === validator);
    expect(found).toMatchObject({ validator, severity });
    expect(found?.line).toBe(line);
    expect(report.by_validator[validator]).toBe(1);
    expect(found?.message).not.toBe('');
    expect(found?.hint).not.toBe('');
  });

  test.each([
    ['link', 'see [it](https://example.com/a) and <https://example.com>\n'],
    ['reference', '[1]: https://example.com\n'],
    ['code', 'use `https://example.com` and `[[x` and `{{y}}` here\n'],
    ['code block', '```\n[[x\nAs an AI model\nhttps://example.com\n```\n'],
    ['wikilinks', '[[people/alice]] [[a|b]] [[#anchor]] [[x#y|z]] [[wiki:people/bob]] [[../up]] | [[a\\|b]] |\n'],
    ['a link that begins like a placeholder', '[your page](notes/x)\n'],
    ['levels', '## A\n\n### B\n\n## C\n'],
    ['timeline', '<!-- timeline -->\n\n- **2024-01-01** | a — b\n  - detail\nplain\n'],
    ['a heading in the timeline', '<!-- timeline -->\n## Timeline\n'],
    ['short', 'Too short\n'],
    ['question', 'Who is it that came to dinner?\n'],
    ['task', '- [ ] ask them about the new plan\n'],
    ['prose that mentions dates', 'title: a word\n'],
  ])('%s is fine', (_, more) => {
    expect(lint(good + more).top_findings).toEqual([]);
  });

  test.each([
    ['a link', 'It grew fast last year, says [the report](https://example.com/r).'],
    ['a footnote', 'It grew very fast last year.[^1]'],
    ['a citation', 'It grew very fast last year [Source: report, 2024-01-01].'],
    ['a dated source', 'It grew very fast last year.\n\n<!-- timeline -->\n- **2024-01-01** | call — said so'],
  ])('a page with %s is cited', (_, text) => {
    expect(lint(`# T\n\n${text}\n`).by_validator).not.toHaveProperty('uncited_claims');
    expect(lint(`---\ntitle: T\nsource: mail\n---\nIt grew very fast last year.\n`).by_validator).toEqual({});
  });
});

test('errors come first, ten at most, and counts are of all', () => {
  const report = lint(`# T\n\n${'see https://example.com now\n'.repeat(30)}<!--timeline-->\n`);
  expect(report).toMatchObject({ error_count: 1, warning_count: 30, details_truncated: true });
  expect(report.by_validator).toEqual({ bare_url: 30, timeline_marker: 1 });
  expect(report.top_findings).toHaveLength(10);
  expect(report.top_findings[0]?.validator).toBe('timeline_marker');
});

describe('toProse', () => {
  test.each([
    ['a `b` c', 'a     c'],
    ['a ``b`c`` d', 'a         d'],
    ['a `b', 'a `b'],
    ['``a`b` c', '``a    c'],
  ])('%j is %j', (text, prose) => {
    expect(toProse(text)).toBe(prose);
  });

  test('law: the length stays and text outside code stays', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', 'a', ' '), maxLength: 30 }), (text) => {
        const prose = toProse(text);
        expect(prose).toHaveLength(text.length);
        for (let index = 0; index < text.length; index += 1) expect([text[index], ' ']).toContain(prose[index]);
      }),
    );
  });
});

test.each([
  ['one line', 'a '.repeat(2_499_000)],
  ['table rows', '| a | b |\n'.repeat(50_000)],
  ['brackets', '['.repeat(3_000_000)],
  ['short brackets', '[[x '.repeat(500_000)],
  ['lines of brackets', `${'[['.repeat(4000)}\n`.repeat(400)],
  ['placeholders', `${'[insert '.repeat(1200)}\n`.repeat(300)],
  ['braces', `${'{{a'.repeat(3000)}\n`.repeat(300)],
  ['addresses', `${'https://'.repeat(1200)}\n`.repeat(300)],
  ['backticks', `${Array.from({ length: 130 }, (_, i) => '`'.repeat(i + 1)).join(' ')}\n`.repeat(300)],
  ['headings', '# a\n'.repeat(100_000)],
  ['spaces', `${' '.repeat(9000)}x\n`.repeat(300)],
  ['hyphens', `${'- '.repeat(4500)}\n`.repeat(300)],
])('hostile pages are read once: %s', (_, text) => {
  expect(lint(text).warning_count).toBeGreaterThan(0);
});
