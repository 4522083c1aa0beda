// Binds an approval to what was approved: one short hash of a selection. The hash function is passed in.
import type { Effect } from './action.ts';
import { canonicalJson } from './canonical-json.ts';

/** One record that a plan touches, at the revision at which it was shown. */
export interface PlanRecord {
  id: string;
  revision: string | null;
  source_incarnation: string | null;
}

/** Everything that an approval covers; a change of any part gives another hash. */
export interface PlanSelection {
  brain: string;
  source: string | null;
  operation: string;
  records: readonly PlanRecord[];
  parameters: Readonly<Record<string, unknown>>;
  effects: readonly Effect[];
}

/** Gives the SHA-256 of a text's UTF-8 form in lower-case hex. */
export type Sha256Hex = (text: string) => string;

const PLAN_HASH = /^ph_[0-9a-f]{24}$/;

/**
 * The hash of a plan: `ph_` and 24 hex digits, whatever the order of keys, records and effects.
 * Source: contract facts D.8.
 */
export function planHash(selection: PlanSelection, sha256: Sha256Hex): string {
  const { brain, source, operation, records, parameters, effects } = selection;
  const text = canonicalJson({
    brain,
    source,
    operation,
    // Equal ids are told apart by the rest of the record, so that their order is no part of the hash either.
    records: records.map(toRecord).sort((a, b) => compare(canonicalJson(a), canonicalJson(b))),
    parameters,
    effects: [...new Set(effects)].sort(),
  });
  const hex = sha256(text);
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new TypeError('sha256 must give 64 lower-case hex digits.');
  return `ph_${hex.slice(0, 24)}`;
}

/** True for a text of the form that planHash gives. */
export function isPlanHash(text: string): boolean {
  return PLAN_HASH.test(text);
}

/** Why `--expect` does not authorise a plan; undefined when it does. */
export type PlanMismatch = 'missing' | 'changed';

/** Compares what the user approved with the plan as it is now. Source: contract facts A.3, preview_changed. */
export function decidePlanMismatch(expected: string | undefined, current: string): PlanMismatch | undefined {
  if (expected === undefined || expected === '') return 'missing';
  return expected === current ? undefined : 'changed';
}

// Only these three keys count, even where a caller's record holds more; `id` leads the canonical text.
function toRecord({ id, revision, source_incarnation }: PlanRecord): PlanRecord {
  return { id, revision, source_incarnation };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
