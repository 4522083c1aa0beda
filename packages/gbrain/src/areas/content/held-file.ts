// The held file of a page that an operation is to settle: found, with where it lies.
import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import { findPage } from '../pages/find-page.ts';
import { requireSlug } from '../pages/page-slug.ts';
import type { PageRow } from '../pages/pages.sql.ts';
import { contentRoot } from './project.ts';
import { readPageFile, type UnwrittenFile } from './projection.sql.ts';
import type { FollowedBrain } from './projector.ts';

/** A page with the file that is not as it says. */
export interface HeldFile {
  page: PageRow;
  file: UnwrittenFile;
  root: string;
  /** Absolute path of the file. */
  path: string;
}

/** The brain of a call as the projector takes it. */
export const followed = (ctx: Context): Omit<FollowedBrain, 'report'> => ({
  store: ctx.brain.store,
  brainId: ctx.brain.brainId,
  home: ctx.host.home.root,
  now: () => ctx.now(),
});

/** The held file of a slug. Raises `page_not_found`, and `file_not_held` when the page's file is as it should be. */
export async function requireHeld(ctx: Context, operation: string, slug: string): Promise<HeldFile> {
  const page = await findPage(ctx, slug, requireSlug(ctx, operation, { slug }), { text: true, deleted: true });
  const file = await readPageFile(ctx.brain.store, page.id);
  if (!file) return raise('file_not_held', { slug: page.slug, source: ctx.target.source });
  const root = contentRoot(ctx.host.home.root, ctx.brain.brainId, page.source_id);
  return { page, file, root, path: join(root, file.path) };
}
