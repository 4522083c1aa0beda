// pricing list: what each known model costs, and where the price is from.
import { defineOperation } from '../../operation.ts';
import { LIST_PRICES, listPrice, PRICES_AS_OF } from './list-prices.ts';
import { type PriceRow, readSetPrices } from './spend.sql.ts';

const dollars = (micros: number): number => micros / 1_000_000;

const shown = (row: PriceRow, origin: 'list' | 'registered') => ({
  model: row.model,
  input_usd: dollars(row.input_micros),
  output_usd: dollars(row.output_micros),
  call_usd: dollars(row.call_micros),
  origin,
});

export default defineOperation({
  name: 'pricing_list',
  title: 'Prices of models',
  summary: 'US dollars for a million tokens of each known model; registered prices win over list prices.',
  requirement: 'facts/engine K, Pricing',
  scope: 'read',
  surface: 'cli',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({ model: z.string().describe('Only this model, as provider:model').optional() }),
  output: (z) =>
    z.object({
      as_of: z.string(),
      prices: z.array(
        z.object({
          model: z.string(),
          input_usd: z.number(),
          output_usd: z.number(),
          call_usd: z.number(),
          origin: z.enum(['list', 'registered']),
        }),
      ),
    }),
  errors: [],
  cli: {
    command: 'pricing list',
    group: 'Setup',
    positionals: ['model'],
    plainPositionals: true,
    human: ({ prices, as_of }, view) => {
      if (prices.length === 0) return 'No price is known. Register one with gbrain pricing set.';
      const width = Math.max(...prices.map(({ model }) => model.length));
      const lines = prices.map((row) => {
        const call = row.call_usd > 0 ? `  ${row.call_usd} a call` : '';
        const mark = row.origin === 'registered' ? `  ${view.green('registered')}` : '';
        return `${row.model.padEnd(width)}  in ${row.input_usd}  out ${row.output_usd}${call}${mark}`;
      });
      return [...lines, view.dim(`US dollars for a million tokens; list prices as of ${as_of}`)].join('\n');
    },
  },
  examples: [
    { title: 'All prices', input: {} },
    { title: 'One model', input: { model: 'voyage:voyage-4' } },
  ],
  run: async (ctx, { model }) => {
    const registered = await readSetPrices(ctx.brain.store);
    const names = new Set(registered.map((row) => row.model));
    const all = [
      ...registered.map((row) => shown(row, 'registered')),
      ...LIST_PRICES.filter((row) => !names.has(row.model)).map((row) => shown(row, 'list')),
    ].sort((a, b) => (a.model < b.model ? -1 : 1));
    if (model === undefined) return { as_of: PRICES_AS_OF, prices: all };
    const found = all.filter((row) => row.model === model);
    const dated = found.length === 0 ? listPrice(model) : undefined;
    return { as_of: PRICES_AS_OF, prices: dated ? [shown(dated, 'list')] : found };
  },
});
