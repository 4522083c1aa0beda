// Fences: where they begin and end, which rows show, and that a faulty one shows nothing.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joinCells, splitCells, toFactRow, toTableRow, toTakeRow } from './fence-rows.ts';
import { hiddenView, parseFences, protectedSpans } from './fences.ts';

const HEAD = '| # | claim | kind | visibility |\n|---|---|---|---|\n';
const facts = (rows: string): string => `<!--- gbrain:facts:begin -->\n${HEAD}${rows}<!--- gbrain:facts:end -->\n`;
const takes = (rows: string): string =>
  `<!--- gbrain:takes:begin -->\n| # | claim | kind | who |\n|---|---|---|---|\n${rows}<!--- gbrain:takes:end -->\n`;

const fencesOf = (text: string) => {
  const result = parseFences(text);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result;
};

describe('cells', () => {
  test.each([
    ['| a | b |', ['a', 'b']],
    ['|a|b', ['a', 'b']],
    ['| a \\| b |  |', ['a | b', '']],
    ['| a\\\\| b |', ['a\\| b']],
    ['|', []],
    ['a | b', undefined],
  ])('%j', (line, cells) => {
    expect(splitCells(line)).toEqual(cells);
  });

  test('law: cells come back', () => {
    const cell = fc
      .string({ unit: fc.constantFrom('a', '|', '\\', ' ', 'é'), maxLength: 6 })
      .map((text) => text.trim());
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
        expect(splitCells(joinCells(cells))).toEqual(cells);
      }),
      { numRuns: 1000 },
    );
    expect(joinCells(['a\nb'])).toBe('| a b |');
  });
});

