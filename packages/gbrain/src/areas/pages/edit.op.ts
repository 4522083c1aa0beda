// edit_page: exact replacements in a page's text, all or none, on top of the revision that the caller has read.
import { raise } from '../../failure.ts';
import { defineOperation } from '../../operation.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { requireLive } from './decide-write.ts';
import { diffText } from './diff.ts';
import { seenText } from './door.ts';
import { applyEdits, MAX_EDITS, type TextEdit } from './edit.ts';
import { lintLines, lintText, writerLintShape } from './lint-reply.ts';
import { expectedArg, requestArg, slugArg, waitArg } from './page-args.ts';
import { requireSlug } from './page-slug.ts';
import { writeLine, writePage, writeReplyShape } from './write-page.ts';

/** The edited text, or the refusal of the edit that does not fit. */
function editedText(text: string, edits: readonly TextEdit[], at: { slug: string; isOwner: boolean }): string {
  const result = applyEdits(text, edits, at.isOwner ? 'owner' : 'world');
  if (result.ok) return result.text;
  const { code, edit_index: index, match_count: count, message } = result;
  const detail = `edit_index=${index} match_count=${count}`;
  return raise(code, { slug: at.slug, index, count, problem: message, detail });
}

export default defineOperation({
  name: 'edit_page',
  title: 'Edit a page',
  summary: 'Replaces exact pieces of a page (each must occur once), all or none, and shows the difference.',
  requirement: 'facts/contract G.7; facts/engine A.10',
  scope: 'write',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({
    slug: slugArg(z),
    expected_revision: expectedArg(z),
    edits: z
      .array(
        z.object({
          old_text: z.string().describe('Text that occurs exactly once'),
          new_text: z.string().describe('What replaces it'),
        }),
      )
      .min(1)
      .max(MAX_EDITS)
      .describe(`1 to ${MAX_EDITS} replacements`),
    request_id: requestArg(z),
    wait_ms: waitArg(z),
  }),
  output: (z) =>
    z.looseObject({
      ...writeReplyShape(z),
      diff: z.string(),
      diff_truncated: z.literal(true).optional(),
      writer_lint: writerLintShape(z).optional(),
    }),
  errors: [
    ...WRITE_ERRORS,
    'page_not_found',
    'permission_denied',
    'revision_conflict',
    'edit_no_match',
    'edit_ambiguous_match',
    'edit_protected_span',
    'edit_invalid',
    'file_too_large',
    'content_rejected',
    'invalid_frontmatter',
  ],
  cli: {
    command: 'edit',
    group: 'Pages',
    positionals: ['slug'],
    human: (reply) => [writeLine(reply), reply.diff, ...lintLines(reply.writer_lint)].filter(Boolean).join('\n'),
  },
  examples: [
    {
      title: 'Change one sentence',
      input: {
        slug: 'people/alice-example',
        expected_revision: '0b7e6f0a-3a55-4e7c-8d4e-53b0c6c7f001',
        edits: [{ old_text: 'Founder of Acme.', new_text: 'Left Acme.' }],
      },
    },
  ],
  run: async (ctx, input) => {
    const slug = requireSlug(ctx, 'edit_page', input);
    const edits = input.edits.map(({ old_text, new_text }) => ({ oldText: old_text, newText: new_text }));
    const reply = await writePage(ctx, {
      operation: 'edit_page',
      slug,
      input,
      decide: (page, asker) => {
        const live = requireLive(page, asker, input.expected_revision);
        const text = editedText(live.text, edits, { slug: live.slug, isOwner: asker.isOwner });
        const seen = seenText(text, asker.isOwner);
        const { diff, truncated } = diffText(seenText(live.text, asker.isOwner), seen);
        return {
          kind: 'put',
          text,
          reply: {
            diff,
            ...(truncated && { diff_truncated: true }),
            writer_lint: lintText(seen, live.slug),
          },
        };
      },
    });
    return reply as typeof reply & { diff: string };
  },
});
