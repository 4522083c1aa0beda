// Text on a terminal: widths of every script, tables that fit and that never cut what a program reads, trees, help.

import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { errors } from 'gbrain/generated/errors';
import { notices } from 'gbrain/generated/notices';
import { operations } from 'gbrain/generated/operations';
import { settings } from 'gbrain/generated/settings';
import { describe, expect, test } from 'vitest';
import { linkLines } from '../areas/graph/link-args.ts';
import { treeLines } from '../areas/graph/tree.ts';
import { timelineLines } from '../areas/timeline/timeline-lines.ts';
import type { HumanView } from '../operation.ts';
import { buildRegistry } from '../registry.ts';
import { parseCommandLine } from '../transports/cli-args.ts';
import { firstSteps, groupsText, helpGroups, helpPage, overviewText, pageText } from './help.ts';
import { markdownLines } from './markdown.ts';
import { explained, tableLines } from './table.ts';
import { clip, displayWidth, plainLine, wrapWords } from './text-width.ts';

const registry = buildRegistry({ operations, errors, notices, settings });
const mark = (name: string) => (text: string) => `\u001b[${name}m${text}\u001b[0m`;

/** A terminal of a width, with colours. */
const terminal = (columns: number): HumanView => ({
  colour: true,
  columns,
  bold: mark('1'),
  dim: mark('2'),
  green: mark('32'),
  yellow: mark('33'),
  red: mark('31'),
  cyan: mark('36'),
});
const same = (text: string) => text;
const pipe: HumanView = {
  colour: false,
  columns: Number.POSITIVE_INFINITY,
  bold: same,
  dim: same,
  green: same,
  yellow: same,
  red: same,
  cyan: same,
};

describe('width', () => {
  test.each([
    ['abc', 3],
    ['', 0],
    ['東京', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['한국어', 6],
    ['\u001b[1mbold\u001b[0m', 4],
    ['Ａ', 2],
  ])('%j takes %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('a clipped text fits and is a beginning of the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (raw, columns) => {
        const text = plainLine(raw);
        const cut = clip(text, columns);
        expect(displayWidth(cut)).toBeLessThanOrEqual(Math.max(columns, 1));
        expect(text.startsWith(cut.replace(/…$/, '')) || cut === text).toBe(true);
      }),
    );
  });

  test('wrapped words are the same words, each line within the width unless one word is longer', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }),
        fc.integer({ min: 5, max: 40 }),
        (words, n) => {
          const lines = wrapWords(words.join(' '), n);
          expect(lines.join(' ')).toBe(words.join(' '));
          for (const line of lines) expect(line.length <= n || !line.includes(' ')).toBe(true);
        },
      ),
    );
  });

  test('what a terminal would obey does not get through', () => {
    expect(plainLine('a\u001b[2Jb\r\n\u0007c\u202ed')).toBe('a[2Jb cd');
    expect(tableLines([['\u001b]0;x\u0007title', 'b']], pipe)).toEqual([']0;xtitle  b']);
  });
});

describe('table', () => {
  const rows = [
    ['people/alice-example', 'person', '2026-01-01', 'Alice Example'],
    ['会社/東京', 'company', '2026-01-02', 'T'.repeat(200)],
    ['s'.repeat(90), 'note', '2026-01-03', 'short'],
  ];

  test('fits every terminal of a sensible width, with columns under each other', () => {
    for (const columns of [60, 76, 80, 120, 200]) {
      const lines = tableLines(rows, terminal(columns));
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      const at = lines.map((line, i) => displayWidth(line.slice(0, line.indexOf(rows[i]![2]!))));
      expect(new Set(at).size).toBe(1);
    }
  });

  test('explanations fit every width: beside their names, or below them on a narrow screen', () => {
    const why = 'Walks the typed edges of a page, as many steps as are asked for, and says what each is.';
    const named = [
      ['graph <slug> with a usage of some length', why],
      ['list', 'Lists pages.'],
    ] as const;
    for (const columns of [40, 60, 80, 120]) {
      const lines = explained(named, terminal(columns)).map(stripVTControlCharacters);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(columns, 42));
      expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(why);
    }
    expect(explained([['list', 'Lists pages.']], terminal(60)).map(stripVTControlCharacters)).toEqual([
      '  list  Lists pages.',
    ]);
  });

  test('cuts nothing where no terminal is', () => {
    for (const [i, line] of tableLines(rows, pipe).entries()) {
      for (const cell of rows[i]!) expect(line).toContain(cell);
    }
  });
});

