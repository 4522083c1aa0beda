// Codes of reading and writing pages. Source: facts/contract A.3, A.4.
import { defineErrors, type FailData, type FailPoint } from '../../failure.ts';
import type { FixSpec } from '../../fix.ts';
import { text } from '../../row-text.ts';

/** Longest content, in characters, that a fix carries again; a longer one is an input that the caller puts in. */
const CARRIED_MAX = 4000;

const sourceOf = (at: FailPoint): Record<string, unknown> =>
  at.input.source_id === undefined ? {} : { source_id: at.input.source_id };

/** The first of several pages, as arguments that name it alone. */
function firstOf({ first }: FailData): Record<string, unknown> {
  const { slug, source } = first as { slug: string; source?: string };
  return { slug, ...(source !== undefined && { source_id: source }) };
}

const readCall = (data: FailData, at: FailPoint, more: Record<string, unknown> = {}) => ({
  op: 'get_page',
  input: { slug: text(data, 'slug'), content_only: true, ...more, ...sourceOf(at) },
});

/** The failed write again, on top of the revision that stands now. A new revision is a new request. */
function repeatOn(data: FailData, at: FailPoint): FixSpec | undefined {
  const { request_id: _, force: __, ...input } = at.input;
  const again = { ...input, expected_revision: text(data, 'revision') };
  const why = 'It replaces exactly the revision that you have just read, and is refused if that changes again.';
  const content = String(input.content ?? '');
  if (content.length <= CARRIED_MAX) return { call: { op: at.operation, input: again }, why };
  return {
    call: { op: at.operation, input: { ...again, content: '<content>' } },
    inputs: [{ name: 'content', how: 'the text that you sent, or better: merged with what the read shows' }],
    why,
  };
}

/** Slugs near the missing one, found without writing anything. */
function findNear(data: FailData, at: FailPoint): FixSpec {
  const [nearest] = (data.near as string[] | undefined) ?? [];
  if (nearest !== undefined && !at.mutating && 'slug' in at.input) {
    return {
      call: { op: at.operation, input: { ...at.input, slug: nearest } },
      why: `${nearest} is the page whose name is nearest.`,
    };
  }
  const [name = ''] = text(data, 'slug').split('/').slice(-1);
  return {
    call: { op: 'resolve_slugs', input: { partial: nearest ?? name, ...sourceOf(at) } },
    why: 'It lists the slugs that hold this name.',
  };
}

/** The same call with the fault corrected by whoever knows the text. */
function withCorrected(data: FailData, at: FailPoint, how: string): FixSpec {
  const field = 'content' in at.input ? 'content' : undefined;
  if (field === undefined) return { call: readCall(data, at), why: 'It shows the text that is to be corrected.' };
  // Another text is another write: the id of the refused one stays with that.
  const { request_id: _, ...input } = at.input;
  return {
    call: { op: at.operation, input: { ...input, [field]: '<content>' } },
    inputs: [{ name: 'content', how }],
    why: 'The same call with the text corrected. Nothing was written.',
  };
}

const place = (d: FailData): string => (d.line ? `line ${text(d, 'line')}, column ${text(d, 'column')}: ` : '');

