// Builds the binaries: one bundle a binary with lazy chunks, the worker entries and the template folder.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { buildTemplate } from './build-template.ts';
import { noticesText } from './notices.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const shared: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  splitting: true,
  // Beside the entries: worker entry and template are found from import.meta.url, wherever the code ends up.
  chunkNames: '[name]-[hash]',
  sourcemap: 'linked',
  sourcesContent: false,
  // Less text to read, decode and compare with its compiled form at every start; names stay, for a stack in a report.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // Its other form finds its parts by a require that no bundler can follow.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  logLevel: 'warning',
  // Some bundled packages are CommonJS and call require.
  banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
};

interface Binary {
  package: string;
  entries: Record<string, string>;
  external: string[];
}

const BINARIES: Binary[] = [
  {
    package: 'gbrain',
    entries: { gbrain: 'src/bin/gbrain.ts', 'pglite-worker': 'src/store/pglite-worker.ts' },
    external: ['@electric-sql/pglite', 'pg', 'pg-native'],
  },
  {
    package: 'brain',
    entries: {
      brain: 'src/bin/brain.ts',
      'journal-writer': 'src/journal/journal-writer.ts',
      'schema-worker': 'src/effects/schema-worker.ts',
      'default-loop': '../harness/src/bin/default-loop.ts',
      'echo-loop': '../harness/src/bin/echo-loop.ts',
    },
    external: [],
  },
];

for (const binary of BINARIES) {
  const folder = join(root, 'packages', binary.package);
  const outdir = join(folder, 'dist');
  // The template takes longest and knows when it is stale, so it stays.
  for (const name of existsSync(outdir) ? readdirSync(outdir) : []) {
    if (name !== 'template') rmSync(join(outdir, name), { recursive: true, force: true });
  }
  mkdirSync(outdir, { recursive: true });
  const entryPoints = Object.fromEntries(
    Object.entries(binary.entries).map(([out, file]) => [out, join(folder, file)]),
  );
  const options = { ...shared, entryPoints, outdir, external: binary.external, absWorkingDir: root };
  const { metafile } = await build({ ...options, metafile: true });
  writeFileSync(join(outdir, 'THIRD-PARTY-NOTICES.txt'), noticesText(root, Object.keys(metafile.inputs)));
  writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }\n');
}
const words = join(root, 'packages/gbrain/data/words');
if (existsSync(words)) cpSync(words, join(root, 'packages/gbrain/dist/words'), { recursive: true });
await buildTemplate();
