// Codes of choosing a source and of writing to one. Source: facts/contract A.3, J.2.
import { defineErrors, type FailData, type FailPoint } from '../../failure.ts';
import type { FixSpec } from '../../fix.ts';
import { text } from '../../row-text.ts';

/** The same read in the source that always exists; for a write, a look at that source instead. */
function inDefault(data: FailData, at: FailPoint): FixSpec {
  // The source is what the call is about, and not where it acts.
  if (String(at.input.id ?? '').startsWith(text(data, 'source')) && data.source) {
    return { call: { op: 'sources_list', input: {} }, why: 'It lists every source with its id. Nothing ran.' };
  }
  if (at.mutating) {
    return {
      call: { op: 'list_pages', input: { source_id: 'default' } },
      why: 'It shows what the default source holds; a write is not sent to another source than the one you named.',
    };
  }
  return {
    call: { op: at.operation, input: { ...at.input, source_id: 'default' } },
    why: 'default is the source that every brain has. Nothing ran.',
  };
}

export default defineErrors({
  unknown_source: {
    class: 'caller',
    summary: 'The brain has no source of this id, or it is archived.',
    message: (d) => `There is no source "${text(d, 'source')}" in this brain.`,
    suggestion: 'Use a source that exists.',
    fix: (d, at) => inDefault(d, at),
    example: { source: 'wiki' },
  },
  invalid_source: {
    class: 'caller',
    exit: 2,
    summary: 'The text is not a source id.',
    message: (d) => `"${text(d, 'source')}" is not a source id.`,
    suggestion: 'A source id has up to 64 letters, digits, - and _, and begins with a letter or digit.',
    fix: (d, at) => inDefault(d, at),
    example: { source: '../wiki' },
  },
  owner_unavailable: {
    class: 'retryable',
    summary: 'The owner of the source cannot take the write.',
    reasons: ['not_sent', 'outcome_unknown'],
    // A source whose truth is its files stays so until the user decides otherwise; repeating changes nothing.
    retryable: (d) => d.detail !== 'unbound_source',
    message: (d) =>
      d.detail === 'unbound_source'
        ? `The files of source ${text(d, 'source')} are its truth, so gbrain only reads them; nothing was written.`
        : 'The process that owns this brain did not take the write.',
    suggestion: (d) =>
      d.detail === 'unbound_source'
        ? `Do not repeat it. On the brain's machine, write ${text(d, 'slug')}.md in the source's folder and commit it.`
        : 'Look at the receipt before sending it again.',
    why: (d) =>
      d.detail === 'unbound_source'
        ? 'A page written here would not be in the files, and the next sync would not know it.'
        : 'The write may or may not have reached the owner.',
    fix: (d) =>
      d.detail === 'unbound_source'
        ? {
            actor: 'user',
            userDecision: true,
            why: 'Every way out changes how this source is kept, so it is the user who decides.',
            userMessage:
              `This source keeps its pages in files, so I cannot save the page directly. Please save it as ` +
              `${text(d, 'slug')}.md in the folder of "${text(d, 'source')}", commit it, and sync that source.`,
          }
        : {
            call: { op: 'list_write_requests', input: { limit: 5 } },
            why: 'The receipts say which of your writes took effect.',
          },
    example: { detail: 'unbound_source', source: 'wiki', slug: 'people/alice-example' },
  },
});
