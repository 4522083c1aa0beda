// A crash inside a checkpoint: pages of the log are folded into the database in any order, whole or in part, and the
// log is still there. Whatever stands in the database then, nothing that was acknowledged is lost.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DataPaths, openDataDir } from './data-dir.ts';
import { openSqliteJournal } from './sqlite.ts';
import { verifyDataDir } from './verify.ts';

const SESSIONS = 10;
const RECORDS = 20;
/** What a disk writes in one piece at least. */
const SECTOR = 512;

let folder: string;
let paths: DataPaths;
/** The database before and after the checkpoint, and the log that it folds. */
let before: Buffer;
let after: Buffer;
let log: Buffer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'brain-checkpoint-'));
  paths = openDataDir(join(folder, 'data'));
  await fill(1, RECORDS / 2);
  const journal = await openSqliteJournal(paths);
  await fill(RECORDS / 2 + 1, RECORDS, journal);
  before = readFileSync(paths.journal);
  log = readFileSync(`${paths.journal}-wal`);
  copyFileSync(paths.heads, `${paths.heads}.kept`);
  await journal.close();
  after = readFileSync(paths.journal);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Opened = Awaited<ReturnType<typeof openSqliteJournal>>;

async function fill(from: number, to: number, given?: Opened): Promise<void> {
  const journal = given ?? (await openSqliteJournal(paths));
  for (let sequence = from; sequence <= to; sequence += 1) {
    await Promise.all(Array.from({ length: SESSIONS }, (_, no) => journal.append(...toAppend(no, sequence))));
  }
  if (!given) await journal.close();
}

function toAppend(no: number, sequence: number): Parameters<Opened['append']> {
  const sessionId = `ses_${String(no).padStart(20, '0')}`;
  const configuration = {
    agentloop: { name: 'echo' },
    model: { provider: 'openai', name: 'm' },
    system: '',
    tools: [],
    environments: [],
  };
  const kind = ['session_creation_started', 'session_creation_ended'][sequence - 1] ?? 'note';
  const payload = JSON.stringify(kind === 'note' ? { text: String(sequence).repeat(40) } : { configuration });
  const record = { sequence, recordedAtMs: sequence, origin: null, kind, payload };
  const status = sequence === 1 ? ('creating' as const) : ('idle' as const);
  const row = { sessionId, status, lastSequence: sequence, atRest: sequence > 1, agentloop: 'echo' };
  return [{ records: [record], row }, { barrier: true }];
}

/** The database as a crash leaves it: each sector old or new, and perhaps not grown to its new length yet. */
function tear(choices: readonly boolean[], isGrown: boolean): Buffer {
  const torn = Buffer.from(isGrown ? after : after.subarray(0, before.length));
  for (let sector = 0; sector * SECTOR < torn.length; sector += 1) {
    if (choices[sector % choices.length]) continue;
    const start = sector * SECTOR;
    torn.fill(0, start, start + SECTOR);
    before.subarray(start, start + SECTOR).copy(torn, start);
  }
  return torn;
}

it('loses nothing, whatever of the log has reached the database', async () => {
  expect(after.equals(before)).toBe(false);
  const choices = fc.array(fc.boolean(), { minLength: 61, maxLength: 67 });
  await fc.assert(
    fc.asyncProperty(choices, fc.boolean(), async (sectors, isGrown) => {
      writeFileSync(paths.journal, tear(sectors, isGrown));
      writeFileSync(`${paths.journal}-wal`, log);
      rmSync(`${paths.journal}-shm`, { force: true });
      copyFileSync(`${paths.heads}.kept`, paths.heads);
      const journal = await openSqliteJournal(paths);
      const held = Array.from({ length: SESSIONS }, (_, no) => {
        return journal.readRecords(`ses_${String(no).padStart(20, '0')}`, 0, 1000, 1e9).length;
      });
      await journal.close();
      expect(held).toEqual(Array.from({ length: SESSIONS }, () => RECORDS));
      expect(verifyDataDir(paths, undefined).findings).toEqual([]);
    }),
    { numRuns: 12 },
  );
});

it('would lose records without the log: the test looks at what matters', () => {
  writeFileSync(paths.journal, before);
  for (const suffix of ['-wal', '-shm']) rmSync(`${paths.journal}${suffix}`, { force: true });
  const database = new DatabaseSync(paths.journal, { readOnly: true });
  const { count } = database.prepare('SELECT count(*) AS count FROM records').get() as { count: number };
  database.close();
  expect(count).toBeLessThan(SESSIONS * RECORDS);
  copyFileSync(`${paths.heads}.kept`, paths.heads);
  expect(verifyDataDir(paths, undefined).ok).toBe(false);
});
