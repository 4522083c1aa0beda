// config get: one setting with the plane that gave it, or all of them.
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';
import { requireSetting, shownValue } from './setting-key.ts';

export default defineOperation({
  name: 'config_get',
  title: 'Read settings',
  summary: 'Shows one setting, or all, with where the value comes from.',
  requirement: 'facts/engine J',
  scope: 'read',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({ key: z.string().describe('Key; every key when left out').optional() }),
  output: (z) =>
    z.object({
      settings: z.array(
        z.object({ key: z.string(), value: z.string().nullable(), plane: z.string(), summary: z.string() }),
      ),
    }),
  errors: ['config_error'],
  cli: {
    command: 'config get',
    aliases: ['config', 'config show'],
    group: 'Setup',
    positionals: ['key'],
    plainPositionals: true,
    human: ({ settings }) =>
      settings.length === 1
        ? (settings[0]?.value ?? '')
        : twoColumns(
            settings.map((one) => [one.key, `${one.value ?? '-'} (${one.plane})`]),
            '',
          ).join('\n'),
  },
  examples: [
    { title: 'Every setting', input: {} },
    { title: 'One setting', input: { key: 'search.mode' } },
  ],
  run: async (ctx, { key }) => {
    const keys = key === undefined ? [...ctx.host.registry.settings.keys()] : [key];
    const settings = [];
    for (const one of keys) {
      const row = requireSetting(ctx, one);
      const found = await ctx.host.setting(one);
      settings.push({ key: one, value: shownValue(row, found.value), plane: found.plane, summary: row.summary });
    }
    return { settings };
  },
});
