// Written by npm run generate from areas/*/*.part.ts; do not edit.
import type { DerivedPart } from '../part.ts';
import type { Registered } from '../registry.ts';
import chunksChunks from '../areas/chunks/chunks.part.ts';
import contentContentFile from '../areas/content/content-file.part.ts';
import factsFacts from '../areas/facts/facts.part.ts';
import graphLinks from '../areas/graph/links.part.ts';
import timelineTimeline from '../areas/timeline/timeline.part.ts';

export const parts: readonly Registered<DerivedPart>[] = [
  { area: 'chunks', file: 'chunks.part.ts', value: chunksChunks },
  { area: 'content', file: 'content-file.part.ts', value: contentContentFile },
  { area: 'facts', file: 'facts.part.ts', value: factsFacts },
  { area: 'graph', file: 'links.part.ts', value: graphLinks },
  { area: 'timeline', file: 'timeline.part.ts', value: timelineTimeline },
];
