// Markdown that nobody here wrote: every such file under the repository's node_modules goes in and comes out unchanged.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '@gbrain/testkit/gbrain-binary';
import { testHost } from '@gbrain/testkit/host';
import { openTestPglite } from '@gbrain/testkit/stores';
import { sql } from 'gbrain/store/sql';
import { afterAll, expect, test } from 'vitest';
import type { ImportReply } from '../ingest/import-reply.ts';

const folder = mkdtempSync(join(tmpdir(), 'gbrain-real-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Copies the files, because node_modules holds a hundred others for each, and links to the workspaces. */
function copyMarkdown(from: string, to: string): string[] {
  const found = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return found.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name).slice(from.length + 1);
    if (!/\.mdx?$/i.test(path) || path.split('/').some((part) => part.startsWith('.'))) return [];
    const target = join(to, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(from, path), target);
    utimesSync(target, 0, 0);
    return [path];
  });
}

test('every markdown file of the installed packages comes out as it went in', { timeout: 240_000 }, async () => {
  const [vault, out, again] = ['vault', 'out', 'again'].map((name) => join(folder, name)) as [string, string, string];
  const paths = copyMarkdown(join(root, 'node_modules'), vault);
  expect(paths.length).toBeGreaterThan(100);
  const opened = await openTestPglite();
  try {
    const host = testHost(opened.store);
    const reply = await host.ok<ImportReply>('import', { dir: vault });
    expect(reply.seen).toBe(paths.length);
    expect(reply.imported + reply.failed).toBe(paths.length);
    // What is refused is refused for a reason of the file's own, and told with it.
    const refused = reply.outcomes.filter(({ verdict }) => verdict !== 'imported');
    for (const one of refused) {
      expect(one).toMatchObject({
        verdict: 'failed',
        reason: expect.stringMatching(/^(held_collision|encoding|null_bytes|too_large|YAML_PARSE|MISSING_CLOSE)$/),
      });
    }
    await host.ok('export', { dir: out });
    const imported = reply.outcomes.filter(({ verdict }) => verdict === 'imported').map(({ path }) => path);
    const differ = (one: string) => !readFileSync(join(vault, one)).equals(readFileSync(join(out, one)));
    expect(imported.filter(differ)).toEqual([]);
    expect(await host.ok<ImportReply>('import', { dir: vault })).toMatchObject({
      imported: 0,
      unchanged: imported.length,
    });
    await opened.store.query(sql`insert into sources (id, name) values ('again', 'again')`);
    const copied = await host.ok<ImportReply>('import', { dir: out, source_id: 'again' });
    expect(copied).toMatchObject({ imported: imported.length, failed: 0 });
    await host.ok('export', { dir: again, source_id: 'again' });
    expect(imported.filter((one) => !readFileSync(join(out, one)).equals(readFileSync(join(again, one))))).toEqual([]);
    expect(host.faults).toEqual([]);
  } finally {
    await opened.remove();
  }
});
