// Folders and files of one GBRAIN_HOME: pure paths, nothing is read or made here.
import { join } from 'node:path';
import type { Home } from '../host.ts';

/** Paths of a home folder. */
export const homeAt = (root: string): Home => ({
  root,
  configFile: join(root, 'config.json'),
  mutedFile: join(root, 'notices', 'muted.json'),
});

/** Data folder of a home's embedded brain, unless `database_path` says otherwise. */
export const defaultDataDir = (home: Home): string => join(home.root, 'brain.pglite');

/** Written beside the folder when an automatic repair failed; while it stands nothing opens the brain. */
export const repairFailedFile = (dataDir: string): string => `${dataDir}.repair-failed.json`;
