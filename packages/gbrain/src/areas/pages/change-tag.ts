// Adding and removing a tag: an edit of the page's own frontmatter, so that the text stays the truth.
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import { refuseText } from './columns.ts';
import { requireLive } from './decide-write.ts';
import { addTag, type FrontmatterEdit, removeTag } from './frontmatter-edit.ts';
import { parsePage } from './page.ts';
import { requireSlug } from './page-slug.ts';
import { type WriteReply, writePage } from './write-page.ts';

/** Longest tag, in UTF-8 bytes. */
const TAG_BYTES_MAX = 255;

function checkedTag(ctx: Context, operation: string, tag: string): string {
  const plain = tag.replace(/^#+/, '').trim();
  const isPlain = plain !== '' && !/[\p{Cc}\p{Surrogate}]/u.test(plain);
  if (isPlain && Buffer.byteLength(plain) <= TAG_BYTES_MAX) return plain;
  const expected = `a tag of 1 to ${TAG_BYTES_MAX} bytes on one line`;
  return ctx.fail('invalid_params', { tool: operation, param: 'tag', problem: 'shape', expected });
}

/** Reply of a change of tags. */
export type TagReply = WriteReply & { tags: string[] };

/** Adds or removes one tag. Raises what a page write raises, `invalid_frontmatter` for a block that no edit fits. */
export async function changeTag(
  ctx: Context,
  operation: 'add_tag' | 'remove_tag',
  input: { slug: string; tag: string },
): Promise<TagReply> {
  const slug = requireSlug(ctx, operation, input);
  const tag = checkedTag(ctx, operation, input.tag);
  const edit: (text: string, tag: string) => FrontmatterEdit = operation === 'add_tag' ? addTag : removeTag;
  const reply = await writePage(ctx, {
    operation,
    slug,
    input: { ...input, tag },
    decide: (page, asker) => {
      const live = requireLive(page, asker);
      const edited = edit(live.text, tag);
      if (!edited.ok) refuseText(edited.errors, live.slug);
      const parsed = parsePage(edited.text, { slug: live.slug });
      if (!parsed.ok) refuseText(parsed.errors, live.slug);
      const fields = { tags: parsed.page.tags };
      return edited.changed ? { kind: 'put', text: edited.text, reply: fields } : { kind: 'none', reply: fields };
    },
  });
  if (!Array.isArray(reply.tags)) raise('internal_error', { operation });
  return reply as TagReply;
}