describe('parseFences', () => {
  test('a page with both', () => {
    const rows = '| 1 | likes tea | fact | world |\n| 2 | ~~old~~ | fact | private |\n';
    const text = `---\nx: 1\n---\n# H\n${facts(rows)}mid\n${takes('| 3 | will win | bet | brain |\n')}`;
    const { fences, warnings } = fencesOf(text);
    expect(warnings).toEqual([]);
    expect(fences.map((fence) => [fence.kind, fence.beginLine, fence.endLine])).toEqual([
      ['facts', 5, 10],
      ['takes', 12, 16],
    ]);
    expect(fences[0]?.lines.map((line) => [line.line, line.shown, line.row?.num, line.row?.struck])).toEqual([
      [6, true, undefined, undefined],
      [7, true, undefined, undefined],
      [8, true, 1, false],
      [9, false, 2, true],
    ]);
    expect(text.slice(fences[1]?.start, fences[1]?.end)).toBe(takes('| 3 | will win | bet | brain |\n'));
  });

  test.each([
    ['unclosed', '<!--- gbrain:facts:begin -->\n| 1 |\n', 'unclosed', 1],
    ['unopened', 'a\n<!--- gbrain:facts:end -->\n', 'unopened', 2],
    ['other kind closes', '<!--- gbrain:facts:begin -->\n<!--- gbrain:takes:end -->\n', 'unopened', 2],
    ['nested', `<!--- gbrain:takes:begin -->\n${facts('')}<!--- gbrain:takes:end -->\n`, 'nested', 2],
    ['twice', facts('') + facts(''), 'duplicated', 5],
    ['two hyphens', '<!-- gbrain:facts:begin -->\n', 'malformed', 1],
    ['unknown kind', '<!--- gbrain:fact:begin -->\n', 'malformed', 1],
    ['case', '<!--- GBrain:facts:begin -->\n', 'malformed', 1],
    ['indented', '  <!--- gbrain:facts:begin -->\n', 'malformed', 1],
    ['open code', `\`\`\`\n${facts('')}`, 'unsettled', 2],
    ['row opens code', facts('```\n'), 'unclosed', 1],
    ['frontmatter around', `---\n${facts('')}---\n`, 'unsettled', 2],
  ])('%s is refused', (_, text, reason, line) => {
    for (const eol of ['\n', '\r\n', '\r']) {
      const result = parseFences(text.replaceAll('\n', eol));
      expect(result.ok ? [] : result.errors).toContainEqual(
        expect.objectContaining({ code: 'invalid_fence', reason, line }),
      );
    }
  });

  test.each([
    ['closed code', `\`\`\`\n${facts('')}\`\`\`\n`],
    ['code in a list', `- \`\`\`\n  <!--- gbrain:facts:begin -->\nend\n`],
    ['quote', '> <!--- gbrain:facts:begin -->\n'],
    ['inline', 'see `<!--- gbrain:facts:begin -->` here\n'],
    ['frontmatter', '---\nx: |\n  <!--- gbrain:facts:begin -->\n---\nbody\n'],
    ['nothing', ''],
  ])('%s is text', (_, text) => {
    expect(fencesOf(text).fences).toEqual([]);
    expect(hiddenView(text, 'world')).toBe(text);
  });

  test.each([
    ['no number', '| x | a | fact | world |\n', false, /no number/],
    ['repeated', '| 1 | a | fact | world |\n| 1 | b | fact | world |\n', true, /twice/],
    ['few cells', '| 1 | a |\n', false, /2 cells/],
    ['many cells', '| 1 | a | fact | world | x |\n', false, /5 cells/],
    ['prose', 'my note\n', false, /no table row/],
  ])('a hand-edited row is read with a warning: %s', (_, rows, shown, message) => {
    const { fences, warnings } = fencesOf(facts(rows));
    expect(warnings[0]?.message).toMatch(message);
    expect(fences[0]?.lines.at(-1)?.shown).toBe(shown);
  });

  test('columns are found by name, and without a head nothing is shown', () => {
    const moved =
      '<!--- gbrain:facts:begin -->\n| Visibility | # | Claim |\n|:--|--|--:|\n' +
      '| world | 7 | a |\n<!--- gbrain:facts:end -->\n';
    expect(fencesOf(moved).fences[0]?.lines.at(-1)).toMatchObject({
      shown: true,
      row: { num: 7, cells: { claim: 'a' } },
    });
    const headless =
      '<!--- gbrain:facts:begin -->\n| 1 | a | fact | 1 | world | high | | | s | c |\n<!--- gbrain:facts:end -->\n';
    const { fences, warnings } = fencesOf(headless);
    expect(warnings[0]?.code).toBe('fence_head');
    expect(fences[0]?.lines[0]).toMatchObject({ shown: false, row: { num: 1, cells: { visibility: 'world' } } });
    expect(
      fencesOf('<!--- gbrain:facts:begin -->\n| secret | row |\n|--|--|\n<!--- gbrain:facts:end -->\n').fences[0]
        ?.lines[0]?.shown,
    ).toBe(false);
  });
});

