// Codes of embedding. Source: facts/contract A.4, Embeddings.
import { defineErrors, type FailData, type FailPoint } from '../../failure.ts';
import type { FixSpec } from '../../fix.ts';
import { counted, text } from '../../row-text.ts';

const kept = (d: FailData): string => `${counted(Number(d.embedded ?? 0), 'embedded text')} kept`;

const again = (at: FailPoint, why: string, actor: FixSpec['actor'] = 'agent'): FixSpec => ({
  call: { op: at.operation, input: at.input },
  ...(actor && { actor }),
  why,
});

const dryRun = (at: FailPoint, why: string): FixSpec => ({
  call: { op: at.operation, input: { ...at.input, dry_run: true } },
  why,
});

export default defineErrors({
  embedding_unconfigured: {
    class: 'host_only',
    summary: 'No embedding model can be used: none is configured, its key is missing, or it does not exist.',
    reasons: ['not_configured', 'off', 'key_missing', 'address_missing', 'unknown_model'],
    message: (d) => `No embedding model can be used (${text(d, 'reason')}${d.model ? `: ${text(d, 'model')}` : ''}).`,
    suggestion: (d) =>
      d.reason === 'key_missing' || d.reason === 'not_configured'
        ? 'Ask the user whether they want search by meaning; it needs a key of a provider, or a local model.'
        : 'Ask the user which embedding model they want.',
    why: 'Search by words works without one; vectors are made by a model that the user chooses.',
    fix: () => ({
      call: { op: 'providers_list', input: {} },
      only: 'cli',
      actor: 'user',
      why: 'It shows which providers there are, which have a key, and the variable that holds each key.',
      userMessage: 'Search by meaning needs an embedding model. Which provider would you like to use?',
    }),
    example: { reason: 'key_missing', model: 'voyage:voyage-4' },
  },
  embedding_configuration: {
    class: 'host_only',
    summary: 'The configured size of the vectors does not fit the model, or nothing says what it is.',
    reasons: ['size_unknown', 'size_not_offered'],
    message: (d) =>
      d.reason === 'size_unknown'
        ? `Nothing says how long the vectors of ${text(d, 'model')} are.`
        : `${text(d, 'model')} gives vectors of ${text(d, 'sizes')} numbers, not of the configured size.`,
    suggestion: 'Set embedding_dimensions to a size that the model gives.',
    fix: (d) => ({
      argv: ['gbrain', 'config', 'set', 'embedding_dimensions', d.size === undefined ? '<size>' : text(d, 'size')],
      ...(d.size === undefined && {
        inputs: [{ name: 'size', how: `the length of the vectors of ${text(d, 'model')}, from its model page` }],
      }),
      why: 'With a size that the model gives, the same command runs.',
    }),
    example: { reason: 'size_not_offered', model: 'voyage:voyage-4', sizes: '1024, 256, 512, 2048', size: 1024 },
  },
  embedding_auth_failed: {
    class: 'unavailable',
    summary: 'The provider refused the key, or the account has no credit left.',
    reasons: ['auth', 'quota'],
    message: (d) => `${text(d, 'why')}; ${kept(d)}.`,
    suggestion: 'Tell the user to look at the key and the account; then run the same command again.',
    fix: (_, at) => again(at, 'Once key and account are in order, it goes on where it stopped.', 'user'),
    example: { reason: 'auth', why: 'voyage:voyage-4 refused the key', embedded: 0 },
  },
  embedding_unavailable: {
    class: 'retryable',
    summary: 'The embedding provider does not answer, or not now.',
    reasons: ['rate_limited', 'overloaded', 'timeout', 'network'],
    message: (d) => `${text(d, 'why')}; ${kept(d)}.`,
    suggestion: (d) => `Run the same command again in ${text(d, 'waitSeconds') || '60'} seconds.`,
    fix: (d, at) =>
      again(
        at,
        `It goes on where it stopped. Wait ${text(d, 'waitSeconds') || '60'} seconds first; what is embedded is kept.`,
        'provider',
      ),
    example: { reason: 'timeout', why: 'voyage:voyage-4 did not answer in time', embedded: 120, waitSeconds: 60 },
  },
  embedding_failed: {
    class: 'server',
    summary: 'The embedding provider answered with something that is no use.',
    reasons: [
      'not_found',
      'too_long',
      'rejected',
      'invalid_response',
      'wrong_size',
      'not_finite',
      'zero',
      'no_progress',
      'cancelled',
    ],
    message: (d) => `${text(d, 'why')}; ${kept(d)}.`,
    suggestion: 'Look at what is left and which model is used; tell the user.',
    fix: (_, at) => dryRun(at, 'It shows what waits, the model that is asked and the size that is expected.'),
    example: { reason: 'wrong_size', why: 'compatible:m gave no vector that can be used', embedded: 0 },
  },
});
