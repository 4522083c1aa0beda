// The chunks of a page, for search and excerpts. Hidden fence rows never enter them.
import { definePart } from '../../part.ts';
import { hiddenRanges } from '../pages/fences.ts';
import { bodyOfPage, scanBody } from './body.ts';
import { type Chunk, chunkBody, isConversation } from './chunk.ts';
import { replaceChunks } from './chunks.sql.ts';

export default definePart<Chunk[]>({
  name: 'chunks',
  summary: 'Prose and code of a page in pieces that search finds and shows.',
  requirement: 'facts/engine B',
  derive: ({ page }) => {
    const body = scanBody(bodyOfPage(page, hiddenRanges(page.view, 'world')));
    return chunkBody(body, { conversation: isConversation(page.type, page.slug) });
  },
  write: (key, chunks) => replaceChunks(key, chunks),
  reply: (chunks) => ({ chunks: chunks.length }),
});
