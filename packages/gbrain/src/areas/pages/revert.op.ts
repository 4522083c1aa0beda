// revert_version: makes an earlier text the page's text again, as a new revision; rows that the caller cannot see stay.
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { requireLive } from './decide-write.ts';
import { mergedText, seenText } from './door.ts';
import { findPage } from './find-page.ts';
import { expectedArg, requestArg, slugArg } from './page-args.ts';
import { requireSlug } from './page-slug.ts';
import { readVersions } from './pages.sql.ts';
import type { Slug } from './slug.ts';
import { writeLine, writePage, writeReplyShape } from './write-page.ts';

/** The text of a version that this caller may see. Raises `page_not_found` or `not_found`. */
async function versionText(ctx: Context, input: { slug: string; version_id: number }, slug: Slug): Promise<string> {
  const page = await findPage(ctx, input.slug, slug);
  const by = { versionId: input.version_id, limit: 1 };
  const [version] = await readVersions(ctx.brain.store, ctx.scope, page.id, by);
  if (version) return version.text;
  const fix = {
    call: { op: 'get_versions', input: { slug: page.slug, source_id: page.source_id } },
    why: 'It lists the versions that the page has.',
  };
  return ctx.fail('not_found', { what: 'version', id: input.version_id, fix });
}

export default defineOperation({
  name: 'revert_version',
  title: 'Go back to a version',
  summary: 'Makes an earlier text of a page its text again; what stands now becomes a version.',
  requirement: 'facts/contract G.12; facts/engine A.10',
  scope: 'write',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({
    slug: slugArg(z),
    version_id: z.number().int().min(1).describe('Id from get_versions'),
    expected_revision: expectedArg(z).optional(),
    request_id: requestArg(z),
  }),
  output: (z) => z.looseObject({ ...writeReplyShape(z), reverted_to: z.number().optional() }),
  errors: [...WRITE_ERRORS, 'page_not_found', 'not_found', 'permission_denied', 'revision_conflict', 'invalid_fence'],
  cli: { command: 'revert', group: 'Pages', positionals: ['slug', 'version_id'], human: writeLine },
  examples: [{ title: 'Back to version 12', input: { slug: 'people/alice-example', version_id: 12 } }],
  run: async (ctx, input) => {
    const slug = requireSlug(ctx, 'revert_version', input);
    const text = await versionText(ctx, input, slug);
    return writePage(ctx, {
      operation: 'revert_version',
      slug,
      input,
      decide: (page, asker) => {
        const live = requireLive(page, asker, input.expected_revision);
        const wanted = asker.isOwner ? text : mergedText(live.text, seenText(text, false), asker);
        return { kind: 'put', text: wanted, reply: { reverted_to: input.version_id } };
      },
    });
  },
});
