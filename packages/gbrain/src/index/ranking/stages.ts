// The pipeline: every stage in its order. `search diagnose` and `--explain` print this list.
import { lexical } from './lexical.ts';
import { passage } from './passage.ts';
import type { Stage } from './state.ts';

/** The stages of a search. */
export const STAGES: readonly Stage[] = [lexical, passage];
