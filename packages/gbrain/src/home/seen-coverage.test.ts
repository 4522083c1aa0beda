// What a command said of missing content is not said again for half an hour, unless there is more of it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { homeAt } from './home.ts';
import { keepSeenCoverage, readSeenCoverage } from './seen-coverage.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gbrain-seen-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('is kept for thirty minutes, and a file that is not whole keeps nothing', async () => {
  const home = homeAt(root);
  const at = new Date(Date.UTC(2026, 2, 1));
  const later = (minutes: number) => new Date(at.getTime() + minutes * 60_000);
  const said = { held_files: { 'files:default': 2 } };
  expect(await readSeenCoverage(home, at)).toEqual({});
  await keepSeenCoverage(home, { before: {}, now: said, at });
  expect(await readSeenCoverage(home, later(29))).toEqual(said);
  expect(await readSeenCoverage(home, later(30))).toEqual({});
  // The same again does not begin the half hour anew.
  await keepSeenCoverage(home, { before: said, now: said, at: later(29) });
  expect(await readSeenCoverage(home, later(31))).toEqual({});
  await writeFile(join(root, 'notices', 'seen-coverage.json'), '{"at": "2026');
  expect(await readSeenCoverage(home, at)).toEqual({});
});
