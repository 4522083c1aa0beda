// providers list: which model providers there are, which have a key, and which model each job uses. It calls none.
import { defineOperation } from '../../operation.ts';
import type { Touchpoint } from '../../provider.ts';
import { allProviders, currentModel, keyOf } from './find-model.ts';

const JOBS: readonly Touchpoint[] = ['embedding', 'chat', 'rerank'];

export default defineOperation({
  name: 'providers_list',
  title: 'Model providers',
  summary: 'Lists model providers, which of them have a key, and the model that each job uses. Calls none.',
  requirement: 'facts/contract K.2; facts/engine K',
  scope: 'read',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      models: z.array(
        z.object({
          job: z.enum(['embedding', 'chat', 'rerank']),
          model: z.string().nullable(),
          state: z.enum(['ready', 'not_configured', 'off', 'key_missing', 'address_missing', 'unknown_model']),
        }),
      ),
      providers: z.array(
        z.object({
          name: z.string(),
          jobs: z.array(z.string()),
          key: z.enum(['set', 'missing', 'not_needed']),
          key_env: z.string().nullable(),
          local: z.boolean(),
        }),
      ),
    }),
  errors: ['config_error'],
  cli: {
    command: 'providers list',
    group: 'Setup',
    human: ({ models, providers }, view) => {
      const used = models.map(
        ({ job, model, state }) => `${job.padEnd(10)}  ${model ?? '-'}  ${state.replace('_', ' ')}`,
      );
      const rows = providers.map(({ name, jobs, key, key_env, local }) => {
        const open = local ? 'on this machine' : 'needs an address of yours';
        const hint = key === 'missing' ? `set ${key_env}` : key === 'set' ? 'key set' : open;
        return `${name.padEnd(13)}  ${jobs.join(', ').padEnd(24)}  ${hint}`;
      });
      return [view.bold('Models in use'), ...used, '', view.bold('Providers'), ...rows].join('\n');
    },
  },
  examples: [{ title: 'What is there', input: {} }],
  run: async ({ host }) => {
    const models = await Promise.all(
      JOBS.map(async (job) => {
        const found = await currentModel(host, job);
        if (!('none' in found)) return { job, model: found.model.ref, state: 'ready' as const };
        return { job, model: 'ref' in found ? found.ref : null, state: found.none };
      }),
    );
    const providers = await Promise.all(
      (await allProviders()).map(async (provider) => {
        const isSet = (await keyOf(host, provider)) !== undefined;
        const needs = provider.keySetting !== undefined && !provider.keyIsOptional;
        return {
          name: provider.name,
          jobs: [...provider.touchpoints],
          key: isSet ? ('set' as const) : needs ? ('missing' as const) : ('not_needed' as const),
          key_env: provider.keyEnv ?? null,
          local: provider.isLocal === true,
        };
      }),
    );
    return { models, providers };
  },
});
