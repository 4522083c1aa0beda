// capture: saves a piece of text as a page of its own, under a slug made from its day and its content.
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { field } from '../../schema.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { checkedText } from './checked-text.ts';
import { refuseText } from './columns.ts';
import { decidePut } from './decide-write.ts';
import { seenText } from './door.ts';
import { parseFrontmatter } from './frontmatter.ts';
import { setField } from './frontmatter-edit.ts';
import { parsePage } from './page.ts';
import { dropTimelineArg, expectedArg, originArg, requestArg } from './page-args.ts';
import { requireSlug } from './page-slug.ts';
import { readPage } from './pages.sql.ts';
import { provenanceOf } from './provenance.ts';
import { parseSlug, type Slug } from './slug.ts';
import { toView } from './text-edge.ts';
import { writeLine, writePage, writeReplyShape } from './write-page.ts';

/** Fields beside the text that a capture may carry into the page. */
const FIELDS = ['who', 'what', 'where', 'kind', 'depth'] as const;

/** Longest title, in characters, that is taken from a text. */
const TITLE_MAX = 80;

type CaptureInput = { content: string; type?: string | undefined } & {
  [key in (typeof FIELDS)[number]]?: string | undefined;
};

/** A title from the first line of a text that names none; undefined when it has one, or no line with words. */
function titleOf(content: string, slug: string): string | undefined {
  const parsed = parsePage(content, { slug: slug as Slug });
  if (!parsed.ok || parsed.page.titleSource !== 'slug') return undefined;
  const lines = parsed.page.compiledTruth.split('\n').map((line) => line.replace(/^[\s>#*+-]+/, '').trim());
  const words = lines.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? '';
  const short = words.length <= TITLE_MAX ? words : words.slice(0, TITLE_MAX).replace(/\s+\S*$/, '');
  return short.toWellFormed() || undefined;
}

/** The page's text: what was captured, with its type and fields in the frontmatter where it does not name them. */
function captureText(input: CaptureInput, content: string, slug: string): string {
  const given = parseFrontmatter(toView(content));
  if (!given.ok) return refuseText(given.errors, slug);
  const wanted = {
    type: input.type ?? 'note',
    title: titleOf(content, slug),
    ...Object.fromEntries(FIELDS.map((key) => [key, input[key]])),
  };
  let text = content;
  for (const [key, value] of Object.entries(wanted)) {
    if (value === undefined || key in given.frontmatter.data) continue;
    const edited = setField(text, key, value);
    if (!edited.ok) return refuseText(edited.errors, slug);
    text = edited.text;
  }
  return text;
}

const ownSlug = (text: string): Slug => {
  const parsed = parseSlug(text);
  if (!parsed.ok) throw new Error(`${text} is no slug`);
  return parsed.slug;
};

/** A slug of the day and the content; a longer one where the short one belongs to another text. */
async function freeSlug(ctx: Context, input: CaptureInput, content: string): Promise<Slug> {
  const isLife = [input.type, input.kind].some((word) => word === 'diary' || word === 'event');
  const hash = ctx.host.sha256(content);
  const head = `${isLife ? 'life' : 'inbox'}/${ctx.now().toISOString().slice(0, 10)}`;
  const short = ownSlug(`${head}-${hash.slice(0, 8)}`);
  const page = await readPage(ctx.brain.store, ctx.scope, short, { text: true });
  const isOther = page && seenText(page.text ?? '', ctx.caller.owner) !== captureText(input, content, short);
  return isOther ? ownSlug(`${head}-${hash.slice(0, 16)}`) : short;
}

export default defineOperation({
  name: 'capture',
  title: 'Capture a note',
  summary: 'Saves a text as a new page, by default under inbox/ with its date; the same text again changes nothing.',
  requirement: 'facts/contract G.7',
  scope: 'write',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: false,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({
    content: field(z.string().describe('Markdown to save'), { keepEmpty: true }),
    slug: z.string().describe('Slug of your own choice').optional(),
    type: z.string().describe('Page type (default note)').optional(),
    who: field(z.string().describe('Person it is about'), { fullOnly: true }).optional(),
    what: field(z.string().describe('What happened'), { fullOnly: true }).optional(),
    where: field(z.string().describe('Place'), { fullOnly: true }).optional(),
    kind: field(z.string().describe('Kind; diary and event go under life/'), { fullOnly: true }).optional(),
    depth: field(z.string().describe('How detailed it is'), { fullOnly: true }).optional(),
    expected_revision: field(expectedArg(z), { fullOnly: true }).optional(),
    force: field(z.boolean().describe('Replace whatever stands there'), { fullOnly: true }).optional(),
    drop_timeline: dropTimelineArg(z),
    request_id: requestArg(z),
    content_origin: originArg(z),
  }),
  output: (z) =>
    z.looseObject({
      ...writeReplyShape(z),
      restored: z.literal(true).optional(),
      channel: z.literal('capture'),
      content_hash: z.string(),
      dedupe: z.boolean(),
    }),
  errors: [
    ...WRITE_ERRORS,
    'revision_required',
    'revision_conflict',
    'page_not_found',
    'page_identity_changed',
    'permission_denied',
    'timeline_rows_would_be_removed',
    'content_rejected',
    'file_too_large',
    'invalid_frontmatter',
    'invalid_fence',
  ],
  cli: {
    command: 'capture',
    group: 'Pages',
    isCommon: true,
    positionals: ['content'],
    stdin: 'content',
    human: writeLine,
  },
  examples: [{ title: 'Save a thought', input: { content: 'Alice prefers mornings.' } }],
  run: async (ctx, input) => {
    const content = checkedText(input.content, input.slug ?? 'inbox');
    if (content.trim() === '') ctx.fail('content_rejected', { slug: input.slug ?? 'inbox', reason: 'empty' });
    const named = input.slug === undefined ? undefined : requireSlug(ctx, 'capture', { ...input, slug: input.slug });
    const slug = named ?? (await freeSlug(ctx, input, content));
    const text = captureText(input, content, slug);
    const provenance = provenanceOf(ctx, 'capture', input);
    const contentHash = ctx.host.sha256(content);
    const reply = await writePage(ctx, {
      operation: 'capture',
      slug,
      input,
      decide: (page, asker) => {
        const change = decidePut(page, {
          ...asker,
          content: text,
          ...(input.expected_revision !== undefined && { expected: input.expected_revision }),
          force: input.force ?? false,
          allowEmpty: false,
          dropTimeline: input.drop_timeline ?? false,
        });
        const fields = { channel: 'capture', content_hash: contentHash, dedupe: change.kind === 'none' };
        return change.kind === 'put' ? { ...change, provenance, reply: fields } : { ...change, reply: fields };
      },
    });
    return reply as typeof reply & { channel: 'capture'; content_hash: string; dedupe: boolean };
  },
});
