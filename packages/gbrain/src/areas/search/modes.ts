// Search modes: how much a reply may hold. Only knobs that earned their place are here (docs/search/experiments.md).

/** What a mode sets. */
export interface ModeKnobs {
  /** Rows of a reply. */
  readonly limit: number;
  /** Tokens of text that a reply may hold. */
  readonly token_budget: number;
}

/** The modes. Source: facts/engine C.7. */
export const MODES = {
  conservative: { limit: 10, token_budget: 4_000 },
  balanced: { limit: 25, token_budget: 12_000 },
  tokenmax: { limit: 50, token_budget: 32_000 },
} as const satisfies Record<string, ModeKnobs>;

/** Names of the modes, from small to large. */
export const MODE_NAMES = Object.keys(MODES) as (keyof typeof MODES)[];

/** The mode of a call: what it asks for, which only the owner's own command line may make larger than what is set. */
export function modeOfCall(set: keyof typeof MODES, asked: unknown, isOwner: boolean): keyof typeof MODES {
  const wanted = MODE_NAMES.find((name) => name === asked) ?? set;
  return isOwner || MODE_NAMES.indexOf(wanted) <= MODE_NAMES.indexOf(set) ? wanted : set;
}

/** The mode that a setting names; `balanced` where it names none. */
export const modeOf = (value: unknown): keyof typeof MODES => MODE_NAMES.find((name) => name === value) ?? 'balanced';
