// What a reference leads to: the order of the steps, ties that stay ties, and that every page answers to its own names.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSlug } from '../pages/slug.ts';
import { nameKey, wordsKey } from './names.ts';
import {
  type Asking,
  type Lookup,
  type LookupKey,
  type PageRef,
  pageKeys,
  referenceKeys,
  resolveTarget,
} from './resolve.ts';
import { parseFieldTarget, parseWikiTarget } from './targets.ts';

interface Entry {
  slug: string;
  type?: string;
  title?: string;
  aliases?: string[];
  moved?: string[];
  source?: string;
}

const id = ({ source, kind, key }: LookupKey) => `${source}\u0000${kind}\u0000${key}`;

/** A lookup over pages as rows would answer it. */
function lookupOf(entries: readonly Entry[]): Lookup {
  const rows = new Map<string, PageRef[]>();
  for (const { slug, type = 'note', title = '', aliases = [], moved = [], source = 'default' } of entries) {
    const page = { source, slug, type, title, aliases };
    const old = moved.map((key): LookupKey => ({ source, kind: 'moved', key }));
    for (const key of [...pageKeys(page), ...old])
      rows.set(id(key), [...(rows.get(id(key)) ?? []), { source, slug, type }]);
  }
  return (key) => rows.get(id(key)) ?? [];
}

const brain: Entry[] = [
  { slug: 'people/alice-example', type: 'person', title: 'Alice Example', aliases: ['Ally'], moved: ['people/alice'] },
  { slug: 'people/zoë-müller', type: 'person', title: 'Zoë Müller' },
  { slug: 'people/smith', type: 'person', title: 'John Smith' },
  { slug: 'notes/smith', title: 'Smith, a name' },
  { slug: 'companies/acme', type: 'company', title: 'Acme, Inc.', aliases: ['ACX'] },
  { slug: 'companies/acx-holding', type: 'company', title: 'ACX Holding', aliases: ['ACX'] },
  { slug: 'projects/deep/roadmap', title: 'Roadmap' },
  { slug: 'other/roadmap', title: 'Another roadmap' },
  { slug: 'notes/here', title: 'Here' },
  { slug: 'people/alice-example', source: 'work', type: 'person', title: 'Alice at work' },
];

function resolve(written: string, asking: Partial<Asking> = {}): string {
  const asker = { source: 'default', slug: 'notes/asker', byName: true, ...asking };
  const target = asking.folders ? parseFieldTarget(written, asker.slug) : parseWikiTarget(written, asker.slug);
  const found = resolveTarget(target!, asker, lookupOf(brain));
  if (found.state === 'unresolved') return 'unresolved';
  const name = ({ source, slug }: PageRef) => (source === 'default' ? slug : `${source}:${slug}`);
  if (found.state === 'ambiguous') return `ambiguous ${found.candidates.map(name).join(' ')} by ${found.by}`;
  return `${name(found.page)} by ${found.by}`;
}

describe('resolveTarget', () => {
  test.each([
    ['people/alice-example', 'people/alice-example by slug'],
    ['People/Alice-Example.md', 'people/alice-example by slug'],
    ['people/alice', 'people/alice-example by moved'],
    ['Ally', 'people/alice-example by name'],
    ['Alice Example', 'people/alice-example by name'],
    ['alice-example', 'people/alice-example by name'],
    ['Example, Alice', 'people/alice-example by words'],
    ['ACME', 'companies/acme by basename'],
    ['Acme Inc', 'companies/acme by name'],
    ['ACX', 'ambiguous companies/acme companies/acx-holding by name'],
    ['smith', 'ambiguous notes/smith people/smith by basename'],
    ['people/zoe-muller', 'people/zoë-müller by folded'],
    ['Zoe Muller', 'people/zoë-müller by name'],
    ['deep/roadmap', 'projects/deep/roadmap by basename'],
    ['elsewhere/roadmap', 'unresolved'],
    ['Roadmap', 'projects/deep/roadmap by name'],
    ['work:people/alice-example', 'work:people/alice-example by slug'],
    ['work:people/smith', 'unresolved'],
    ['nobody', 'unresolved'],
    ['Alice', 'unresolved'],
  ])('%s -> %s', (written, expected) => expect(resolve(written)).toBe(expected));

  test('a field that says what it names decides between folders', () => {
    expect(resolve('Smith', { folders: ['people'] })).toBe('people/smith by slug');
    expect(resolve('ACX', { folders: ['companies'] })).toBe('ambiguous companies/acme companies/acx-holding by name');
    expect(resolve('Acme Incorporated', { folders: ['companies'] })).toBe('companies/acme by words');
  });

  test('the asking page is no candidate by name, and is one by its slug', () => {
    expect(resolve('smith', { slug: 'notes/smith' })).toBe('people/smith by basename');
    expect(resolve('notes/smith', { slug: 'notes/smith' })).toBe('notes/smith by slug');
  });

  test('words that may be no reference need the exact slug', () => {
    expect(resolve('people/alice-example', { byName: false })).toBe('people/alice-example by slug');
    expect(resolve('deep/roadmap', { byName: false })).toBe('unresolved');
  });
});

const segment = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const slugs = fc
  .tuple(fc.constantFrom('people', 'companies', 'notes/deep'), segment)
  .map(([folder, name]) => parseSlug(`${folder}/${name}`))
  .filter((parsed) => parsed.ok)
  .map((parsed) => (parsed.ok ? parsed.slug : ''));

test('a page answers to its slug, title and aliases, and only references that share a key can find it', () => {
  fc.assert(
    fc.property(slugs, segment, segment, segment, (slug, title, alias, other) => {
      const entry = { slug, title, aliases: [alias], type: 'person' };
      const lookup = lookupOf([entry]);
      const own = new Set(pageKeys({ ...entry, source: 'default' }).map(id));
      const asking = { source: 'default', slug: 'notes/asker', byName: true };
      for (const name of [slug, title, alias, other]) {
        const target = { paths: [name], name };
        const shared = referenceKeys(target, asking).some((key) => own.has(id(key)));
        const found = resolveTarget(target, asking, lookup).state === 'resolved';
        if (found) expect(shared).toBe(true);
        const mustFind =
          name === slug || ((name === title || name === alias) && nameKey(name) !== '' && !name.includes('/'));
        if (mustFind) expect(found).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test('keys of names', () => {
  expect(nameKey('  Świętosławski & Søn, GmbH ')).toBe('swietoslawski-son-gmbh');
  expect(nameKey('王小明')).toBe('王小明');
  expect(nameKey('!?')).toBe('');
  expect(wordsKey('Søn & Świętosławski GmbH')).toBe('son swietoslawski');
  expect(wordsKey('Co')).toBe('co');
});
