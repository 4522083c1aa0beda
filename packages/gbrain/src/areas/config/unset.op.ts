// config unset: takes one setting out of the home's file, so that its default counts again.
import { defineOperation } from '../../operation.ts';
import { requireSetting, shownValue } from './setting-key.ts';

export default defineOperation({
  name: 'config_unset',
  title: 'Remove a setting',
  summary: 'Removes one setting of this home, so that its default counts again.',
  requirement: 'AGENT_OPERATOR v1, Consent and preapproval',
  scope: 'admin',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: true,
  input: (z) => ({ key: z.string().describe('Key, as config get lists it') }),
  output: (z) => z.object({ key: z.string(), value: z.string().nullable(), plane: z.string() }),
  errors: ['config_error', 'storage_error'],
  cli: {
    command: 'config unset',
    group: 'Setup',
    positionals: ['key'],
    plainPositionals: true,
    human: ({ key, value }) => `${key} is unset${value === null ? '' : `; it is now ${value}`}`,
  },
  examples: [{ title: 'Ask again before paid runs', input: { key: 'consent.preapprove.paid.max_usd_per_run' } }],
  run: async (ctx, { key }) => {
    const row = requireSetting(ctx, key);
    await ctx.host.fileConfig.write(key, undefined);
    const found = await ctx.host.setting(key);
    return { key, value: shownValue(row, found.value), plane: found.plane };
  },
});
