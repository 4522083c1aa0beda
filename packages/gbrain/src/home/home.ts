// Folders and files of one GBRAIN_HOME: pure paths, nothing is read or made here.
import { join } from 'node:path';
import type { Home } from '../host.ts';

/** Paths of a home folder. */
export const homeAt = (root: string): Home => ({
  root,
  configFile: join(root, 'config.json'),
  mutedFile: join(root, 'notices', 'muted.json'),
});

/** Files that belong to one embedded brain, all beside its data folder and never inside. */
export interface BrainPaths {
  dataDir: string;
  lockFile: string;
  ownerFile: string;
  repairFailedFile: string;
}

/** Paths of an embedded brain. */
export const brainPathsAt = (dataDir: string): BrainPaths => ({
  dataDir,
  lockFile: `${dataDir}.lock`,
  ownerFile: `${dataDir}.owner.json`,
  repairFailedFile: `${dataDir}.repair-failed.json`,
});
