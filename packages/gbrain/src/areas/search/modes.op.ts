// search_modes: what each search mode allows, which one is set, and where that comes from.
import { defineOperation } from '../../operation.ts';
import { tableLines } from '../../render/table.ts';
import { MODE_NAMES, MODES, modeOf } from './modes.ts';

export default defineOperation({
  name: 'search_modes',
  title: 'Search modes',
  summary: 'Shows the search modes with their limits, the one in use and where it is set.',
  requirement: 'facts/engine C.7',
  scope: 'read',
  surface: 'full',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      mode: z.string(),
      origin: z.string(),
      knobs: z.array(z.object({ name: z.string(), value: z.number(), origin: z.string() })),
      modes: z.array(z.object({ mode: z.string(), limit: z.number(), token_budget: z.number() })),
    }),
  errors: [],
  cli: {
    command: 'search modes',
    group: 'Search',
    human: ({ mode, origin, modes }, view) => {
      const head = ['mode', 'rows', 'tokens', ''].map((text) => ({ text, style: view.bold }));
      const rows = modes.map((one) => [
        one.mode,
        String(one.limit),
        String(one.token_budget),
        one.mode === mode ? `in use (${origin})` : '',
      ]);
      return [...tableLines([head, ...rows], view), view.dim('gbrain config set search.mode MODE')].join('\n');
    },
  },
  examples: [{ title: 'All modes', input: {} }],
  run: async (ctx) => {
    const found = await ctx.host.setting('search.mode');
    const mode = modeOf(found.value);
    const knobs = Object.entries(MODES[mode]).map(([name, value]) => ({ name, value, origin: `mode ${mode}` }));
    return { mode, origin: found.plane, knobs, modes: MODE_NAMES.map((name) => ({ mode: name, ...MODES[name] })) };
  },
});
