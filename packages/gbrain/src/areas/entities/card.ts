// The card of an entity: what it is, whom it knows, what is open, what is known, as far as the scope may see it.
import type { Context, ReadScope } from '../../context.ts';
import type { FactView } from '../facts/fact-view.ts';
import { factViews } from '../facts/fact-views.ts';
import { factsOfEntity } from '../facts/find-facts.ts';
import { marksOf, type TrustMarks, trustMarks } from '../pages/trust-marks.ts';
import { shownText } from '../secrets/shown-text.ts';
import { type EntityPage, type Namesakes, readCard } from './entities.sql.ts';

const EDGES = 10;
const THREADS = 3;
const RECENT_FACTS = 5;
const SUMMARY_CHARS = 280;
/** Days in which a dated entry counts as recent. */
const RECENT_DAYS = 30;

/** Something that is not over: a promise, or what happened lately. */
export interface OpenThread {
  kind: 'commitment' | 'recent_event';
  text: string;
  date: string;
  /** The day by which it was promised. */
  due?: string;
}

/** The call that lists all. */
interface Next {
  op: 'get_backlinks';
  args: { slug: string; link_type: string };
}

/** A card on the wire. Source: facts/contract G.6. */
export interface Card {
  entity: { slug: string; title: string; type: string };
  aka: string[];
  aka_sources: { name: string; source: 'frontmatter' | 'former_slug' }[];
  summary: string;
  last_touched: { updated_at: string; last_retrieved_at: null; last_timeline_date: string | null };
  open_threads: OpenThread[];
  edges: { type: string; direction: 'in' | 'out'; slug: string; context?: string }[];
  backlink_count: number;
  referenced_by_count: number;
  referenced_by: { canonical_type: string; total: number; rows: { slug: string }[]; next?: Next }[];
  relationship_note?: string;
  active_fact_count: number;
  recent_facts: (Pick<FactView, 'fact_id' | 'fact' | 'kind' | 'valid_from' | 'provenance' | 'premise_changed'> &
    TrustMarks)[];
  /** Pages that share a name with it; not on the wire as they are. */
  namesakes: Namesakes;
  /** Of the page and what the card shows of it; spread into the card on the wire. */
  marks: TrustMarks;
}

/** The first sentences of a page, without headings and marks of links. */
export function leadOf(text: string): string {
  const prose = text
    .split('\n')
    .filter((line) => !/^\s*(?:#|\||<!--|---)/.test(line))
    .join(' ')
    .replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  if (prose.length <= SUMMARY_CHARS) return prose;
  const cut = prose.slice(0, SUMMARY_CHARS);
  const end = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf('。'));
  return end > SUMMARY_CHARS / 3 ? cut.slice(0, end + 1) : `${cut.slice(0, cut.lastIndexOf(' ')).trimEnd()}…`;
}

const changedOf = ({ premise_changed }: Partial<FactView>) => premise_changed && { premise_changed };

/** The card of a page that the scope may see; undefined when it is gone by now. */
export async function cardOf(ctx: Context, scope: ReadScope, page: EntityPage): Promise<Card | undefined> {
  const { store } = ctx.brain;
  const now = ctx.now();
  const limits = { edges: EDGES, entries: THREADS };
  const [rows, { facts, active }] = await Promise.all([
    readCard(store, scope, page, limits),
    factsOfEntity(store, scope, page.slug, now),
  ]);
  if (!rows) return undefined;
  const commitments = facts
    .filter((fact) => fact.kind === 'commitment')
    .map((fact): OpenThread => {
      const date = (fact.valid_until ?? fact.valid_from).toISOString().slice(0, 10);
      const due = fact.valid_until && { due: date };
      return { kind: 'commitment', text: shownText(scope, fact.fact), date, ...due };
    });
  const since = new Date(now.getTime() - RECENT_DAYS * 86_400_000).toISOString().slice(0, 10);
  const recent = rows.entries
    .filter((entry) => entry.date >= since)
    .map((entry): OpenThread => ({ kind: 'recent_event', text: shownText(scope, entry.summary), date: entry.date }));
  return {
    entity: { slug: page.slug, title: page.title, type: page.type },
    aka: rows.page.aliases,
    aka_sources: [
      ...rows.page.aliases.map((name) => ({ name, source: 'frontmatter' as const })),
      ...rows.page.former.map((name) => ({ name, source: 'former_slug' as const })),
    ],
    summary: shownText(scope, leadOf(rows.page.lead ?? '')),
    last_touched: {
      updated_at: rows.page.updated_at.toISOString(),
      last_retrieved_at: null,
      last_timeline_date: rows.entries[0]?.date ?? null,
    },
    open_threads: [...commitments, ...recent].slice(0, THREADS),
    edges: rows.edges.map(({ type, direction, slug, context }) => ({
      type,
      direction,
      slug,
      ...(context !== '' && { context: shownText(scope, context).slice(0, 200) }),
    })),
    backlink_count: rows.backlinks,
    referenced_by_count: rows.backlinks,
    referenced_by: rows.references.map(({ type, total, slugs }) => ({
      canonical_type: type,
      total,
      rows: slugs.map((slug) => ({ slug })),
      ...(total > slugs.length && { next: { op: 'get_backlinks', args: { slug: page.slug, link_type: type } } }),
    })),
    ...(rows.hasMoreEdges && {
      relationship_note: `The first ${rows.edges.length} edges are shown; get_links and get_backlinks list them all.`,
    }),
    active_fact_count: active,
    recent_facts: (await factViews(ctx, facts.slice(0, RECENT_FACTS), scope)).map((view) => {
      const { fact_id, fact, kind, valid_from, provenance, ...rest } = view;
      return { fact_id, fact, kind, valid_from, provenance, ...marksOf(rest), ...changedOf(rest) };
    }),
    namesakes: rows.namesakes,
    marks: trustMarks(
      rows.page,
      [page.title, rows.page.lead ?? '', ...rows.edges.map((one) => one.context)].join('\n'),
    ),
  };
}
