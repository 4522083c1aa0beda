// Codes of choosing a source and of writing to one. Source: facts/contract A.3, J.2.
import { defineErrors, type FailData, type FailPoint } from '../../failure.ts';
import type { FixSpec } from '../../fix.ts';

const text = (data: FailData, key: string): string => String(data[key] ?? '');

/** The same read in the source that always exists; for a write, a look at that source instead. */
function inDefault(at: FailPoint): FixSpec {
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
    fix: (_, at) => inDefault(at),
    example: { source: 'wiki' },
  },
  invalid_source: {
    class: 'caller',
    exit: 2,
    summary: 'The text is not a source id.',
    message: (d) => `"${text(d, 'source')}" is not a source id.`,
    suggestion: 'A source id has up to 64 letters, digits, - and _, and begins with a letter or digit.',
    fix: (_, at) => inDefault(at),
    example: { source: '../wiki' },
  },
  source_id_taken: {
    class: 'caller',
    httpStatus: 409,
    summary: 'Another source has this id or name.',
    message: (d) => `There is a source "${text(d, 'by')}" with this id or name and other settings.`,
    suggestion: 'Use another id and name, or the source that is there.',
    fix: () => ({
      call: { op: 'sources_list', input: { include_archived: true } },
      why: 'It lists every source with its id, name and folder, removed ones too.',
    }),
    example: { source: 'wiki', name: 'wiki', by: 'wiki' },
  },
  source_folder_local: {
    class: 'host_only',
    summary: 'Only the owner of this machine binds a source to one of its folders.',
    message: (d) => `Source ${text(d, 'source')} cannot be bound to a folder over this connection.`,
    suggestion: 'Leave the path out, or ask the user to bind it at the command line.',
    why: 'A folder of the machine would become readable to everybody who reads the brain.',
    fix: (d, at) => ({
      call: { op: 'sources_add', input: at.operation === 'sources_add' ? at.input : { id: d.source } },
      only: 'cli',
      actor: 'user',
      why: 'At the command line of the machine the owner may bind a source to a folder.',
      userMessage: `I cannot bind the source "${text(d, 'source')}" to a folder from here. Please run this in your terminal.`,
    }),
    example: { source: 'wiki' },
  },
  source_protected: {
    class: 'caller',
    summary: 'The source is one that every brain has.',
    message: (d) => `The source ${text(d, 'source')} cannot be removed.`,
    suggestion: 'Delete its pages instead, if that is what is meant.',
    fix: (d) => ({
      call: { op: 'list_pages', input: { source_id: d.source } },
      why: 'It shows what the source holds.',
    }),
    example: { source: 'default' },
  },
  source_unbound: {
    class: 'caller',
    summary: 'The source has no folder to be read from.',
    message: (d) => `Source ${text(d, 'source')} is bound to no folder.`,
    suggestion: 'Import a folder into it, or add a source that is bound to one.',
    fix: (d) => ({
      call: { op: 'sources_status', input: { id: d.source } },
      why: 'It shows how the source is kept.',
    }),
    example: { source: 'default' },
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