describe('hiddenView', () => {
  test('takes go whole, facts by row, and the owner sees all', () => {
    const rows = '| 1 | open | fact | world |\n| 2 | closed | fact | private |\n| 3 | odd | fact | |\nnote\n';
    const text = `a\n${facts(rows)}b\n${takes('| 1 | t | bet | brain |\n')}c\n`;
    expect(hiddenView(text, 'owner')).toBe(text);
    expect(hiddenView(text, 'world')).toBe(`a\n${facts('| 1 | open | fact | world |\n')}b\nc\n`);
  });

  test.each([
    ['malformed first', 'a\n<!-- gbrain:takes:begin -->\nsecret\n'],
    ['unclosed', 'a\n<!--- gbrain:takes:begin -->\nsecret\n'],
    ['in open code', `a\n\`\`\`\n${takes('| 1 | secret | bet | brain |\n')}`],
    ['good, then bad', `a\n${takes('| 1 | secret | bet | brain |\n')}x\n<!--- gbrain:facts:begin -->\nsecret\n`],
    ['comment around', `a\n<!--\n${takes('| 1 | secret | bet | brain |\n')}-->\n`],
  ])('a faulty fence shows nothing: %s', (_, text) => {
    expect(hiddenView(text, 'world')).not.toContain('secret');
    expect(hiddenView(text, 'world').startsWith('a\n')).toBe(true);
  });

  test('law: no reader but the owner sees a private claim, whatever surrounds the fence', () => {
    const piece = fc.constantFrom(
      '```',
      '~~~',
      '> q',
      '- item',
      '<!-- c -->',
      '<!--',
      '-->',
      '---',
      '    code',
      '',
      'text',
      '`',
      '\t',
    );
    const around = fc.array(piece, { maxLength: 6 }).map((lines) => lines.map((line) => `${line}\n`).join(''));
    const row = fc.constantFrom(
      '| 1 | SECRET | fact | private |\n',
      '| 2 | SECRET | fact |\n',
      '| SECRET\n',
      'SECRET\n',
      '| 4 | open | fact | world |\n',
    );
    fc.assert(
      fc.property(around, fc.array(row), around, fc.constantFrom(facts, takes), (before, rows, after, make) => {
        const text = before + make(rows.join('')) + after;
        const parsed = parseFences(text);
        const asText = parsed.ok && parsed.fences.length === 0;
        if (!asText) expect(hiddenView(text, 'world')).not.toContain('SECRET');
        else expect(before).toMatch(/^\s*(```|~~~)/m);
      }),
      { numRuns: 1000 },
    );
  });
});

test('protected spans are the fences with their markers', () => {
  const text = `a\n${facts('')}b\n`;
  expect(protectedSpans(text).map(({ start, end }) => text.slice(start, end))).toEqual([facts('')]);
  expect(protectedSpans('a\n<!--- gbrain:facts:begin -->\nb')).toEqual([{ start: 2, end: 32 }]);
  expect(protectedSpans('a')).toEqual([]);
});

describe('typed rows', () => {
  const row = (columns: string, cells: string) => toTableRow(splitCells(cells) ?? [], splitCells(columns) ?? []);
  const head =
    '| # | claim | kind | confidence | visibility | notability | valid_from | valid_until | source | context |';

  test('facts', () => {
    const fact = toFactRow(
      row(head, '| 4 | ~~a \\| b~~ | Event | 0.8 | World | HIGH | 2024-01-01 | | mail | superseded by #9 |'),
    );
    expect(fact).toMatchObject({
      num: 4,
      claim: 'a | b',
      kind: 'event',
      confidence: 0.8,
      visibility: 'world',
      notability: 'high',
    });
    expect(fact).toMatchObject({
      validFrom: '2024-01-01',
      validUntil: null,
      active: false,
      supersededBy: 9,
      forgotten: null,
    });
    const gone = toFactRow(row(head, '| 5 | ~~x~~ | | high | | | | | | forgotten: wrong person |'));
    expect(gone).toMatchObject({
      confidence: null,
      visibility: 'private',
      kind: 'fact',
      notability: 'medium',
      forgotten: 'wrong person',
    });
    expect(toFactRow(row(head, '| x | a |'))).toBeUndefined();
    expect(toFactRow(row(head, '| 1 | |'))).toBeUndefined();
  });

  test('takes', () => {
    const columns = '| # | claim | kind | who | weight | since | source |';
    expect(toTakeRow(row(columns, '| 1 | wins | bet | people/x | 0.72 | 2024-01 → 2024-06 | call |'))).toMatchObject({
      num: 1,
      claim: 'wins',
      kind: 'bet',
      who: 'people/x',
      weight: 0.7,
      since: '2024-01',
      until: '2024-06',
      active: true,
      resolved: null,
    });
    expect(toTakeRow(row(columns, '| 0 | wins |'))).toBeUndefined();
    expect(toTakeRow(row(columns, '| 9999999999 | wins |'))).toBeUndefined();
  });
});

test('hostile fences', () => {
  const rows = Array.from(
    { length: 50_000 },
    (_, i) => `| ${i + 1} | a | fact | ${i % 2 ? 'world' : 'private'} |\n`,
  ).join('');
  expect(fencesOf(facts(rows)).fences[0]?.lines).toHaveLength(50_002);
  expect(hiddenView(facts(rows), 'world').length).toBeLessThan(facts(rows).length);
  const pipes = fencesOf(facts(`|${'\\|'.repeat(1_000_000)}|${'|'.repeat(1_000_000)}\n`));
  expect(pipes.warnings).toHaveLength(1);
  const markers = parseFences('<!-- gbrain:x -->\n'.repeat(100_000));
  expect(markers.ok ? 0 : markers.errors.length).toBe(20);
});
