// The facts that a page's fence states, and the fence with one of them struck out. Pure; it knows no statement.
import { joinCells, toFactRow } from '../pages/fence-rows.ts';
import { type Fence, type FenceLine, parseFences } from '../pages/fences.ts';
import { claimOf } from './claims.ts';
import { FACT_KINDS, factTerms, fingerprintOf } from './fact.ts';
import { parseMoment } from './moments.ts';
import { gistOf, type Named } from './statement.ts';

/** A fact of a fence as its row is stored. */
export interface PageFact {
  row_num: number;
  fact: string;
  fingerprint: string;
  terms: string[];
  kind: string;
  visibility: 'world' | 'private';
  notability: string;
  context: string | null;
  valid_from: string | null;
  valid_until: string | null;
  source: string;
  confidence: number;
  claim_metric: string | null;
  claim_value: string | null;
  claim_unit: string | null;
  claim_period: string | null;
  gist: string | null;
  dimension: string | null;
  value: string | null;
  attributed_to: string | null;
  is_over: boolean;
  superseded_by_row: number | null;
  reason: string | null;
}

const NOTABILITIES: readonly string[] = ['high', 'medium', 'low'];

/** Rows of the facts fence of a page called `own`, the first of each number. One whose fences are faulty has none. */
export function factsOfText(text: string, own: Named): PageFact[] {
  const found = new Map<number, PageFact>();
  for (const line of factsFence(text)?.lines ?? []) {
    const fact = toPageFact(line, own);
    if (fact && !found.has(fact.row_num)) found.set(fact.row_num, fact);
  }
  return [...found.values()];
}

function factsFence(text: string): Fence | undefined {
  const parsed = parseFences(text);
  return parsed.ok ? parsed.fences.find((fence) => fence.kind === 'facts') : undefined;
}

function toPageFact({ row, shown }: FenceLine, own: Named): PageFact | undefined {
  const fact = row && toFactRow(row);
  if (!fact) return undefined;
  const { statement, claim } = claimOf(fact.claim, { self: own.title, named: [own] });
  const told = fact.metric === null ? claim?.number : undefined;
  return {
    row_num: fact.num,
    fact: fact.claim,
    fingerprint: fingerprintOf(fact.claim),
    terms: factTerms(fact.claim),
    kind: (FACT_KINDS as readonly string[]).includes(fact.kind) ? fact.kind : 'fact',
    visibility: shown ? 'world' : 'private',
    notability: NOTABILITIES.includes(fact.notability) ? fact.notability : 'medium',
    context: fact.context || null,
    valid_from: momentOf(fact.validFrom),
    valid_until: momentOf(fact.validUntil),
    source: fact.source || 'page',
    confidence: fact.confidence ?? 1,
    claim_metric: fact.metric ?? told?.metric ?? null,
    claim_value: fact.value ?? told?.value ?? null,
    claim_unit: fact.unit ?? told?.unit ?? null,
    claim_period: fact.period ?? told?.period ?? null,
    gist: gistOf(statement) || null,
    dimension: claim?.dimension ?? null,
    value: claim?.value ?? null,
    attributed_to: fact.speaker,
    is_over: !fact.active,
    superseded_by_row: fact.supersededBy,
    reason: fact.forgotten,
  };
}

const momentOf = (text: string | null): string | null =>
  text === null ? null : (parseMoment(text)?.toISOString() ?? null);

/** The text with one row of its facts fence struck out; undefined when no such row stands. */
export function strikeFact(text: string, rowNum: number, reason: string | undefined): string | undefined {
  const fence = factsFence(text);
  const line = fence?.lines.find(({ row }) => row?.num === rowNum && !row.struck);
  if (!fence || !line?.row) return undefined;
  const { cells } = line.row;
  const forgotten = reason === undefined ? 'forgotten: on request' : `forgotten: ${reason}`;
  const struck = fence.columns.map((column) => {
    if (column === 'claim') return `~~${cells.claim}~~`;
    return column === 'context' ? [cells.context, forgotten].filter(Boolean).join('; ') : (cells[column] ?? '');
  });
  const whole = text.slice(line.start, line.end);
  const end = /(?:\r\n|\n|\r)?$/.exec(whole)![0];
  return text.slice(0, line.start) + joinCells(struck) + end + text.slice(line.end);
}
