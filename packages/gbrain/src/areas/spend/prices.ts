// What a call costs: the registered price of a model, else its list price, and the arithmetic in whole micro-dollars.
import type { Queryable } from '../../store/store.ts';
import { listPrice } from './list-prices.ts';
import { type PriceRow, readSetPrice } from './spend.sql.ts';

/** The price of a model; undefined where none is known, which is not the same as nothing. */
export async function priceOf(db: Queryable, model: string): Promise<PriceRow | undefined> {
  return (await readSetPrice(db, model)) ?? listPrice(model);
}

/** Micro-dollars of one call, rounded up: a call that costs something never counts as nothing. */
export function costMicros(price: PriceRow, tokens: { input: number; output: number }): number {
  const perMillion = tokens.input * price.input_micros + tokens.output * price.output_micros;
  return Math.ceil(perMillion / 1_000_000) + price.call_micros;
}

/** Micro-dollars as US dollars. */
export const toUsd = (micros: number): number => micros / 1_000_000;

/** US dollars as people read them: cents, or as many decimals as a small amount needs; a trifle is said to be one. */
export function showUsd(usd: number): string {
  if (usd === 0) return '$0.00';
  if (usd < 0.0001) return 'less than $0.0001';
  return usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}

/** What something will cost, as the object of a sentence; null where the model has no price. */
export function aboutUsd(usd: number | null): string {
  if (usd === null) return 'an unknown amount (the model has no known price)';
  const shown = showUsd(usd);
  return shown.startsWith('$') ? `about ${shown}` : shown;
}
