// Every shape of the protocol in one list; the generator, the examples' test and the schemas walk it.
import { LIVE_SHAPES, PART_SHAPES, SESSION_SHAPES, TOOL_SIDE_SHAPES } from './api.ts';
import type { ShapeEntry } from './entry.ts';
import { HARNESS_SHAPES } from './harness.ts';
import { RECORD_SHAPES } from './records.ts';

/** Every shape, each name once. */
export const ALL_SHAPES: readonly ShapeEntry[] = [
  ...SESSION_SHAPES,
  ...PART_SHAPES,
  ...TOOL_SIDE_SHAPES,
  ...LIVE_SHAPES,
  ...RECORD_SHAPES,
  ...HARNESS_SHAPES,
];
