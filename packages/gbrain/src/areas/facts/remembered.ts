// What remember is about: a fact that may be written, what became of it, and how one is refused.
import { raise } from '../../failure.ts';
import type { Named } from './statement.ts';

/** Warnings of a fact that was kept all the same. */
export type RememberWarning = 'NO_ENTITY' | 'ENTITY_LINK_FAILED';

/** What became of a fact. */
export interface Remembered {
  protocol_version: 1;
  id: string;
  status: 'inserted' | 'duplicate' | 'superseded';
  status_text: string;
  entity_slug: string | null;
  valid_until: string | null;
  request_id?: string;
  degraded_dedup?: true;
  superseded_fact_id?: string;
  replaced_by_caller?: true;
  /** Facts that it took the place of, when they are several. */
  superseded_fact_ids?: string[];
  /** It was known already in other words. */
  near_duplicate?: true;
  /** It repeats what a read gave to this session a moment ago. */
  echo?: true;
  /** The fact that took the place of what was said, so that nothing was saved. */
  superseded_by?: string;
  /** Facts of other sources that say otherwise; they stand beside it until somebody decides. */
  conflicts_with?: string[];
  entity_inferred?: 'mention';
  warnings?: RememberWarning[];
  hint?: string;
}

/** A fact that may be written: checked, with its moments and its entity. */
export interface ReadyFact {
  fact: string;
  provenance: string;
  kind: string;
  visibility: string;
  ttl?: string;
  /** Since when it holds, an ISO timestamp; when it was told, unless given. */
  validFrom?: string;
  /** Facts that it was concluded from. */
  premises: readonly number[];
  replaces?: number;
  contentOrigin: string | null;
  entity?: string;
  inferEntity: boolean;
  /** The conversation that it was said in, as its app calls it. */
  session?: string;
  /** What a reading of the words found besides; the table's defaults where nobody says. */
  reading?: { notability: string; confidence: number; attributedTo: string };
}

/** What a refusal says. */
export interface Refusal {
  param: string;
  problem?: 'missing' | 'shape' | 'range';
  expected?: string;
  message?: string;
  advice?: string;
  reason?: string;
  fix?: Record<string, unknown>;
  /** The same call, right. */
  corrected?: Record<string, unknown>;
}

/** Refuses the call with `invalid_params`. */
export const refuse = (at: Refusal): never => raise('invalid_params', { tool: 'remember', problem: 'shape', ...at });

/** Refuses an id that no fact has, or none that the caller may see. */
export const refuseUnknown = (id: number): never =>
  raise('not_found', {
    what: 'fact',
    id: String(id),
    fix: {
      call: { op: 'recall', input: { limit: 20 } },
      why: 'It lists the newest facts with their ids. Nothing was changed.',
    },
  });

/** Whom a fact is about, and those that it names. */
export interface Subject {
  slug: string | null;
  inferred?: true;
  warnings: RememberWarning[];
  /** Its first name. */
  self?: string;
  named: readonly Named[];
}