describe('graph, links, timeline', () => {
  const edge = (from_slug: string, link_type: string, to_slug: string, depth: number) => ({
    from_slug,
    link_type,
    to_slug,
    depth,
    context: 'said so',
  });

  test('a walk is a tree from the page that was asked for', () => {
    const edges = [
      edge('a', 'works_at', 'b', 1),
      edge('c', 'knows', 'a', 1),
      edge('d', 'works_at', 'b', 2),
      edge('c', 'knows', 'b', 2),
    ];
    expect(treeLines(edges, 'a', pipe)).toBe(
      ['a', '├─ works_at → b', '│  └─ works_at ← d', '└─ knows ← c', '   └─ knows → b'].join('\n'),
    );
  });

  test('a page that was asked for by another name is still the root', () => {
    expect(treeLines([edge('a', 'x', 'b', 1), edge('c', 'y', 'a', 1)], 'moved/a', pipe).split('\n')[0]).toBe('a');
  });

  test('a long walk says how much it leaves out', () => {
    const edges = Array.from({ length: 70 }, (_, i) => edge('a', 'x', `b${i}`, 1));
    expect(treeLines(edges, 'a', pipe).split('\n').at(-1)).toBe('and 10 more edges (--json)');
  });

  test('links show a person the other end and a program both', () => {
    const rows = [edge('a', 'works_at', 'b', 0)];
    expect(linkLines(rows, 'to', pipe)).toBe('a  works_at  b');
    const shown = linkLines(rows, 'to', terminal(80));
    expect(shown).toContain('said so');
    expect(shown).not.toMatch(/\bb\b/);
  });

  test('entries of a day are under its name, and long ones go on under themselves', () => {
    const row = (date: string, summary: string) => ({ date, source: 'notes', summary, detail: '' });
    const entries = [row('2026-01-01', 'first'), row('2026-01-01', 'word '.repeat(30).trim())];
    expect(timelineLines(entries, pipe).split('\n')[1]).toMatch(/^2026-01-01 {2}word/);
    const lines = timelineLines(entries, { ...pipe, columns: 60 }).split('\n');
    expect(lines[1]).toMatch(/^ {12}word/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(72);
  });
});

describe('markdown', () => {
  const text = '---\ntitle: A\n---\n# A\n\nSee [[b]] and `[[c]]`.\n\n```\n# no heading\n```\n';

  test('is untouched where no terminal is, so that get and put are a round trip', () => {
    const odd = `${text}\u001b[31m\r\n`;
    expect(markdownLines(odd, pipe)).toBe(odd);
  });

  test('is the same text on a terminal, with headings, links and frontmatter set off', () => {
    const shown = markdownLines(`${text}\u001b[31mred\u0007`, terminal(80));
    expect(shown).toContain('\u001b[1m# A\u001b[0m');
    expect(shown).toContain('\u001b[36m[[b]]\u001b[0m');
    expect(shown).toContain('\n# no heading\n');
    // Colours that the text itself asks for are not given.
    expect(shown.endsWith('[31mred')).toBe(true);
    expect(shown).not.toContain('\u001b[31m');
  });
});

describe('help', () => {
  const groups = helpGroups(registry);
  const texts = (view: HumanView) => [
    overviewText({ version: '1', steps: firstSteps(registry), groups }, view),
    groupsText(groups, view, '1'),
    ...registry.operations.map((one) => pageText(helpPage(one), view)),
  ];

  test('names every command once, and none that is not there', () => {
    const named = groups.flatMap(({ commands }) => commands.map((one) => one.usage.replace(/ [<[].*$/, '')));
    expect(named.toSorted()).toEqual(registry.operations.map(({ cli }) => cli.command).sort());
  });

  test('every group has an example, and every example is a command line that parses', () => {
    for (const { name, examples } of groups) expect([name, examples.length > 0]).toEqual([name, true]);
    const lines = [...firstSteps(registry), ...groups.flatMap(({ examples }) => examples)].map(
      ({ command }) => command,
    );
    for (const line of lines) {
      const argv = line.match(/'[^']*'|\S+/g)!.map((word) => word.replace(/^'|'$/g, ''));
      expect(argv[0]).toBe('gbrain');
      expect(() => parseCommandLine(registry, argv.slice(1), '/')).not.toThrow();
    }
  });

  test('has no colour where no terminal is, and fits one of 80 columns but for commands that are longer', () => {
    for (const text of texts(pipe)) expect(text).not.toContain('\u001b');
    for (const text of texts(terminal(80))) {
      const long = text
        .split('\n')
        .filter(
          (line) =>
            displayWidth(line) > 80 && !/^\s*(e\.g\. )?gbrain |^gbrain help /.test(line.replace(/\u001b\[\d+m/g, '')),
        );
      expect(long).toEqual([]);
    }
  });
});
