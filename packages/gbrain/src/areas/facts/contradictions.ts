// Facts that cannot both hold, in pairs: found by what they claim of one attribute, never resolved. Pure.
import { clash } from './claims.ts';
import type { FactRecord } from './facts.sql.ts';

/** How much a contradiction matters. Source: facts/engine F.3. */
export const SEVERITIES = ['low', 'medium', 'high'] as const;
/** One of them. */
export type Severity = (typeof SEVERITIES)[number];

/** Two facts that cannot both hold, the newer one first. */
export interface Contradiction {
  newer: FactRecord;
  older: FactRecord;
  /** The attribute in words; `statement` where one denies what the other says. */
  attribute: string;
  severity: Severity;
}

/** Facts that were told further apart are more likely an update that nobody marked. Source: facts/engine F.3. */
const APART_DAYS = 30;
const DAY_MS = 86_400_000;

/** Pairs among facts that hold, in the order of the rows; two values are told once, by the newest facts of each. */
export function contradictionsOf(rows: readonly FactRecord[]): Contradiction[] {
  const found: Contradiction[] = [];
  for (const group of groupsOf(rows)) {
    const seen = new Set<string>();
    for (const [i, newer] of group.entries()) {
      for (const older of group.slice(i + 1)) {
        const pair = [newer.value, older.value].sort().join('\n');
        const isSame =
          newer.entity_slug === older.entity_slug || newer.entity_slug === null || older.entity_slug === null;
        if (!isSame || seen.has(pair) || !clash(newer.value ?? '', older.value ?? '')) continue;
        seen.add(pair);
        found.push({ newer, older, attribute: attributeOf(newer.dimension!), severity: severityOf(newer, older) });
      }
    }
  }
  return found;
}

function groupsOf(rows: readonly FactRecord[]): FactRecord[][] {
  const groups = new Map<string, FactRecord[]>();
  for (const row of rows) {
    const key = `${row.source_id}\n${row.dimension}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
}

/** The attribute without whom it is of: that may be the name of a page that the reader may not see. */
const attributeOf = (dimension: string): string =>
  dimension.startsWith('says:') ? 'statement' : dimension.replace(/[:@].*$/su, '');

function severityOf(newer: FactRecord, older: FactRecord): Severity {
  const days = Math.abs(newer.created_at.getTime() - older.created_at.getTime()) / DAY_MS;
  if (days > APART_DAYS) return 'low';
  return /\d/u.test(newer.value ?? '') || newer.kind === 'commitment' || older.kind === 'commitment'
    ? 'high'
    : 'medium';
}
