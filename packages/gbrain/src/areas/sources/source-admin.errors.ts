// Codes of making, binding and removing sources. Source: facts/contract A.3.
import { defineErrors, type FailData } from '../../failure.ts';

const text = (data: FailData, key: string): string => String(data[key] ?? '');

export default defineErrors({
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
});
