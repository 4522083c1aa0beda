// The arithmetic of spend, in whole micro-dollars: caps, and what a preapproval covers. It spends nothing.
import type { Effect, Preapproval } from './action.ts';

/** The cap of paid work with no estimate and no configured cap, in US dollars. Source: contract facts D.7. */
export const DEFAULT_CAP_USD = 5;

/** No derived cap is smaller than this, in US dollars. Source: AGENT_OPERATOR v1, Caps. */
export const DERIVED_CAP_FLOOR_USD = 0.25;

/** Who set a cap: only a user's cap refuses a model without a price. */
export type CapSource = 'user' | 'derived' | 'default';

/** A cap in US dollars; null is uncapped, which only the user can say. */
export interface Cap {
  capUsd: number | null;
  source: CapSource;
}

const MICROS_A_CENT = 10_000;
const USD_MAX = 1_000_000_000;

/** US dollars as whole micro-dollars, rounded to the nearest. Throws a RangeError for what is no amount of money. */
export function toMicros(usd: number): number {
  if (!Number.isFinite(usd) || usd < 0 || usd > USD_MAX) throw new RangeError(`${usd} is not an amount in US dollars.`);
  return Math.round(usd * 1_000_000);
}

/** The cap that `--yes` alone stands for: one and a half estimates, at least the floor, up to the next cent. */
export function derivedCapUsd(estUsd: number): number {
  return Math.max(ceilCents(toMicros(estUsd) * 1.5), floorCents()) / 100;
}

/** The cap with which work goes on after its derived cap ran out: twice that cap, at least the floor, to the cent. */
export function resumeCapUsd(capUsd: number): number {
  return Math.max(ceilCents(toMicros(capUsd) * 2), floorCents()) / 100;
}

/** An amount as an argv carries it: two decimals, a fraction of a cent rounded up, no currency sign. */
export function formatCapUsd(usd: number): string {
  const cents = ceilCents(toMicros(usd));
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** What decides the cap of one run. */
export interface CapFacts {
  /** `--max-usd` or `--max-cost`: an amount, or `off`. */
  flag?: number | 'off';
  /** The limit of the preapproval that authorised this run, when one did. */
  preapprovedUsd?: number;
  /** Null when there is none. */
  estUsd: number | null;
  /** The cap that the configuration names for work without an estimate. */
  configuredUsd?: number;
}

/**
 * The cap of a run: the user's flag, else the preapproval that let it run, else derived from the estimate, else the
 * configured cap, else the default. Source: AGENT_OPERATOR v1, Caps.
 */
export function decideCap(facts: CapFacts): Cap {
  const { flag, preapprovedUsd, estUsd, configuredUsd } = facts;
  if (flag === 'off') return { capUsd: null, source: 'user' };
  if (flag !== undefined) return { capUsd: flag, source: 'user' };
  if (preapprovedUsd !== undefined) return { capUsd: preapprovedUsd, source: 'user' };
  if (estUsd !== null) return { capUsd: derivedCapUsd(estUsd), source: 'derived' };
  if (configuredUsd !== undefined) return { capUsd: configuredUsd, source: 'user' };
  return { capUsd: DEFAULT_CAP_USD, source: 'default' };
}

/** Reads a cap flag: an amount above zero, or one of the words for uncapped; undefined for anything else. */
export function parseCap(text: string): number | 'off' | undefined {
  if (/^(?:off|unlimited|none)$/i.test(text)) return 'off';
  const match = /^\$?(\d{1,9}(?:\.\d{1,6})?|\.\d{1,6})$/.exec(text);
  const usd = match === null ? 0 : Number(match[1]);
  return usd > 0 ? usd : undefined;
}

/**
 * True when the user has already agreed to every effect. `paid` is covered at or under the limit a run; an unknown
 * estimate (null or absent) is under no limit. `persistent_install` has its own setting. `destructive`, `credentials`
 * and `egress` are never covered, nor is a mixture that holds one of them. No effect at all needs no agreement.
 * Source: AGENT_OPERATOR v1, Consent and preapproval.
 */
export function covers(
  preapproval: Preapproval,
  effects: readonly Effect[],
  estUsd: number | null | undefined,
): boolean {
  return effects.every((effect) => {
    if (effect === 'persistent_install') return preapproval.persistentInstall;
    return effect === 'paid' && isAtOrUnder(estUsd, preapproval.paidMaxUsdPerRun);
  });
}

function isAtOrUnder(estUsd: number | null | undefined, limitUsd: number | undefined): boolean {
  const isAmount = (usd: number | null | undefined): usd is number =>
    typeof usd === 'number' && usd >= 0 && usd <= USD_MAX;
  // In micro-dollars 0.1 + 0.2 is at a limit of 0.3.
  return isAmount(estUsd) && isAmount(limitUsd) && toMicros(estUsd) <= toMicros(limitUsd);
}

function ceilCents(micros: number): number {
  return Math.ceil(micros / MICROS_A_CENT);
}

function floorCents(): number {
  return ceilCents(toMicros(DERIVED_CAP_FLOOR_USD));
}
