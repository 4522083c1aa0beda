// The chunks of a page, for search and excerpts. Hidden fence rows never enter them.
import { definePart } from '../../part.ts';
import { type Chunk, chunkBody, isConversation } from './chunk.ts';
import { replaceChunks } from './chunks.sql.ts';
import { scanPage } from './page-body.ts';

export default definePart<Chunk[]>({
  name: 'chunks',
  summary: 'Prose and code of a page in pieces that search finds and shows.',
  requirement: 'facts/engine B',
  derive: ({ page }) => {
    const body = scanPage(page);
    return chunkBody(body, { conversation: isConversation(page.type, page.slug) });
  },
  write: (page, rows) => replaceChunks([{ page, rows }]),
  writeMany: replaceChunks,
  reply: (chunks) => ({ chunks: chunks.length }),
});
