// The score of a brain: how well its pages hang together, from figures, with the reason for each point lost. Pure.

import { counted } from '../../row-text.ts';
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

/** A share from 0 to 1 with two digits; 1 where there is nothing to cover. */
export const coverage = (have: number, whole: number): number => Math.round(share(have, whole) * 100) / 100;

/** Scores a brain from 0 to 100. What there is none of costs nothing, so an empty brain scores 100. */
export function scoreBrain(figures: Connectedness): BrainScore {
  const { pages, isolated, edges, open, entities, entitiesDated } = figures;
  const linked = pages - isolated;
  const parts: ScorePart[] = [
    {
      name: 'links',
      points: Math.round(50 * share(linked, pages)),
      of: 50,
      why: `${linked} of ${counted(pages, 'page')} linked with another`,
    },
    {
      name: 'references',
      points: Math.round(25 * share(edges, edges + open)),
      of: 25,
      why: `${counted(open, 'reference')} to no page yet`,
    },
    {
      name: 'timelines',
      points: Math.round(25 * share(entitiesDated, entities)),
      of: 25,
      why: `${entitiesDated} of ${counted(entities, 'person or company', 'people and companies')} with dates`,
    },
  ];
  return { score: parts.reduce((sum, { points }) => sum + points, 0), parts };
}
