// put_page: writes a whole page, new or on top of the revision that the caller has read.
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { checkedText } from './checked-text.ts';
import { decidePut } from './decide-write.ts';
import { seenText } from './door.ts';
import { lintLines, lintText, writerLintShape } from './lint-reply.ts';
import { dropTimelineArg, expectedArg, noEmbedArg, originArg, requestArg, slugArg, waitArg } from './page-args.ts';
import { requireSlug } from './page-slug.ts';
import { provenanceOf } from './provenance.ts';
import { writeLine, writePage, writeReplyShape } from './write-page.ts';

export default defineOperation({
  name: 'put_page',
  title: 'Write a page',
  summary: 'Writes a whole markdown page; an existing one needs expected_revision, identical text changes nothing.',
  requirement: 'facts/contract G.7; design/decisions 8',
  scope: 'write',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({
    slug: slugArg(z),
    content: field(z.string().describe('Markdown with optional YAML frontmatter'), { keepEmpty: true }),
    expected_revision: expectedArg(z).optional(),
    force: z.boolean().describe('Replace whatever stands there; a version is kept').optional(),
    allow_empty: field(z.boolean().describe('Accept an empty text'), { fullOnly: true }).optional(),
    drop_timeline: dropTimelineArg(z),
    no_embed: noEmbedArg(z),
    request_id: requestArg(z),
    wait_ms: waitArg(z),
    content_origin: originArg(z),
    source_kind: field(z.string().describe('Kind of source; the owner only'), { fullOnly: true }).optional(),
    source_uri: field(z.string().describe('Address of the source; the owner only'), { fullOnly: true }).optional(),
    ingested_via: field(z.string().describe('What brought it in; the owner only'), { fullOnly: true }).optional(),
  }),
  output: (z) =>
    z.looseObject({
      ...writeReplyShape(z),
      restored: z.literal(true).optional(),
      writer_lint: writerLintShape(z).optional(),
    }),
  errors: [
    ...WRITE_ERRORS,
    'revision_required',
    'revision_conflict',
    'page_not_found',
    'page_identity_changed',
    'permission_denied',
    'content_rejected',
    'timeline_rows_would_be_removed',
    'file_too_large',
    'invalid_frontmatter',
    'invalid_fence',
  ],
  cli: {
    command: 'put',
    group: 'Pages',
    isCommon: true,
    positionals: ['slug'],
    stdin: 'content',
    human: (reply) => [writeLine(reply), ...lintLines(reply.writer_lint)].join('\n'),
  },
  examples: [
    { title: 'A new page', input: { slug: 'people/alice-example', content: '# Alice Example\n\nFounder of Acme.\n' } },
    {
      title: 'On top of the revision that you have read',
      input: {
        slug: 'people/alice-example',
        content: '# Alice Example\n\nLeft Acme.\n',
        expected_revision: '0b7e6f0a-3a55-4e7c-8d4e-53b0c6c7f001',
      },
    },
  ],
  run: async (ctx, input) => {
    const slug = requireSlug(ctx, 'put_page', input);
    const content = checkedText(input.content, slug);
    const provenance = provenanceOf(ctx, 'put_page', input);
    return writePage(ctx, {
      operation: 'put_page',
      slug,
      input,
      decide: (page, asker) => {
        const change = decidePut(page, {
          ...asker,
          content,
          ...(input.expected_revision !== undefined && { expected: input.expected_revision }),
          force: input.force ?? false,
          allowEmpty: input.allow_empty ?? false,
          dropTimeline: input.drop_timeline ?? false,
        });
        if (change.kind !== 'put') return change;
        const lint = lintText(seenText(change.text, asker.isOwner), page?.slug ?? slug);
        return { ...change, provenance, reply: { writer_lint: lint } };
      },
    });
  },
});
