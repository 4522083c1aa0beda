// A search says what it could not look into: once a session, and again only when there is more. Over both front doors.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HomeInProcess } from '@gbrain/testkit/home-in-process';
import { expect, test } from 'vitest';

const TOLD = /^\[gbrain notice held_files kind=degraded\]/;

test('files that were edited beside their pages, and files that an import left out', async () => {
  await using home = await HomeInProcess.withBrain();
  const { pipe } = await home.serve();
  const root = String((await home.document(['content', 'status'])).body.root);
  await pipe.body('put_page', { slug: 'notes/kiln', content: '# Kiln\n\nIt runs at night.\n' });
  await home.document(['content', 'status']);
  const file = join(root, 'notes/kiln.md');
  mkdirSync(join(root, 'notes'), { recursive: true });
  writeFileSync(file, '# Kiln\n\nBy hand.\n');
  utimesSync(file, 0, 0);
  await pipe.body('put_page', { slug: 'notes/kiln', content: '# Kiln\n\nIt runs by day.\n', force: true });
  const folder = join(home.folder, 'given');
  mkdirSync(folder);
  writeFileSync(join(folder, 'broken.md'), Buffer.from([0x23, 0x20, 0xff, 0xfe]));
  await home.document(['import', folder]);
  // The file follows the page's commit; the import has waited for it.
  await expect.poll(async () => (await home.document(['content', 'status'])).body.held).toBe(1);

  const found = await pipe.call('search', { query: 'kiln' });
  const { coverage } = (found._meta as { retrieval: { coverage: unknown } }).retrieval;
  expect(coverage).toEqual({
    projection_pending: { count: 0, could_affect: 0 },
    held_files: { count: 1, could_affect: 1 },
    failed_files: { count: 1, could_affect: 0 },
  });
  const told = found.content.find(({ text }) => TOLD.test(text));
  expect(told?.text).toContain('why: Retrieval incomplete: 1 file edited beside their pages and held.');
  const again = await pipe.call('search', { query: 'kiln' });
  expect(again.content.some(({ text }) => TOLD.test(text))).toBe(false);
  // Where nothing answers, what was never read may be what was meant.
  const nothing = await pipe.call('search', { query: 'zzzunheard' });
  expect(nothing.content.map(({ text }) => text).join()).toContain('1 file that the last import could not take in');

  const first = await home.cli(['search', 'kiln']);
  expect(`${first.stdout}${first.stderr}`).toContain('Retrieval incomplete: 1 file');
  const second = await home.cli(['search', 'kiln']);
  expect(`${second.stdout}${second.stderr}`).not.toContain('Retrieval incomplete');
});

test('--explain says how each row came to its place', async () => {
  await using home = await HomeInProcess.withBrain();
  const { pipe } = await home.serve();
  await pipe.body('put_page', { slug: 'notes/kiln', content: '# Kiln\n\nIt runs at night.\n' });
  const [row] = (await pipe.body('search', { query: 'kiln glaze', explain: true })) as unknown as {
    explain: unknown;
  }[];
  expect(row!.explain).toMatchObject({
    tier: 'text',
    matched: ['kiln'],
    missing: ['glaze'],
    stages: expect.any(Array),
  });
  const [plain] = (await pipe.body('search', { query: 'kiln' })) as unknown as object[];
  expect(plain).not.toHaveProperty('explain');
  expect((await home.cli(['search', 'kiln', '--explain'])).stdout).toMatch(/tier; words .*has kiln/);
});
