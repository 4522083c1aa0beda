// What a brain could do better for its user, from figures: which gaps there are, and which of them the result of one
// call shows. Pure. Source: AGENT_OPERATOR v1, Onboarding coaching on stdio.

/** Figures behind the advice, of a whole brain. */
export interface OnboardCounts {
  pages: number;
  links: number;
  /** People and companies, those that a link leads to, and those with a dated entry. */
  entities: number;
  entities_linked: number;
  entities_dated: number;
  /** Chunks, and those of them that wait for a vector; none wait in a brain that has no vectors. */
  chunks: number;
  chunks_waiting: number;
}

/** Gaps that there is advice for. */
export const GAPS = [
  'features_auto_fix',
  'onboard_link_coverage',
  'onboard_timeline_coverage',
  'onboard_stale_chunks',
] as const;

/** One of them; its name is the code of its notice. */
export type Gap = (typeof GAPS)[number];

/** Shares under which a gap is one. */
const LINKED_MIN = 0.7;
const DATED_MIN = 0.9;

const isUnder = (part: number, whole: number, least: number): boolean => whole > 0 && part / whole < least;

/** The gaps of a brain; an empty one has none. */
export function gapsOf(counts: OnboardCounts): Gap[] {
  const { pages, links, entities, entities_linked, entities_dated } = counts;
  if (pages === 0) return [];
  return [
    ...(links === 0 && pages > 1 ? (['features_auto_fix'] as const) : []),
    ...(isUnder(entities_linked, entities, LINKED_MIN) ? (['onboard_link_coverage'] as const) : []),
    ...(isUnder(entities_dated, entities, DATED_MIN) ? (['onboard_timeline_coverage'] as const) : []),
    ...(counts.chunks_waiting > 0 ? (['onboard_stale_chunks'] as const) : []),
  ];
}

type Json = Record<string, unknown>;

const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

const ENTITY_TYPES = new Set(['person', 'people', 'company', 'companies', 'organization']);
const isEntitySlug = (slug: unknown): boolean => /^(?:people|companies)\//.test(String(slug));

/** True when the call itself was about a person or company of which there is no dated entry. */
function isUndated(op: string, input: Json, output: unknown): boolean {
  if (op === 'get_timeline') return Array.isArray(output) && output.length === 0 && isEntitySlug(input.slug);
  if (op === 'entity') {
    const card = objectOf(objectOf(output).card);
    const { last_timeline_date } = objectOf(card.last_touched);
    return ENTITY_TYPES.has(String(objectOf(card.entity).type)) && (last_timeline_date ?? null) === null;
  }
  const { type, timeline, timeline_entries } = objectOf(output);
  const isEmpty = timeline === '' || (Array.isArray(timeline_entries) && timeline_entries.length === 0);
  return ENTITY_TYPES.has(String(type)) && isEmpty;
}

/** True when the card that was read has nobody pointing at it. */
const isUnlinkedCard = (output: unknown): boolean => {
  const card = objectOf(objectOf(output).card);
  return 'entity' in card && Number(card.backlink_count) === 0;
};

const GRAPH_READS = new Set(['get_backlinks', 'traverse_graph']);
const TIMELINE_READS = new Set(['get_timeline', 'entity', 'get_page']);

/** True when pages were compared by meaning in this call. */
function comparedByMeaning(op: string, output: unknown, meta: Json): boolean {
  if (op === 'search' || op === 'query') return objectOf(meta.retrieval).vector_enabled === true;
  const { results, search_degraded } = objectOf(output);
  return op === 'recall' && Array.isArray(results) && search_degraded === undefined;
}

/** Gaps that the result of this call shows, so that the advice comes where it matters and nowhere else. */
export function gapsShownBy(
  call: { op: string; input: Readonly<Record<string, unknown>>; output: unknown; meta?: Json },
  counts: OnboardCounts,
): Gap[] {
  const { op, input, output } = call;
  return gapsOf(counts).filter((gap) => {
    if (gap === 'features_auto_fix') return GRAPH_READS.has(op);
    // Where nothing is linked at all, that is the advice; the share of people would say the same again.
    if (gap === 'onboard_link_coverage') {
      return counts.links > 0 && (GRAPH_READS.has(op) || (op === 'entity' && isUnlinkedCard(output)));
    }
    if (gap === 'onboard_stale_chunks') return comparedByMeaning(op, output, call.meta ?? {});
    return TIMELINE_READS.has(op) && isUndated(op, input, output);
  });
}
