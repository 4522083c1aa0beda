// Bundles of the server and of the test harnesses, built from the sources into a temporary folder: they start fast.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../../..');

/** Built programs. */
export interface BrainBuild {
  /** The `brain` command. */
  server: string;
  /** `packages/testkit/src/bin/brain-harness.ts`: run it by Node, with its behaviour as the argument. */
  harness: string;
  /** The same for the harnesses that break the protocol. */
  rogue: string;
  remove(): void;
}

/** Builds them. About a second; do it once a file. */
export async function buildBrain(): Promise<BrainBuild> {
  const outdir = mkdtempSync(join(tmpdir(), 'brain-build-'));
  await build({
    absWorkingDir: root,
    entryPoints: {
      brain: 'packages/brain/src/bin/brain.ts',
      'journal-writer': 'packages/brain/src/journal/journal-writer.ts',
      'schema-worker': 'packages/brain/src/effects/schema-worker.ts',
      'default-loop': 'packages/harness/src/bin/default-loop.ts',
      'echo-loop': 'packages/harness/src/bin/echo-loop.ts',
      'brain-harness': 'packages/testkit/src/bin/brain-harness.ts',
    },
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    minify: true,
    logLevel: 'error',
    banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
  });
  writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }\n');
  return {
    server: join(outdir, 'brain.js'),
    harness: join(outdir, 'brain-harness.js'),
    rogue: join(root, 'packages/testkit/src/bin/brain-rogue.mjs'),
    remove: () => rmSync(outdir, { recursive: true, force: true }),
  };
}
