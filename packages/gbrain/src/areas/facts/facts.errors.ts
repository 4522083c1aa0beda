// Codes of the memory verbs: the frozen v1 spellings. Source: facts/contract A.1.
import { defineErrors, type FailData } from '../../failure.ts';

const text = (data: FailData, key: string): string => String(data[key] ?? '');

export default defineErrors({
  provenance_required: {
    class: 'caller',
    exit: 2,
    summary: 'A fact was given without saying who or what says so.',
    message: (d) =>
      d.index === undefined
        ? 'Parameter "provenance" is missing: a fact is saved only with its source'
        : `Parameter "items[${text(d, 'index')}].provenance" is missing: a fact is saved only with its source`,
    suggestion: 'Pass `provenance` as who or what says so, such as "user, in chat" or a document.',
    fix: (_, at) => ({
      call: { op: at.operation, input: { ...at.input, provenance: '<provenance>' } },
      inputs: [{ name: 'provenance', how: 'who or what says so, at most 500 characters' }],
      why: 'Nothing was saved. This is the same call with its source.',
    }),
    example: { fact: 'Alice prefers tea' },
  },
  unavailable: {
    class: 'unavailable',
    summary: 'Something that the call needs is not there or does not answer.',
    reasons: [
      'no_llm',
      'model_unusable',
      'timeout',
      'rate_limited',
      'network',
      'provider_error',
      'refused',
      'budget',
      'empty_answer',
      'not_json',
      'output_truncated',
      'database_error',
      'storage_error',
      'migrations_pending',
      'session_state',
    ],
    message: (d) => text(d, 'message') || `${text(d, 'what')} is not available.`,
    suggestion: (d) => text(d, 'advice') || 'Tell the user what is missing.',
    fix: (d) => d.fix as never,
    example: { what: 'A chat model', reason: 'no_llm' },
  },
  scope_denied: {
    class: 'host_only',
    summary: 'The connection may not use this verb.',
    message: (d) => `This connection may not call ${text(d, 'operation')}.`,
    suggestion: 'Tell the user; only the host of the brain can widen what a connection may do.',
    example: { operation: 'remember' },
  },
  internal: {
    class: 'server',
    summary: 'An unexpected fault inside gbrain, as a memory verb spells it.',
    message: (d) => `${text(d, 'operation')} failed inside gbrain.`,
    suggestion: 'Tell the user what happened; report it if it repeats.',
    why: 'The fault is not one that gbrain knows; its log has the details.',
    example: { operation: 'recall' },
  },
});
