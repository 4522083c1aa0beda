// What calls are paid from: the port between the metered door and whoever keeps the ledger. It knows no database.

/** What a call is for; it stands in the ledger. */
export type Purpose = 'embed' | 'query_embed' | 'chat' | 'rerank' | 'probe';

/** A call that is about to be made, with the most that it can use. */
export interface PlannedCall {
  readonly purpose: Purpose;
  /** `provider:model`. */
  readonly model: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
}

/** Tokens that a provider says it counted; absent where it says nothing. */
export interface TokenUse {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** How a call ended: what was used, or whether a failed one may have been billed. */
export type CallEnd =
  | ({ readonly outcome: 'ok' } & TokenUse)
  | ({ readonly outcome: string; readonly billed: 'no' | 'unknown' | 'yes' } & TokenUse);

/** A call whose most is counted; it has to be settled once. */
export interface Reservation {
  readonly id: string;
}

/** What was charged in the end, in US dollars; null for a model without a price. */
export interface Charge {
  readonly usd: number | null;
}

/** A cap with the calls that are paid under it. */
export interface Purse {
  /**
   * Counts the most that a call can cost, on disk, before it is sent. Raises `no_pricing` for a model without a price
   * under a cap of the user, `derived_cap_exhausted` or `cost_cap_exceeded` when the cap does not reach.
   */
  reserve(call: PlannedCall): Promise<Reservation>;
  /** Replaces the reservation by what was used. A second call changes nothing. */
  settle(reservation: Reservation, end: CallEnd): Promise<Charge>;
}

const refuse = (): Promise<never> => Promise.reject(new Error('a local model asked for money'));

/** The purse of local models, which is never opened: their calls do not come to it. */
export const NO_PURSE: Purse = { reserve: refuse, settle: refuse };
