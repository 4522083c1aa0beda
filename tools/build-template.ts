// Builds the empty, migrated database folder that the package ships, so that a new brain needs no initdb.
// It must not know the product's home folders; it writes only where it is told.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { migrations } from '../packages/gbrain/src/generated/migrations.ts';
import { packFolder } from '../packages/gbrain/src/store/archive.ts';
import type { TemplateRecord } from '../packages/gbrain/src/store/data-folder.ts';
import { engineMajor, folderFormat, templateDir, templateFiles } from '../packages/gbrain/src/store/data-folder.ts';
import { migrate } from '../packages/gbrain/src/store/migrate.ts';
import { openPglite } from '../packages/gbrain/src/store/pglite.ts';
import { sql } from '../packages/gbrain/src/store/sql.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

/** Builds the template unless the one in `folder` holds these very migrations; true when it was built. */
export async function buildTemplate(folder: string = templateDir): Promise<boolean> {
  const checksums = migrations.map((migration) => migration.checksum);
  if (isCurrent(folder, checksums)) return false;
  const work = mkdtempSync(join(tmpdir(), 'gbrain-template-'));
  try {
    const dataDir = join(work, 'data');
    await initialise(dataDir);
    await fill(dataDir);
    const archive = packFolder(dataDir);
    const sha256 = createHash('sha256').update(archive).digest('hex');
    const record: TemplateRecord = { sha256, postgres_major: engineMajor, format: folderFormat, migrations: checksums };
    mkdirSync(folder, { recursive: true });
    // Two builds may run at once (test workers): each file appears whole, the record last.
    put(join(folder, templateFiles.archive), archive);
    put(join(folder, templateFiles.record), `${JSON.stringify(record, null, 2)}\n`);
    return true;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function isCurrent(folder: string, checksums: readonly string[]): boolean {
  try {
    const record = JSON.parse(readFileSync(join(folder, templateFiles.record), 'utf8')) as TemplateRecord;
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, templateFiles.archive)))
      .digest('hex');
    const { sha256, postgres_major, format, migrations: held } = record;
    return (
      sha256 === hash && postgres_major === engineMajor && format === folderFormat && held.join() === checksums.join()
    );
  } catch {
    return false;
  }
}

/** Runs initdb with small log segments, and drops the databases that only serve to make further ones. */
async function initialise(dataDir: string): Promise<void> {
  const pg = await PGlite.create({ dataDir, initDbStartParams: ['--wal-segsize=1'] });
  await pg.exec('update pg_database set datistemplate = false');
  for (const name of ['template0', 'template1']) await pg.exec(`drop database ${name}`);
  await pg.close();
}

async function fill(dataDir: string): Promise<void> {
  const store = await openPglite({ dataDir });
  await migrate(store);
  await store.batch([
    sql`update brain set brain_id = ${nobody}, incarnation = ${nobody}, created_at = 'epoch'`,
    sql`update sources set incarnation = ${nobody}, created_at = 'epoch'`,
  ]);
  await store.query(sql`vacuum (full, freeze, analyze)`);
  await store.query(sql`vacuum (freeze, analyze)`);
  await store.close();
}

function put(path: string, content: Uint8Array | string): void {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, content);
  renameSync(fresh, path);
}

if (import.meta.main) {
  const built = await buildTemplate();
  process.stdout.write(`template: ${built ? 'built' : 'current'}\n`);
}
