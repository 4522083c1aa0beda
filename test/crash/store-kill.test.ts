// A real process that commits, killed at random moments: the folder opens again with every acknowledged row.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { openPglite } from 'gbrain/store/pglite';
import { sql } from 'gbrain/store/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildTemplate } from '../../tools/build-template.ts';

/** Kills tried; raise it for a long run. */
const kills = Number(process.env.GBRAIN_CRASH_KILLS ?? 5);

let folder: string;
let dataDir: string;
beforeAll(async () => {
  await buildTemplate();
  folder = mkdtempSync(join(tmpdir(), 'gbrain-kill-'));
  dataDir = join(folder, 'brain');
  const store = await openPglite({ dataDir, create: true });
  await store.query(sql`create table kept (row int primary key, note text not null, turn int not null default 0)`);
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lets a writer acknowledge `rows` rows, kills it `delayMs` later, and gives the last row it acknowledged. */
async function killAfter(first: number, rows: number, delayMs: number): Promise<number> {
  const script = fileURLToPath(new URL('./store-writer.ts', import.meta.url));
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(
    process.execPath,
    [script, dataDir, String(first)],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.split('\n').length - 1 >= rows) setTimeout(() => child.kill('SIGKILL'), delayMs);
  });
  const signal = await new Promise((resolve) => child.once('close', (_, by) => resolve(by)));
  expect(signal, errors).toBe('SIGKILL');
  return Number(said.trimEnd().split('\n').at(-1));
}

test('kill -9 at any moment keeps every acknowledged row', { timeout: 60_000 + kills * 60_000 }, async () => {
  let next = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const last = await killAfter(next, 1 + Math.floor(Math.random() * 40), Math.random() * 20);
    const store = await openPglite({ dataDir });
    const rows = await store.query<{ row: number; turn: number }>(sql`select row, turn from kept order by row`);
    await store.close();
    const kept = rows.map((one) => one.row);
    // At most one row more than was said: the commit that the kill caught between disk and pipe.
    const more = kept.at(-1) === last + 1 ? 2 : 1;
    expect(kept, `kill ${kill}`).toEqual(Array.from({ length: last + more }, (_, i) => i));
    for (const { row, turn } of rows) expect(turn).toBe(row + 5 < kept.length ? 1 : 0);
    next = kept.length;
  }
});
