// restore_page: lifts the tombstone of a deleted page; the text is the one that it was deleted with.
import { raise } from '../../failure.ts';
import { defineOperation } from '../../operation.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { refuseHidden, refuseOther } from './decide-write.ts';
import { expectedArg, requestArg, slugArg } from './page-args.ts';
import { requireSlug } from './page-slug.ts';
import { writeLine, writePage, writeReplyShape } from './write-page.ts';

export default defineOperation({
  name: 'restore_page',
  title: 'Restore a page',
  summary: 'Brings a deleted page back as it was; a page that stands is left as it is.',
  requirement: 'facts/contract G.12; facts/user-faults P15',
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
  cli: { command: 'restore', group: 'Pages', positionals: ['slug'], human: writeLine },
  examples: [{ title: 'Bring a page back', input: { slug: 'inbox/old-note' } }],
  run: async (ctx, input) => {
    const slug = requireSlug(ctx, 'restore_page', input);
    return writePage(ctx, {
      operation: 'restore_page',
      slug,
      input,
      decide: (page, asker) => {
        refuseHidden(page, asker);
        if (!page) raise('page_not_found', { slug, source: asker.source });
        if (input.expected_revision !== undefined) refuseOther(page, input.expected_revision);
        return page.isDeleted ? { kind: 'restore' } : { kind: 'none' };
      },
    });
  },
});
