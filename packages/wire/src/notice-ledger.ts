// Decides which notices a session sees: mute, then dedupe, then the coaching budget. A pure fold; it keeps no clock.
import type { Connection } from './action.ts';
import type { CoverageCounts, Notice, NoticeKind } from './notice.ts';

/** Coaching notices that one session sees at most. Source: AGENT_OPERATOR v1, Dedupe and budget. */
export const COACHING_MAX = 2;

/** Codes that describe one call's result and are never deduplicated. Source: AGENT_OPERATOR v1, Dedupe and budget. */
export const PER_CALL_CODES: ReadonlySet<string> = new Set([
  'degraded_recall',
  'empty_retrieval',
  'unknown_param',
  'listing_truncated',
  'delta_incomplete',
  'facts_unembedded',
  'source_binding_narrowed',
]);

/** The one notice of kind `ask` that can be muted, so that an unanswered first-run bundle can be put away. */
const MUTEABLE_ASK = 'first_run_decisions';

/** What a session has seen so far. Plain data: it can be stored and sent. */
export interface LedgerState {
  /** Keys of the notices that were shown. */
  shown: readonly string[];
  coaching: number;
  /** The counts at which a coverage notice counts as seen, by code. */
  coverage: Readonly<Record<string, CoverageCounts>>;
}

/** The state of a session that has seen nothing. */
export const EMPTY_LEDGER: LedgerState = { shown: [], coaching: 0, coverage: {} };

/** What the fold knows of the reader. */
export interface LedgerPolicy {
  transport: Connection['transport'];
  /** Muted codes, of the owner and of this client together. Codes that cannot be muted are ignored. */
  muted: ReadonlySet<string>;
}

/** Why a notice was not shown. */
export type DropReason = 'muted' | 'repeated' | 'budget';

/** The result of one call: the next state, what to show, and what was kept back. */
export interface LedgerResult {
  state: LedgerState;
  admitted: Notice[];
  dropped: { notice: Notice; reason: DropReason }[];
}

/** True for a code that the user may mute. Source: AGENT_OPERATOR v1, Mute. */
export function isMuteable(code: string, kind: NoticeKind): boolean {
  return kind === 'coaching' || kind === 'info' || (kind === 'ask' && code === MUTEABLE_ASK);
}

/** Folds the notices of one call into the session's state, in the given order. A notice kept back uses no budget. */
export function admitNotices(state: LedgerState, notices: readonly Notice[], policy: LedgerPolicy): LedgerResult {
  const result: LedgerResult = { state, admitted: [], dropped: [] };
  for (const notice of notices) {
    const reason = decideDrop(result.state, notice, policy);
    if (reason === undefined) result.admitted.push(notice);
    else result.dropped.push({ notice, reason });
    result.state = advance(result.state, notice, reason === undefined);
  }
  return result;
}

function decideDrop(state: LedgerState, notice: Notice, policy: LedgerPolicy): DropReason | undefined {
  const { code, kind, coverage } = notice;
  if (policy.muted.has(code) && isMuteable(code, kind)) return 'muted';
  if (coverage !== undefined) return hasGrown(state.coverage[code], coverage) ? undefined : 'repeated';
  if (ridesEveryCall(notice, policy.transport)) return undefined;
  if (state.shown.includes(keyOf(notice))) return 'repeated';
  return kind === 'coaching' && state.coaching >= COACHING_MAX ? 'budget' : undefined;
}

/**
 * True for a notice that dedupe leaves alone. HTTP is stateless, so what is degraded or unsafe is said every time;
 * on stdio and the CLI a recall that only the configuration degrades would say the same on every search.
 */
function ridesEveryCall(notice: Notice, transport: Connection['transport']): boolean {
  const { code, kind } = notice;
  if (transport === 'http' && (kind === 'degraded' || kind === 'safety')) return true;
  const isPerCall = PER_CALL_CODES.has(code) || notice.per_call === true;
  return isPerCall && !isConfigOnlyRecall(notice);
}

function isConfigOnlyRecall(notice: Notice): boolean {
  return notice.code === 'degraded_recall' && notice.config_only === true;
}

function advance(state: LedgerState, notice: Notice, isShown: boolean): LedgerState {
  const { code, kind } = notice;
  const counts = notice.coverage;
  const coverage =
    counts === undefined ? state.coverage : { ...state.coverage, [code]: seen(state.coverage[code], counts, isShown) };
  if (!isShown) return { ...state, coverage };
  const key = keyOf(notice);
  const shown = state.shown.includes(key) ? state.shown : [...state.shown, key];
  return { shown, coaching: state.coaching + (kind === 'coaching' ? 1 : 0), coverage };
}

// A transient degradation that was shown does not stand for the lasting one.
function keyOf(notice: Notice): string {
  return isConfigOnlyRecall(notice) ? `${notice.code}#config` : notice.code;
}

/**
 * True when counts are worth a new notice: a new kind or source, a count up by a tenth (at least 1), or one that could
 * not be read. Nothing hidden (all zero) never is. Source: AGENT_OPERATOR v1, Coverage notices.
 */
export function hasGrown(before: CoverageCounts | undefined, now: CoverageCounts): boolean {
  return Object.entries(now).some(([key, count]) => {
    if (count === null) return true;
    if (count <= 0) return false;
    const known = before?.[key];
    if (known === undefined || known === null) return true;
    return count >= known + Math.max(1, known / 10);
  });
}

// A count that fell is the new mark, so that its return is news; a source that this call did not cover keeps its own.
function seen(before: CoverageCounts | undefined, now: CoverageCounts, isShown: boolean): CoverageCounts {
  const next: Record<string, number | null> = { ...before };
  for (const [key, count] of Object.entries(now)) {
    const known = before?.[key];
    const isLower = typeof known === 'number' && typeof count === 'number' && count < known;
    if (isShown || isLower) next[key] = count;
  }
  return next;
}
