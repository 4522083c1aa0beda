// Ledgers of many remote sessions, bounded in number and age. Time is passed in; notice-ledger decides what is shown.
import type { Notice } from './notice.ts';
import { admitNotices, EMPTY_LEDGER, type LedgerPolicy, type LedgerResult, type LedgerState } from './notice-ledger.ts';

/** Bounds of a book. Source: contract facts C.2. */
export interface BookLimits {
  maxSessions: number;
  /** A session that was not heard of for so long is forgotten. */
  ttlMs: number;
}

/** The bounds that a server uses. */
export const BOOK_LIMITS: BookLimits = { maxSessions: 10_000, ttlMs: 24 * 60 * 60 * 1000 };

/** One ledger a session. */
export interface NoticeBook {
  /** Folds one call's notices into the ledger of its session. */
  admit(session: string, notices: readonly Notice[], policy: LedgerPolicy, nowMs: number): Omit<LedgerResult, 'state'>;
  /** Sessions that are remembered. */
  readonly size: number;
}

/**
 * The key of a session: the authenticated principal and the session id that the transport resolved, never one that an
 * argument claims. Any two different pairs have different keys.
 */
export function sessionKey(principal: string, session: string | undefined): string {
  return JSON.stringify([principal, session ?? null]);
}

/** Opens an empty book. When it is full the session that was silent longest is forgotten: it may see a notice again. */
export function createNoticeBook(limits: BookLimits = BOOK_LIMITS): NoticeBook {
  // Oldest use first: an entry is removed and put back whenever it is used.
  const sessions = new Map<string, { state: LedgerState; usedMs: number }>();

  function forget(nowMs: number): void {
    for (const [key, { usedMs }] of sessions) {
      if (sessions.size <= limits.maxSessions && nowMs - usedMs < limits.ttlMs) return;
      sessions.delete(key);
    }
  }

  return {
    admit(session, notices, policy, nowMs) {
      const known = sessions.get(session);
      const isFresh = known !== undefined && nowMs - known.usedMs < limits.ttlMs;
      const { state, admitted, dropped } = admitNotices(isFresh ? known.state : EMPTY_LEDGER, notices, policy);
      sessions.delete(session);
      // A session that has seen nothing needs no entry; most calls carry no notice at all.
      if (state !== EMPTY_LEDGER) sessions.set(session, { state, usedMs: nowMs });
      forget(nowMs);
      return { admitted, dropped };
    },
    get size() {
      return sessions.size;
    },
  };
}
