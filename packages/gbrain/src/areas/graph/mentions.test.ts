// The grid: every form of reference in every place where prose or code can stand.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanBody } from '../chunks/body.ts';
import { allMentions, type LinkingPage, type Mention, readMentions } from './mentions.ts';

const linking = (text: string, rest: Partial<LinkingPage> = {}): LinkingPage => ({
  source: 'default',
  slug: 'notes/here',
  type: 'note',
  title: 'Here',
  aliases: [],
  frontmatter: {},
  body: scanBody({ text, regions: [{ source: 'compiled_truth', start: 0, end: text.length }] }),
  ...rest,
});
const read = (text: string, rest?: Partial<LinkingPage>): Mention[] => allMentions(readMentions(linking(text, rest)));
const show = ({ form, target }: Mention) => {
  const source = target.source ? `${target.source}:` : '';
  return `${form} ${source}${target.paths.join(' ')}${target.anchor ? ` #${target.anchor}` : ''}`;
};
const check = (text: string, ...expected: string[]) => expect(read(text).map(show)).toEqual(expected);

/** A reference, how it is read in prose, and how it is written inside a table. */
const FORMS: [string, string, string?][] = [
  ['[[people/alice|Alice]]', 'wikilink people/alice', '[[people/alice\\|Alice]]'],
  ['[[people/alice]]', 'wikilink people/alice'],
  ['[[people/alice#Work|Alice]]', 'wikilink people/alice #Work', '[[people/alice#Work\\|Alice]]'],
  ['[[people/alice#^block]]', 'wikilink people/alice #^block'],
  ['[[Alice Example]]', 'wikilink Alice Example'],
  ['[[work:people/alice]]', 'wikilink work:people/alice'],
  ['[[../people/alice.md]]', 'wikilink people/alice.md'],
  ['![[people/alice]]', 'embed people/alice'],
  ['![[photo.png|300]]', 'embed photo.png', '![[photo.png\\|300]]'],
  ['[Alice](people/alice)', 'markdown people/alice notes/people/alice'],
  ['[Alice](../people/alice.md)', 'markdown people/alice.md'],
  ['[Alice](/people/alice.md "A title")', 'markdown people/alice.md'],
  ['[Alice](<../people/alice example.md>)', 'markdown people/alice example.md'],
  ['[Alice](../people/alice%20example.md#Work)', 'markdown people/alice example.md #Work'],
  ['[Alice](File.md)', 'markdown notes/File.md File.md'],
  ['[a (b) `c`](./File(1).md)', 'markdown notes/File(1).md'],
  ['![A photo](img/alice.png)', 'image notes/img/alice.png img/alice.png'],
  ['people/alice-example', 'path people/alice-example'],
  ['src/areas/x.ts:12', 'code src/areas/x.ts'],
];

/** A place, and whether what stands there is prose. */
const PLACES: [string, (form: string) => string, boolean][] = [
  ['a paragraph', (form) => `Before ${form} after.`, true],
  ['the start', (form) => form, true],
  ['a heading', (form) => `## About ${form}`, true],
  ['a list', (form) => `- one\n  - two ${form}, three`, true],
  ['a numbered list', (form) => `1. one\n2. ${form}`, true],
  ['a task', (form) => `- [ ] ask ${form}`, true],
  ['a quote', (form) => `> said\n> by ${form}`, true],
  ['a callout', (form) => `> [!note] Title\n> by ${form}`, true],
  ['emphasis', (form) => `**see ${form}**, _really_`, true],
  ['a footnote', (form) => `Text[^1].\n\n[^1]: See ${form}.`, true],
  ['after an apostrophe', (form) => `It's ${form}; isn't it?`, true],
  ['a wrapped line', (form) => `one two\n${form}\nthree`, true],
  ['after broken markup', (form) => `\`open [x ![ ]] [[ \n\n${form}`, true],
  ['beside Chinese', (form) => `请看 ${form}。`, true],
  ['CRLF lines', (form) => `a\r\n\r\n${form}\r\n`, true],
  ['a code span', (form) => `Run \`${form}\` now`, false],
  ['a double code span', (form) => `Run \`\` a\`${form} \`\` now`, false],
  ['a fence', (form) => `\`\`\`sh\n${form}\n\`\`\``, false],
  ['a tilde fence', (form) => `~~~\n${form}\n~~~`, false],
  ['an unclosed fence', (form) => `\`\`\`\n${form}\n\nmore`, false],
  ['a fence in a list', (form) => `- a\n\n  \`\`\`\n  ${form}\n  \`\`\``, false],
  ['a fence in a quote', (form) => `> \`\`\`\n> ${form}`, false],
  ['indented code', (form) => `text\n\n    ${form}`, false],
  ['a comment', (form) => `a <!-- ${form} --> b`, false],
  ['a comment over lines', (form) => `<!--\n\n${form}\n\n-->`, false],
  ['a pre element', (form) => `<pre>\n${form}\n</pre>`, false],
  ['a script', (form) => `<script>\n${form}\n</script>`, false],
  ['a code element', (form) => `see <code>${form}</code>`, false],
  ['a definition nobody uses', (form) => `[label]: ${form.replace(/\s/g, '')}`, false],
];

