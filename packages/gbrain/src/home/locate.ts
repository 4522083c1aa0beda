// Where the brain of a home is, from its settings and the disk; nothing is opened.
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { raise } from '../failure.ts';
import type { Host } from '../host.ts';
import { defaultDataDir, repairFailedFile } from './home.ts';

/** A brain that is there, or why there is none. */
export type Located =
  | { kind: 'pglite'; dataDir: string }
  | { kind: 'postgres'; url: string }
  | { kind: 'none' }
  | { kind: 'missing'; dataDir: string }
  | { kind: 'repair_failed'; dataDir: string; record: string };

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Finds the brain of a home. Fails with `config_error` when the settings cannot be read. */
export async function locateBrain(host: Pick<Host, 'home' | 'setting'>): Promise<Located> {
  const url = await host.setting('database_url');
  const engine = await host.setting('engine');
  if (typeof url.value === 'string' && engine.value !== 'pglite') return { kind: 'postgres', url: url.value };
  const path = await host.setting('database_path');
  const dataDir = resolve(host.home.root, String(path.value ?? defaultDataDir(host.home)));
  const record = repairFailedFile(dataDir);
  if (await exists(record)) return { kind: 'repair_failed', dataDir, record };
  if (await exists(dataDir)) return { kind: 'pglite', dataDir };
  return engine.value === undefined ? { kind: 'none' } : { kind: 'missing', dataDir };
}

/** The brain of a home, or the failure that says what is in the way. */
export async function requireBrain(
  host: Pick<Host, 'home' | 'setting'>,
): Promise<Extract<Located, { kind: 'pglite' | 'postgres' }>> {
  const located = await locateBrain(host);
  switch (located.kind) {
    case 'pglite':
    case 'postgres':
      return located;
    case 'none':
      return raise('no_brain', { home: host.home.root, reason: 'no_brain' });
    case 'missing':
      return raise('no_brain', { home: host.home.root, path: located.dataDir, reason: 'missing_brain' });
    case 'repair_failed':
      return raise('recovery_required', { path: located.dataDir, reason: 'repair_failed', record: located.record });
  }
}
