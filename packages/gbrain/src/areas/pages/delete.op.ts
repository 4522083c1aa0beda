// delete_page: puts a tombstone on a page; its text, versions and revision stay and it can be restored.
import { defineOperation } from '../../operation.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { requireLive } from './decide-write.ts';
import { expectedArg, requestArg, slugArg } from './page-args.ts';
import { requireSlug } from './page-slug.ts';
import { writeLine, writePage, writeReplyShape } from './write-page.ts';

export default defineOperation({
  name: 'delete_page',
  title: 'Delete a page',
  summary: 'Deletes a page; restore_page brings it back.',
  requirement: 'facts/contract G.12; design/decisions 16b',
  scope: 'write',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({
    slug: slugArg(z),
    expected_revision: expectedArg(z).optional(),
    request_id: requestArg(z),
  }),
  output: (z) => z.looseObject(writeReplyShape(z)),
  errors: [...WRITE_ERRORS, 'page_not_found', 'permission_denied', 'revision_conflict'],
  cli: { command: 'delete', group: 'Pages', positionals: ['slug'], human: writeLine },
  examples: [{ title: 'Delete a page', input: { slug: 'inbox/old-note' } }],
  run: async (ctx, input) => {
    const slug = requireSlug(ctx, 'delete_page', input);
    return writePage(ctx, {
      operation: 'delete_page',
      slug,
      input,
      decide: (page, asker) => {
        requireLive(page, asker, input.expected_revision);
        return { kind: 'delete' };
      },
    });
  },
});
