// config set: one setting in the home's file, checked before it is written and read back after.
import { closest } from '@gbrain/wire/did-you-mean';
import { defineOperation } from '../../operation.ts';
import { parseSetting } from '../../settings.ts';
import { requireSetting, shownValue } from './setting-key.ts';

export default defineOperation({
  name: 'config_set',
  title: 'Change a setting',
  summary: 'Sets one setting for this home.',
  requirement: 'facts/engine J',
  scope: 'admin',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: true,
  input: (z) => ({
    key: z.string().describe('Key, as config get lists it'),
    value: z.string().describe('New value'),
  }),
  output: (z) => z.object({ key: z.string(), value: z.string().nullable(), plane: z.string() }),
  errors: ['config_error', 'storage_error'],
  cli: {
    command: 'config set',
    group: 'Setup',
    positionals: ['key', 'value'],
    plainPositionals: true,
    human: ({ key, value, plane }) => `${key} = ${value}${plane === 'env' ? ' (the environment wins)' : ''}`,
  },
  examples: [{ title: 'Keep replies short', input: { key: 'search.mode', value: 'conservative' } }],
  run: async (ctx, { key, value }) => {
    const row = requireSetting(ctx, key);
    const parsed = parseSetting(row, value);
    if (!parsed.ok) {
      const near = row.type === 'enum' ? closest(value, row.values) : undefined;
      return ctx.fail('invalid_params', {
        param: 'value',
        problem: row.type === 'enum' ? 'choice' : 'shape',
        given: value.slice(0, 60),
        expected: `${key} ${parsed.why}`,
        ...(row.type === 'enum' && { choices: row.values }),
        ...(near && { corrected: { key, value: near } }),
      });
    }
    await ctx.host.fileConfig.write(key, String(parsed.value));
    const found = await ctx.host.setting(key);
    return { key, value: shownValue(row, found.value), plane: found.plane };
  },
});
