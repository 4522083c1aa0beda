// The content directory of a brain as `init` makes and tells it. Source: AGENT_OPERATOR v1, transcript 4.
import { mkdir, stat } from 'node:fs/promises';
import type { Z } from '../../operation.ts';
import type { Store } from '../../store/store.ts';
import { contentRoot } from './project.ts';
import { addDirectory, markSource, readIncarnation } from './projection.sql.ts';

/** What `init --json` says of the content directory. Key order is the specification's. */
export interface ContentDirectory {
  version: 1;
  brain_id: string;
  source_id: string;
  source_incarnation: string;
  root: string;
  repository_kind: 'content_directory';
  backup: 'not_verified';
  status: 'ready';
  stage: 'complete';
  pending_actions: string[];
  owned_root: true;
  fresh_root_activation: boolean;
  root_identity: string;
}

const SOURCE = 'default';

/**
 * Gives the source `default` its content directory, or finds that it has one. Pages that were there before are marked,
 * so their files follow. Rejects with the system's error when the folder cannot be made.
 */
export async function activateContent(
  brain: { store: Store; brainId: string },
  home: string,
): Promise<ContentDirectory> {
  const root = contentRoot(home, brain.brainId, SOURCE);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const { dev, ino } = await stat(root);
  const isFresh = await brain.store.tx(async (tx) => {
    const made = await tx.query(addDirectory(SOURCE));
    if (made.length > 0) await tx.query(markSource(SOURCE));
    return made.length > 0;
  });
  return {
    version: 1,
    brain_id: brain.brainId,
    source_id: SOURCE,
    source_incarnation: await readIncarnation(brain.store, SOURCE),
    root,
    repository_kind: 'content_directory',
    backup: 'not_verified',
    status: 'ready',
    stage: 'complete',
    pending_actions: ['Set up Git for the content folder, or a backup on another machine, if you want one.'],
    owned_root: true,
    fresh_root_activation: isFresh,
    root_identity: `${dev}:${ino}`,
  };
}

/** Schema of the directory. */
export const contentShape = (z: Z) =>
  z.object({
    version: z.literal(1),
    brain_id: z.string(),
    source_id: z.string(),
    source_incarnation: z.string(),
    root: z.string(),
    repository_kind: z.literal('content_directory'),
    backup: z.literal('not_verified'),
    status: z.literal('ready'),
    stage: z.literal('complete'),
    pending_actions: z.array(z.string()),
    owned_root: z.literal(true),
    fresh_root_activation: z.boolean(),
    root_identity: z.string(),
  });
