// Makes the empty, migrated database folder that the package ships, so that a new brain needs no initdb.
// It runs at build time only; the product reads its result through data-folder.ts.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { packFolder } from './archive.ts';
import { engineMajor, folderFormat, type TemplateRecord, templateRecordFile } from './data-folder.ts';
import { type Migration, migrate } from './migrate.ts';
import { openPglite } from './pglite.ts';
import { sql } from './sql.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

/** Writes the template into `folder` unless the one there holds these very migrations; true when it was made. */
export async function writeTemplate(folder: string, migrations: readonly Migration[]): Promise<boolean> {
  const checksums = migrations.map((migration) => migration.checksum);
  if (isCurrent(folder, checksums)) return false;
  const work = mkdtempSync(join(tmpdir(), 'gbrain-template-'));
  try {
    const dataDir = join(work, 'data');
    await initialise(dataDir);
    await fill(dataDir, migrations);
    const archive = packFolder(dataDir);
    const sha256 = createHash('sha256').update(archive).digest('hex');
    const record: TemplateRecord = {
      // Named by its content, so that builds at the same time (test processes) never mix their two files.
      archive: `brain-${sha256.slice(0, 12)}.tar.zst`,
      sha256,
      postgres_major: engineMajor,
      format: folderFormat,
      migrations: checksums,
    };
    mkdirSync(folder, { recursive: true });
    put(join(folder, record.archive), archive);
    put(join(folder, templateRecordFile), `${JSON.stringify(record, null, 2)}\n`);
    return true;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function isCurrent(folder: string, checksums: readonly string[]): boolean {
  let record: TemplateRecord;
  let archive: Uint8Array;
  try {
    record = JSON.parse(readFileSync(join(folder, templateRecordFile), 'utf8')) as TemplateRecord;
    archive = readFileSync(join(folder, record.archive));
  } catch {
    // Absent or cut off: it is made anew.
    return false;
  }
  const current = record.postgres_major === engineMajor && record.format === folderFormat;
  const whole = record.sha256 === createHash('sha256').update(archive).digest('hex');
  return current && whole && record.migrations.join() === checksums.join();
}

/** Runs initdb with small log segments, and drops the databases that only serve to make further ones. */
async function initialise(dataDir: string): Promise<void> {
  const pg = await PGlite.create({ dataDir, initDbStartParams: ['--wal-segsize=1'] });
  await pg.exec('update pg_database set datistemplate = false');
  for (const name of ['template0', 'template1']) await pg.exec(`drop database ${name}`);
  await pg.close();
}

async function fill(dataDir: string, migrations: readonly Migration[]): Promise<void> {
  const store = await openPglite({ dataDir });
  await migrate(store, migrations);
  await store.batch([
    sql`update brain set brain_id = ${nobody}, incarnation = ${nobody}, created_at = 'epoch'`,
    sql`update sources set incarnation = ${nobody}, created_at = 'epoch'`,
  ]);
  // A plain vacuum on top would add two small files a table, each of which a new brain must write and sync.
  await store.query(sql`vacuum (full, freeze, analyze)`);
  await store.close();
}

function put(path: string, content: Uint8Array | string): void {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, content);
  renameSync(fresh, path);
}
