// remove_tag: one tag of a page, by an edit of its text.
import { defineOperation } from '../../operation.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { changeTag } from './change-tag.ts';
import { requestArg, slugArg } from './page-args.ts';
import { writeReplyShape } from './write-page.ts';

export default defineOperation({
  name: 'remove_tag',
  title: 'Remove a tag',
  summary: 'Removes a tag from a page; one that is not there changes nothing.',
  requirement: 'facts/contract G.12',
  scope: 'write',
  surface: 'full',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({ slug: slugArg(z), tag: z.string().describe('Tag'), request_id: requestArg(z) }),
  output: (z) => z.looseObject({ ...writeReplyShape(z), tags: z.array(z.string()) }),
  errors: [...WRITE_ERRORS, 'page_not_found', 'permission_denied', 'invalid_frontmatter'],
  cli: {
    command: 'untag',
    group: 'Pages',
    positionals: ['slug', 'tag'],
    human: ({ slug, tags }) => `${slug}: ${tags.join(', ') || 'no tags'}`,
  },
  examples: [{ title: 'Remove a tag', input: { slug: 'people/alice-example', tag: 'founder' } }],
  run: (ctx, input) => changeTag(ctx, 'remove_tag', input),
});
