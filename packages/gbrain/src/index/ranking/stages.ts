// The pipeline: every stage in its order. `search diagnose` and `--explain` print this list.
import { absence } from './absence.ts';
import { dates, order } from './dates.ts';
import { fusion } from './fusion.ts';
import { identity, mentions } from './identity.ts';
import { lexical, select } from './lexical.ts';
import { meaning } from './meaning.ts';
import { passage } from './passage.ts';
import { relation } from './relation.ts';
import type { Stage } from './state.ts';
import { turns } from './turns.ts';
import { typos } from './typos.ts';
import { verdict } from './verdict.ts';

/** The stages of a search. */
export const STAGES: readonly Stage[] = [
  lexical,
  typos,
  dates,
  meaning,
  select,
  passage,
  mentions,
  fusion,
  identity,
  relation,
  order,
  turns,
  absence,
  verdict,
];
