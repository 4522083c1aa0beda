// Embeds the SQL files of the migrations into one TypeScript file, so that source and bundle read the same list.
// It must not know how they are applied.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages/gbrain/src');

/** The file that renderMigrations writes, absolute. */
export const migrationsFile = join(source, 'generated/migrations.ts');

/**
 * Renders the list of migrations as TypeScript. Throws when a file name, its order or its `-- breaking:` line is wrong.
 */
export function renderMigrations(): string {
  const folder = join(source, 'store/migrations');
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  const rows = names.sort().map((name, i) => {
    const text = readFileSync(join(folder, name), 'utf8');
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name))
      throw new Error(`${name}: a migration is named like 0007_what_it_does.sql`);
    const version = Number(name.slice(0, 4));
    if (version !== i + 1) throw new Error(`${name}: number ${i + 1} is missing or taken twice`);
    const breaking = /^-- breaking: (yes|no)\n/.exec(text)?.[1];
    if (!breaking) throw new Error(`${name}: the first line says "-- breaking: yes" or "-- breaking: no"`);
    const checksum = createHash('sha256').update(text).digest('hex');
    const fields = [
      `version: ${version}`,
      `name: '${name.slice(0, -4)}'`,
      `breaking: ${breaking === 'yes'}`,
      `checksum: '${checksum}'`,
      `text: ${JSON.stringify(text)}`,
    ];
    return `  {\n${fields.map((field) => `    ${field},`).join('\n')}\n  },`;
  });
  return [
    '// Written by tools/embed-migrations.ts from store/migrations/*.sql; edit those.',
    "import type { Migration } from '../store/migrate.ts';",
    '',
    '/** Every migration that this version knows, in order. */',
    `export const migrations: readonly Migration[] = [\n${rows.join('\n')}\n];`,
    '',
  ].join('\n');
}

if (import.meta.main) writeFileSync(migrationsFile, renderMigrations());
