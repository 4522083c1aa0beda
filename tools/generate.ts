// The only generator: registry indexes, embedded migrations and every page under docs/generated.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderMigrations } from './embed-migrations.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'packages/gbrain/src');

/** Files of these kinds register by their suffix. Source: design/architecture section 3; parts: docs/decisions. */
export const KINDS = [
  { suffix: '.op.ts', index: 'operations', type: 'Operation', from: 'operation' },
  { suffix: '.errors.ts', index: 'errors', type: 'ErrorTable', from: 'failure' },
  { suffix: '.notices.ts', index: 'notices', type: 'NoticeTable', from: 'notices' },
  { suffix: '.config.ts', index: 'settings', type: 'SettingTable', from: 'settings' },
  { suffix: '.job.ts', index: 'jobs', type: 'Job', from: 'job' },
  { suffix: '.check.ts', index: 'checks', type: 'Check', from: 'check' },
  { suffix: '.provider.ts', index: 'providers', type: 'Provider', from: 'provider' },
  { suffix: '.part.ts', index: 'parts', type: 'DerivedPart', from: 'part' },
  { suffix: '.export.ts', index: 'exports', type: 'ExportPart', from: 'export-part' },
] as const;

/** Every file below a folder, as paths relative to it with `/`, sorted. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

const variable = (path: string): string =>
  path.replace(/\.\w+\.ts$/, '').replace(/[^a-z0-9]+(.)?/gi, (_, c: string | undefined) => (c ?? '').toUpperCase());

/** Text of one registry index. */
export function indexText(kind: (typeof KINDS)[number], files: readonly string[]): string {
  const found = files.filter((file) => file.endsWith(kind.suffix));
  const imports = found.map((file) => `import ${variable(file)} from '../areas/${file}';`);
  const rows = found.map((file) => {
    const [area = '', ...rest] = file.split('/');
    return `  { area: '${area}', file: '${rest.join('/')}', value: ${variable(file)} },`;
  });
  return [
    `// Written by npm run generate from areas/*/*${kind.suffix}; do not edit.`,
    `import type { ${kind.type} } from '../${kind.from}.ts';`,
    `import type { Registered } from '../registry.ts';`,
    ...imports,
    '',
    `export const ${kind.index}: readonly Registered<${kind.type}>[] = [`,
    ...rows,
    '];',
    '',
  ].join('\n');
}

/** Registry indexes and embedded migrations: path below the root -> text. */
export function indexFiles(): Map<string, string> {
  const files = filesBelow(join(source, 'areas'));
  const out = new Map<string, string>();
  for (const kind of KINDS) out.set(`packages/gbrain/src/generated/${kind.index}.ts`, indexText(kind, files));
  out.set('packages/gbrain/src/generated/migrations.ts', renderMigrations());
  return out;
}

function writeAll(files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Docs import the registry, which imports the indexes: they are written first.
  writeAll(indexFiles());
  const { docFiles } = await import('./generate-docs.ts');
  writeAll(await docFiles());
}
