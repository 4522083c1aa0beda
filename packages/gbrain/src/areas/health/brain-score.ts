// The score of a brain: how well its pages hang together, from figures, with the reason for each point lost. Pure.
import type { Connectedness } from './health.sql.ts';

/** One part of the score. */
export interface ScorePart {
  name: 'links' | 'references' | 'timelines';
  points: number;
  of: number;
  why: string;
}

/** The score with its parts. */
export interface BrainScore {
  score: number;
  parts: ScorePart[];
}

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

function part(name: ScorePart['name'], of: number, have: number, whole: number, why: string): ScorePart {
  return { name, points: Math.round(of * share(have, whole)), of, why };
}

/** A share from 0 to 1 with two digits; 1 where there is nothing to cover. */
export const coverage = (have: number, whole: number): number => Math.round(share(have, whole) * 100) / 100;

/** Scores a brain from 0 to 100. What there is none of costs nothing, so an empty brain scores 100. */
export function scoreBrain(figures: Connectedness): BrainScore {
  const { pages, isolated, edges, open, entities, entitiesDated } = figures;
  const parts = [
    part('links', 50, pages - isolated, pages, `${pages - isolated} of ${pages} pages are linked with another`),
    part('references', 25, edges, edges + open, `${open} references lead to no page yet`),
    part('timelines', 25, entitiesDated, entities, `${entitiesDated} of ${entities} people and companies have dates`),
  ];
  return { score: parts.reduce((sum, { points }) => sum + points, 0), parts };
}
