// A data folder is absent or whole, each brain has ids of its own, and what cannot be opened is refused in words.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildTemplate } from '../../../../tools/build-template.ts';
import { migrations } from '../generated/migrations.ts';
import { templateDir } from './assets.ts';
import { checkFolder, createFolder, engineMajor, folderFormat, type TemplateRecord } from './data-folder.ts';
import { openStore } from './open-store.ts';
import { openPglite } from './pglite.ts';
import { sql } from './sql.ts';

let home: string;
let dataDir: string;
beforeAll(async () => {
  await buildTemplate();
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gbrain-folder-'));
  dataDir = join(home, 'deep/brain');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Identity {
  brain_id: string;
  incarnation: string;
  created_at: Date;
  source: string;
}

async function identityOf(folder: string): Promise<Identity | undefined> {
  const store = await openPglite({ dataDir: folder, create: true, durable: false });
  const [row] = await store.query<Identity>(
    sql`select brain_id, brain.incarnation, brain.created_at, s.incarnation as source from brain, sources s`,
  );
  await store.close();
  return row;
}

describe('a new folder', () => {
  test('holds a migrated, empty brain with ids that no other brain has and that stay', async () => {
    const before = Date.now();
    const first = await identityOf(dataDir);
    const second = await identityOf(join(home, 'other'));
    const ids = [first, second].flatMap((one) => [one?.brain_id, one?.incarnation, one?.source]);
    expect(new Set(ids).size).toBe(6);
    expect(ids.every((id) => id && !id.startsWith('00000000'))).toBe(true);
    expect(first?.created_at.getTime()).toBeGreaterThanOrEqual(before);
    expect(await identityOf(dataDir)).toEqual(first);
  });

  test('gets its ids even when the process died right after unpacking', async () => {
    await createFolder(dataDir);
    expect(checkFolder(dataDir).born).toBe(false);
    expect((await identityOf(dataDir))?.brain_id).not.toMatch(/^0{8}/);
    expect(checkFolder(dataDir)).toEqual({
      engine: 'pglite',
      postgres_major: engineMajor,
      format: folderFormat,
      born: true,
    });
  });

  test('leaves nothing beside it but its record, and clears what an interrupted call left', async () => {
    mkdirSync(join(home, 'deep/brain.new-abc123/base'), { recursive: true });
    await createFolder(dataDir);
    expect(readdirSync(join(home, 'deep')).sort()).toEqual(['brain', 'brain.format.json']);
  });

  test('takes the place of an empty one, and never of one that holds something', async () => {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(join(dataDir, 'mine'), 'keep');
    await expect(createFolder(dataDir)).rejects.toMatchObject({ name: 'StoreError', at: dataDir });
    expect(readdirSync(dataDir)).toEqual(['mine']);
    rmSync(join(dataDir, 'mine'));
    await createFolder(dataDir);
    expect(existsSync(join(dataDir, 'PG_VERSION'))).toBe(true);
  });

  test('is Postgres of the major that we say', async () => {
    const store = await openPglite({ dataDir, create: true, durable: false });
    const [row] = await store.query<{ v: string }>(sql`select current_setting('server_version_num') as v`);
    await store.close();
    expect(Math.floor(Number(row?.v) / 10_000)).toBe(engineMajor);
    expect(store.facts).toEqual({ engine: 'pglite', serverMajor: engineMajor, concurrent: false });
  });
});

describe('a template', () => {
  const copyOf = (change: (folder: string, record: TemplateRecord) => void): string => {
    const folder = join(home, 'template');
    cpSync(templateDir, folder, { recursive: true });
    change(folder, JSON.parse(readFileSync(join(folder, 'template.json'), 'utf8')) as TemplateRecord);
    return folder;
  };
  const cases: [string, (folder: string, record: TemplateRecord) => void][] = [
    ['that is missing', (folder) => rmSync(folder, { recursive: true })],
    ['without its record', (folder) => rmSync(join(folder, 'template.json'))],
    ['with one altered byte', (folder, record) => flip(join(folder, record.archive))],
    [
      'of another major',
      (folder, record) =>
        writeFileSync(join(folder, 'template.json'), JSON.stringify({ ...record, postgres_major: engineMajor + 1 })),
    ],
  ];
  test.each(cases)('%s is refused and makes no folder', async (_, change) => {
    await expect(createFolder(dataDir, copyOf(change))).rejects.toMatchObject({ fault: 'damaged' });
    expect(existsSync(dataDir)).toBe(false);
  });
});

function flip(path: string): void {
  const bytes = readFileSync(path);
  bytes[1_000] = (bytes[1_000] as number) ^ 1;
  writeFileSync(path, bytes);
}

describe('opening refuses', () => {
  test('a folder without a database', async () => {
    await expect(openPglite({ dataDir })).rejects.toMatchObject({ fault: 'schema_missing' });
    expect(existsSync(dataDir)).toBe(false);
  });

  test('a folder of another Postgres major, naming both', async () => {
    await createFolder(dataDir);
    writeFileSync(join(dataDir, 'PG_VERSION'), '17\n');
    await expect(openPglite({ dataDir, create: true })).rejects.toMatchObject({
      fault: 'incompatible',
      message: 'This database folder was made for Postgres 17; this version of gbrain opens Postgres 18 only',
    });
  });

  test('a folder of another format', async () => {
    await createFolder(dataDir);
    writeFileSync(`${dataDir}.format.json`, JSON.stringify({ ...checkFolder(dataDir), format: 2 }));
    await expect(openPglite({ dataDir })).rejects.toMatchObject({ fault: 'incompatible' });
  });

  test('a record that cannot be read', async () => {
    await createFolder(dataDir);
    writeFileSync(`${dataDir}.format.json`, '{');
    await expect(openPglite({ dataDir })).rejects.toMatchObject({ fault: 'damaged', at: `${dataDir}.format.json` });
  });

  const damages: [string, () => void][] = [
    ['without pg_control', () => rmSync(join(dataDir, 'global/pg_control'))],
    ['with an empty pg_control', () => writeFileSync(join(dataDir, 'global/pg_control'), '')],
    ['with garbage in pg_control', () => writeFileSync(join(dataDir, 'global/pg_control'), Buffer.alloc(8192, 7))],
    ['without its write-ahead log', () => rmSync(join(dataDir, 'pg_wal'), { recursive: true })],
    [
      'with an empty write-ahead log',
      () => {
        for (const name of readdirSync(join(dataDir, 'pg_wal')))
          rmSync(join(dataDir, 'pg_wal', name), { recursive: true });
      },
    ],
    ['without its catalogue', () => rmSync(join(dataDir, 'base'), { recursive: true })],
  ];
  test.each(damages)('a folder %s', async (_, damage) => {
    await createFolder(dataDir);
    damage();
    const error: unknown = await openPglite({ dataDir }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'StoreError', fault: 'damaged' });
    expect((error as Error).message).not.toMatch(/PANIC|FATAL|ENOENT|abort/i);
  });

  test('a place without a brain, unless it is to be made', async () => {
    const place = { kind: 'pglite', dataDir } as const;
    await expect(openStore(place, { migrations })).rejects.toMatchObject({ fault: 'schema_missing' });
    const store = await openStore(place, { migrations, create: true });
    await store.close();
  });
});
