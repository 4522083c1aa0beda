// How facts and pages share a budget of tokens: one arm first, the other with what is left; each is cut at the first
// item that does not fit, so an answer never skips a better row for a shorter one. Pure. Source: facts/contract G.6.

/** Which arm goes first. */
export const BUDGET_POLICIES = ['facts_first', 'query_first'] as const;
/** One of them. */
export type BudgetPolicy = (typeof BUDGET_POLICIES)[number];

/** Tokens of a text, as the contract estimates them. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** What became of one arm. */
export interface ArmPacking {
  candidates: number;
  kept: number;
  dropped: number;
  used: number;
}

/** Why a policy decided, or why it had nothing to decide; the first that is true. */
export type PackingReason =
  | 'no_query'
  | 'no_positive_finite_budget'
  | 'budget_below_one'
  | 'no_candidates'
  | 'first_items_exceed_budget'
  | 'packed';

/** How a budget was spent. */
export interface BudgetPacking {
  policy: BudgetPolicy;
  applied: boolean;
  reason: PackingReason;
  facts: ArmPacking;
  results: ArmPacking;
}

/** Costs of the rows of both arms, best first. */
export interface Arms {
  facts: readonly number[];
  results: readonly number[];
}

const isBudget = (budget: number | undefined): budget is number =>
  budget !== undefined && Number.isFinite(budget) && budget > 0;

function packArm(costs: readonly number[], budget: number): ArmPacking {
  let used = 0;
  let kept = 0;
  for (const cost of costs) {
    if (used + cost > budget) break;
    used += cost;
    kept += 1;
  }
  return { candidates: costs.length, kept, dropped: costs.length - kept, used };
}

/** Packs both arms; without a positive finite budget everything is kept. */
export function packArms(
  arms: Arms,
  budget: number | undefined,
  by: { policy: BudgetPolicy; hasQuery: boolean },
): BudgetPacking {
  const limit = isBudget(budget) ? budget : Number.POSITIVE_INFINITY;
  const isFactsFirst = by.policy === 'facts_first';
  const first = packArm(isFactsFirst ? arms.facts : arms.results, limit);
  const second = packArm(isFactsFirst ? arms.results : arms.facts, limit - first.used);
  const facts = isFactsFirst ? first : second;
  const results = isFactsFirst ? second : first;
  const kept = facts.kept + results.kept;
  const reason = reasonOf({ hasQuery: by.hasQuery, budget, candidates: facts.candidates + results.candidates, kept });
  return { policy: by.policy, applied: reason === 'packed', reason, facts, results };
}

function reasonOf(at: {
  hasQuery: boolean;
  budget: number | undefined;
  candidates: number;
  kept: number;
}): PackingReason {
  if (!at.hasQuery) return 'no_query';
  if (!isBudget(at.budget)) return 'no_positive_finite_budget';
  if (at.budget < 1) return 'budget_below_one';
  if (at.candidates === 0) return 'no_candidates';
  return at.kept === 0 ? 'first_items_exceed_budget' : 'packed';
}

/** Keys of a reply that was packed: present exactly when the budget is a positive finite number. */
export function budgetKeys(budget: number | undefined, packing: Pick<BudgetPacking, 'facts' | 'results'>) {
  if (!isBudget(budget)) return {};
  return {
    budget_tokens: budget,
    budget_used: packing.facts.used + packing.results.used,
    dropped_count: packing.facts.dropped + packing.results.dropped,
  };
}

/** Several arms packed: how many rows of each are kept, and the keys of the reply. */
export interface PackedArms {
  kept: number[];
  dropped: number;
  keys: { budget_tokens?: number; budget_used?: number; dropped_count?: number };
}

/** Packs several arms one after the other, each cut at its first row that does not fit. */
export function packPrefix(arms: readonly (readonly number[])[], budget: number | undefined): PackedArms {
  let left = isBudget(budget) ? budget : Number.POSITIVE_INFINITY;
  const packed = arms.map((costs) => {
    const arm = packArm(costs, left);
    left -= arm.used;
    return arm;
  });
  const sum = (key: 'used' | 'dropped') => packed.reduce((total, arm) => total + arm[key], 0);
  const keys = isBudget(budget)
    ? { budget_tokens: budget, budget_used: sum('used'), dropped_count: sum('dropped') }
    : {};
  return { kept: packed.map((arm) => arm.kept), dropped: sum('dropped'), keys };
}