describe.each(FORMS)('%s', (form, expected, inTable) => {
  test.each(PLACES)('in %s', (_, place, isProse) => {
    check(place(form), ...(isProse ? [expected] : []));
  });
  test('in a table', () => {
    check(`| a | b |\n|---|---|\n| x | ${inTable ?? form} |`, expected);
  });
  test('after a backslash it is text', () => {
    if (/^\[(?!\[)/.test(form)) check(`\\${form}`);
  });
  test('hidden text has no references', () => {
    const text = `open ${form} shut`;
    const region = { source: 'compiled_truth', start: 0, end: text.length } as const;
    const body = scanBody({ text, regions: [region], hidden: [{ start: 5, end: text.length - 5 }] });
    expect(read(text, { body })).toEqual([]);
  });
});

describe('what is no reference', () => {
  test.each([
    'https://example.com/people/alice-example and www.example.com/people/alice',
    '[site](https://example.com/people/alice.md) <https://example.com/a-b/c-d>',
    '[mail](mailto:a@b.c) and a/b@c.d and //host/share',
    '[top](#work) and [[#work]] and [[]] and [[ ]] and [[|x]]',
    'matrix [[1, 2], [3, 4]] and a[[0]',
    'TCP/IP, 24/7, 1/2, /etc/passwd, ./run, ~/x/y, C:/dir/file',
    '<img src="people/alice-example"> and <a href="people/alice.md">x</a>',
    '[above](../../../people/alice.md)',
    '[[https://example.com]] and [[mailto:x@y.z]]',
    '#people/alice-example @people/alice-example',
  ])('%s', (text) => {
    expect(
      read(text)
        .filter(({ form }) => form !== 'path' || false)
        .map(show),
    ).toEqual([]);
    expect(read(text).filter(({ wanted }) => wanted)).toEqual([]);
  });
});

test('words with a slash count only if their page is there', () => {
  expect(read('yes and/or no, ideas/cold-storage, people/bob').map(({ label, wanted }) => [label, wanted])).toEqual([
    ['and/or', false],
    ['ideas/cold-storage', true],
    ['people/bob', true],
  ]);
});

describe('markdown as people write it', () => {
  test.each<[string, string[]]>([
    ['[[1]](https://example.com/a.md)', []],
    ['[[1]](notes/one.md)', ['markdown notes/notes/one.md notes/one.md']],
    ['[[Alice]](CEO)', ['wikilink Alice']],
    ['[people/alice-example](../people/alice-example.md)', ['markdown people/alice-example.md']],
    ['[![logo](logo.png)](../people/alice.md)', ['image notes/logo.png logo.png', 'markdown people/alice.md']],
    ['[folder](../guide/)', ['markdown guide/index guide/readme']],
    ['[Alice][a], [a][] and [a].\n\n[A]: ../people/alice.md "t"\n[b]: x.md', Array(3).fill('markdown people/alice.md')],
    ['[a [b](b.md) c](c.md)', ['markdown notes/b.md b.md']],
    ['[x](a.md)[[b]]![[c]]people/d-e', ['markdown notes/a.md a.md', 'wikilink b', 'embed c', 'path people/d-e']],
    ['\\[[people/alice]]', []],
    ['[[a]] `[[b]]` [[c]] ``[[d]]` [[e]]`` `f', ['wikilink a', 'wikilink c']],
    ['See people/alice-example, people/bob.', ['path people/alice-example', 'path people/bob']],
    ['(people/alice-example)', ['path people/alice-example']],
    ['[[people/zoë-müller]] and people/zoë-müller', ['wikilink people/zoë-müller', 'path people/zoë-müller']],
    ['请看people/alice-example页面', ['path people/alice-example']],
    ['[[人物/王小明|王小明]]在公司', ['wikilink 人物/王小明']],
    ['[[Re: plans]]', ['wikilink Re: plans']],
  ])('%s', (text, expected) => check(text, ...expected));
});

test('labels and places are those of the text', () => {
  const text = 'Ask [[people/alice|Alice]] or [Bob](people/bob) or people/carol-x.';
  const places = read(text).map(({ label, start, end }) => [label, text.slice(start, end)]);
  expect(places).toEqual([
    ['Alice', '[[people/alice|Alice]]'],
    ['Bob', '[Bob](people/bob)'],
    ['people/carol-x', 'people/carol-x'],
  ]);
});

describe('frontmatter', () => {
  const fields = (type: string, frontmatter: Record<string, unknown>) =>
    read('', { type, frontmatter }).map(({ target, field, wanted }) => {
      return [field?.name, field?.rule.linkType, field?.rule.incoming, target.paths[0], wanted];
    });

  test('declared link fields count on their type of page, in their direction', () => {
    const frontmatter = {
      company: 'Acme',
      founded: ['[[companies/b|B]]'],
      attendees: ['Alice'],
      title: '[[no]]',
      notes: '[[no]]',
    };
    expect(fields('person', frontmatter)).toEqual([
      ['company', 'works_at', false, 'Acme', true],
      ['founded', 'founded', false, 'companies/b', true],
    ]);
    expect(fields('meeting', frontmatter)).toEqual([['attendees', 'attended', true, 'Alice', true]]);
    expect(fields('note', frontmatter)).toEqual([]);
  });

  test('values may be wikilinks without quotes, markdown links, paths or names; others are skipped', () => {
    const related = [
      [['people/alice|Alice']],
      '[B](../people/b.md)',
      'people/c',
      5,
      null,
      { a: 1 },
      ' ',
      'https://x.y/z',
    ];
    expect(fields('note', { related }).map(([, , , path]) => path)).toEqual([
      'people/alice',
      'people/b.md',
      'people/c',
    ]);
  });

  test('a plain word in source need not become a page', () => {
    expect(fields('note', { source: 'LinkedIn', sources: ['[[sources/x]]'] })).toEqual([
      ['sources', 'discussed_in', true, 'sources/x', true],
      ['source', 'source', false, 'LinkedIn', false],
    ]);
  });
});

test('an image lies beside its page', () => {
  const place = (slug: string) => read('', { slug, type: 'image' }).map(show);
  expect(place('people/alice.png')).toEqual(['place people/alice']);
  expect(place('people/images/alice.jpg')).toEqual(['place people/images/alice people/alice people']);
  expect(read('', { slug: 'people/alice' })).toEqual([]);
});

test('never throws, keeps places inside the text, and hostile input stays small work', () => {
  const parts = fc.constantFrom(
    '[[',
    ']]',
    '[',
    ']',
    '](',
    ')',
    '|',
    '\\',
    '`',
    '``',
    '<!--',
    '-->',
    '<a',
    '>',
    '!',
    '#',
    'a/b',
    '\n',
    '\n\n',
    '- ',
    ' ',
    '"',
    'x',
    '😀',
    '[x]: ',
    '<code>',
  );
  fc.assert(
    fc.property(
      fc.array(parts, { maxLength: 80 }).map((list) => list.join('')),
      (text) => {
        for (const { start, end } of read(text)) expect(start >= 0 && end > start && end <= text.length).toBe(true);
      },
    ),
    { numRuns: 1500 },
  );
});

test.each([
  '[[',
  '[',
  '](',
  '](x "',
  '](x (',
  '`a``',
  '<!--',
  '<!-- \n\n',
  '<a ',
  '<code>',
  '![',
  '[a][',
  'a/',
  '\\',
  '[x]: y\n',
  '> ',
  '- ',
])(
  'a megabyte of %j ends',
  (unit) => {
    expect(read(unit.repeat(1_000_000 / unit.length)).length).toBeGreaterThanOrEqual(0);
  },
  5_000,
);