export default defineErrors({
  page_not_found: {
    class: 'caller',
    httpStatus: 404,
    legacyError: 'page_identity_changed',
    legacyWhen: (at) => at.mutating,
    summary: 'There is no such page in the source, or this caller may not see it.',
    message: (d) => `There is no page ${text(d, 'slug')} in source ${text(d, 'source')}.`,
    suggestion: (d) => {
      const near = (d.near as string[] | undefined) ?? [];
      return near.length > 0 ? `Did you mean ${near.slice(0, 3).join(', ')}?` : 'Look for the slug first.';
    },
    fix: findNear,
    example: { slug: 'people/alise-example', source: 'default', near: ['people/alice-example'] },
  },
  page_identity_changed: {
    class: 'caller',
    httpStatus: 409,
    summary: 'The page was deleted or replaced since it was read.',
    message: (d) => `${text(d, 'slug')} was deleted since the revision that you named; nothing was written.`,
    suggestion: 'Read what is there, and send a new request.',
    why: 'Writing now would bring a deleted page back without anybody having asked for that.',
    fix: (d, at) => ({
      call: readCall(d, at, { include_deleted: true }),
      why: 'It shows the deleted page with the revision that a write on top of it needs.',
    }),
    example: { slug: 'people/alice-example', revision: '0b7e6f0a-3a55-4e7c-8d4e-53b0c6c7f001' },
  },
  revision_required: {
    class: 'caller',
    httpStatus: 409,
    summary: 'The page exists, and the write named neither the revision that it replaces nor force.',
    message: (d) => `${text(d, 'slug')} exists already (revision ${text(d, 'revision')}); nothing was written.`,
    suggestion: 'Read it, then write on top of the revision that you have read.',
    why: 'A whole-page write on an unread page would drop what others have written into it.',
    fix: (d, at) => {
      const then = repeatOn(d, at);
      return { call: readCall(d, at), why: 'Read before you replace.', ...(then && { then }) };
    },
    example: { slug: 'people/alice-example', revision: '0b7e6f0a-3a55-4e7c-8d4e-53b0c6c7f001' },
  },
  revision_conflict: {
    class: 'caller',
    httpStatus: 409,
    summary: 'The page changed since the revision that the write named.',
    message: (d) => `${text(d, 'slug')} has changed since (now revision ${text(d, 'revision')}); nothing was written.`,
    suggestion: 'Read it again, bring your change into the newer text, and send a new request.',
    fix: (d, at) => ({ call: readCall(d, at), why: 'It shows the newer text with its revision.' }),
    example: {
      slug: 'people/alice-example',
      revision: '0b7e6f0a-3a55-4e7c-8d4e-53b0c6c7f001',
      detail: 'current_revision=0b7e6f0a-3a55-4e7c-8d4e-53b0c6c7f001',
    },
  },
  timeline_rows_would_be_removed: {
    class: 'caller',
    httpStatus: 409,
    summary: 'The new text has no timeline section, and the page has dated entries in one.',
    message: (d) =>
      `The text leaves out the ${text(d, 'rows')} dated entries of ${text(d, 'slug')}; nothing was written.`,
    suggestion: 'Send the timeline section along; drop_timeline: true, or an empty section, says that its entries go.',
    why: 'A writer that rewrites the prose often forgets the section, and would take its entries with it.',
    fix: (d, at) => ({ call: readCall(d, at), why: 'It shows the page with its timeline section.' }),
    example: { slug: 'people/alice-example', revision: '0b7e6f0a-3a55-4e7c-8d4e-53b0c6c7f001', rows: 3 },
  },
  ambiguous_slug: {
    class: 'caller',
    httpStatus: 409,
    summary: 'Several pages fit the name.',
    message: (d) => `Several pages fit "${text(d, 'slug')}": ${(d.candidates as string[]).join(', ')}.`,
    suggestion: 'Use the full slug of the one you mean.',
    fix: (d, at) => ({
      call: { op: at.operation, input: { ...at.input, ...firstOf(d) } },
      why: 'This is the first of them; choose another if it is not the one.',
    }),
    example: {
      slug: 'alice',
      candidates: ['people/alice', 'pets/alice'],
      detail: 'candidates=people/alice,pets/alice',
      first: { slug: 'people/alice' },
    },
  },
  edit_no_match: {
    class: 'caller',
    httpStatus: 409,
    summary: 'The old text of an edit is not in the page.',
    message: (d) => `The old text of edit ${text(d, 'index')} is not in ${text(d, 'slug')}; no edit was made.`,
    suggestion: 'Copy the old text from the page as it stands, white space included.',
    fix: (d, at) => ({ call: readCall(d, at), why: 'It shows the text as it stands.' }),
    example: { slug: 'people/alice-example', index: 0, detail: 'edit_index=0 match_count=0' },
  },
  edit_ambiguous_match: {
    class: 'caller',
    httpStatus: 409,
    summary: 'The old text of an edit is in the page more than once.',
    message: (d) =>
      `The old text of edit ${text(d, 'index')} is in ${text(d, 'slug')} ${text(d, 'count')} times; no edit was made.`,
    suggestion: 'Take in more of the text around it, so that it is there once.',
    fix: (d, at) => ({ call: readCall(d, at), why: 'It shows the text around each place.' }),
    example: { slug: 'people/alice-example', index: 0, count: 3, detail: 'edit_index=0 match_count=3' },
  },
  edit_protected_span: {
    class: 'caller',
    httpStatus: 409,
    summary: 'An edit reaches into a table that gbrain keeps itself.',
    message: (d) => `Edit ${text(d, 'index')} reaches into a facts or takes table; no edit was made.`,
    suggestion: 'Leave the table between its markers as it is; facts are changed by their own tools.',
    fix: (d, at) => ({ call: readCall(d, at), why: 'It shows where the table begins and ends.' }),
    example: { slug: 'people/alice-example', index: 0, detail: 'edit_index=0 match_count=1' },
  },
  edit_invalid: {
    class: 'caller',
    exit: 2,
    summary: 'An edit has no old text, changes nothing, or overlaps another.',
    message: (d) => `Edit ${text(d, 'index')} is not usable: ${text(d, 'problem')}; no edit was made.`,
    suggestion: 'Send edits that each replace a different piece of the text.',
    fix: (d, at) => ({ call: readCall(d, at), why: 'It shows the text that the edits are made on.' }),
    example: { slug: 'people/alice-example', index: 1, problem: 'it has no old text' },
  },
  invalid_frontmatter: {
    class: 'caller',
    summary: 'The block of fields at the head of the page cannot be read without guessing.',
    reasons: ['yaml_parse', 'ambiguous_identity_key'],
    message: (d) => `The frontmatter of ${text(d, 'slug')} cannot be read: ${place(d)}${text(d, 'problem')}.`,
    suggestion: (d) => `Correct ${d.line ? `line ${text(d, 'line')}` : 'the block'} and send the page again.`,
    why: 'Reading it as body text would lose every field in it.',
    fix: (d, at) => withCorrected(d, at, `your text with ${place(d) || 'the block '}${text(d, 'problem')} corrected`),
    example: {
      slug: 'people/alice-example',
      line: 2,
      column: 8,
      problem: 'a value is not closed',
      reason: 'yaml_parse',
    },
  },
  invalid_fence: {
    class: 'caller',
    summary: 'A facts or takes table of the page is broken, so its rows cannot be told apart from text.',
    message: (d) => `A table of ${text(d, 'slug')} cannot be read: ${place(d)}${text(d, 'problem')}.`,
    suggestion: 'Copy the markers and rows of the table from the page as it stands.',
    why: 'A broken table could show private rows, or lose them.',
    fix: (d, at) => withCorrected(d, at, `your text with ${place(d)}${text(d, 'problem')} corrected`),
    example: { slug: 'people/alice-example', line: 12, column: 1, problem: 'the table is never closed' },
  },
  content_rejected: {
    class: 'caller',
    summary: 'The text cannot be a page.',
    reasons: ['empty', 'encoding'],
    message: (d) =>
      d.reason === 'empty'
        ? `The text for ${text(d, 'slug')} is empty; nothing was written.`
        : `The text for ${text(d, 'slug')} cannot be stored: ${place(d)}${text(d, 'problem')}.`,
    suggestion: (d) =>
      d.reason === 'empty'
        ? 'Pass allow_empty if an empty page is meant.'
        : 'Take the character out and send it again.',
    why: (d) => (d.reason === 'empty' ? 'An empty text is far more often a mistake than a page.' : ''),
    fix: (d, at) =>
      d.reason === 'empty'
        ? {
            ...withCorrected(d, at, 'the text of the page'),
            why: 'The same call with a text. Nothing was written.',
          }
        : withCorrected(d, at, `your text without the character at ${place(d)}${text(d, 'problem')}`),
    example: { slug: 'people/alice-example', line: 3, column: 1, problem: 'a NUL character', reason: 'encoding' },
  },
  file_too_large: {
    class: 'caller',
    httpStatus: 413,
    summary: 'The text is longer than a page may be (5,000,000 bytes).',
    message: (d) => `The text for ${text(d, 'slug')} is longer than 5,000,000 bytes; nothing was written.`,
    suggestion: 'Split it into several pages.',
    fix: (d, at) => withCorrected(d, at, 'a part of your text, under 5,000,000 bytes; the rest goes into other pages'),
    example: { slug: 'people/alice-example' },
  },
});
