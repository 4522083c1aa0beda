// What a search cannot see: files that an import left out and files that are held are counted on every search, and told
// once, where they could hold what was asked.
import { mkdirSync, writeFileSync } from 'node:fs';
import { HomeInProcess } from '@gbrain/testkit/home-in-process';
import type { McpPipe } from '@gbrain/testkit/mcp-pipe';
import { expect, test } from 'vitest';
import { coverageOf, heldFiles } from './coverage.ts';
import type { HoldRow } from './search.sql.ts';

const hold = (more: Partial<HoldRow>): HoldRow => ({
  kind: 'file',
  source_id: 'default',
  root: null,
  path: null,
  slug: null,
  title: null,
  type: null,
  ...more,
});

const HOLDS: HoldRow[] = [
  hold({ root: '/notes', path: 'trips/norway.md' }),
  hold({ path: 'people/alice.md', slug: 'people/alice', title: 'Alice', type: 'person' }),
  hold({ kind: 'embedding', slug: 'notes/ledger', title: 'Ledger', type: 'note' }),
];

const asked = (query: string, rows: { slug: string; type: string; source_id: string }[], types: string[] = []) => ({
  query,
  types,
  rows,
});

const other = { slug: 'meetings/one', type: 'meeting', source_id: 'default' };

test.each([
  ['a word of its path', asked('the trip to Norway', [other]), 1, 0],
  ['a word of its title', asked('ledger', [other]), 0, 1],
  ['a type that was asked for', asked('anything', [other], ['person']), 1, 0],
  ['a type among the answers', asked('anything', [{ ...other, type: 'note' }]), 0, 1],
  ['the page itself', asked('anything', [{ ...other, slug: 'people/alice' }]), 1, 0],
  ['the same slug elsewhere', asked('anything', [{ ...other, slug: 'people/alice', source_id: 'team' }]), 0, 0],
  ['nothing of it', asked('anything', [other]), 0, 0],
  ['an empty answer', asked('anything', []), 2, 1],
])('what could match: %s', (_, covered, files, vectors) => {
  expect(coverageOf(covered, HOLDS)).toEqual({
    pending_projections: { count: 0, could_affect: 0 },
    sync_holds: { count: 2, could_affect: files },
    embedding_holds: { count: 1, could_affect: vectors },
  });
});

test('holds that could not be read are not zero', () => {
  const coverage = coverageOf(asked('anything', [other]), undefined);
  expect(coverage).toMatchObject({ sync_holds: null, embedding_holds: null });
  expect(heldFiles(coverage, undefined, 'default')).toMatchObject({ coverage: { files: null } });
});

interface Retrieval {
  coverage: { sync_holds: { count: number; could_affect: number } };
}

const searched = async (pipe: McpPipe, query: string) => {
  const { _meta } = await pipe.call('search', { query });
  const codes = (_meta?.gbrain_notices as { code: string }[] | undefined)?.map(({ code }) => code) ?? [];
  return { holds: (_meta!.retrieval as Retrieval).coverage.sync_holds, isTold: codes.includes('held_files') };
};

test('an import that left a file out: searches count it, and one that it could answer tells of it once', async () => {
  await using home = await HomeInProcess.withBrain();
  const folder = `${home.folder}/notes`;
  mkdirSync(folder);
  writeFileSync(`${folder}/harvest.md`, '# Harvest\n\nThe apples are in.\n');
  writeFileSync(`${folder}/quarry.md`, 'The quarry\0 is closed.\n');
  await home.document(['import', folder]);
  const { pipe } = await home.serve();
  expect(await searched(pipe, 'apples')).toEqual({ holds: { count: 1, could_affect: 0 }, isTold: false });
  expect(await searched(pipe, 'apples of the quarry')).toEqual({ holds: { count: 1, could_affect: 1 }, isTold: true });
  expect(await searched(pipe, 'the quarry')).toEqual({ holds: { count: 1, could_affect: 1 }, isTold: false });
  writeFileSync(`${folder}/quarry.md`, 'The quarry is closed.\n');
  await home.document(['import', folder]);
  expect(await searched(pipe, 'quarry')).toEqual({ holds: { count: 0, could_affect: 0 }, isTold: false });
});
