// A fact as a reader gets it: the verb's fields, with credentials struck out for everybody but the owner. Pure.
import type { ReadScope } from '../../context.ts';
import type { Z } from '../../operation.ts';
import { type TrustMarks, trustMarks, trustShape } from '../pages/trust-marks.ts';
import { shownText } from '../secrets/shown-text.ts';
import { FACT_KINDS } from './fact.ts';
import type { FactRecord } from './facts.sql.ts';

/** A fact on the wire. Source: facts/contract G.6. */
export interface FactView extends TrustMarks {
  id: number;
  fact: string;
  kind: FactRecord['kind'];
  entity_slug: string | null;
  source_id: string;
  visibility: string;
  notability: string;
  valid_from: string;
  valid_until: string | null;
  expired_at: string | null;
  superseded_by: number | null;
  consolidated_at: string | null;
  consolidated_into: number | null;
  source: string;
  source_session: string | null;
  context: string | null;
  confidence: number;
  created_at: string;
  fact_id: string;
  provenance: string;
  /** Facts that it was concluded from and that no longer hold. */
  premise_changed?: string[];
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/** A fact as the caller may read it. */
export function factView(row: FactRecord, scope: ReadScope): FactView {
  const source = shownText(scope, row.source);
  return {
    id: row.id,
    fact: shownText(scope, row.fact),
    kind: row.kind,
    entity_slug: row.entity_slug,
    source_id: row.source_id,
    visibility: row.visibility,
    notability: row.notability,
    valid_from: row.valid_from.toISOString(),
    valid_until: iso(row.valid_until),
    expired_at: iso(row.expired_at),
    superseded_by: row.superseded_by,
    consolidated_at: iso(row.consolidated_at),
    consolidated_into: row.consolidated_into,
    source,
    source_session: row.source_session,
    context: row.context === null ? null : shownText(scope, row.context),
    confidence: row.confidence,
    created_at: row.created_at.toISOString(),
    fact_id: String(row.id),
    provenance: source,
    ...trustMarks(row, `${row.fact}\n${row.source}\n${row.context ?? ''}`),
  };
}

/** Schema of a fact. */
export const factShape = (z: Z) =>
  z.object({
    id: z.number(),
    fact: z.string(),
    kind: z.enum(FACT_KINDS),
    entity_slug: z.string().nullable(),
    source_id: z.string(),
    visibility: z.string(),
    notability: z.string(),
    valid_from: z.string(),
    valid_until: z.string().nullable(),
    expired_at: z.string().nullable(),
    superseded_by: z.number().nullable(),
    consolidated_at: z.string().nullable(),
    consolidated_into: z.number().nullable(),
    source: z.string(),
    source_session: z.string().nullable(),
    context: z.string().nullable(),
    confidence: z.number(),
    created_at: z.string(),
    fact_id: z.string(),
    provenance: z.string(),
    premise_changed: z.array(z.string()).optional(),
    ...trustShape(z),
  });
