// The chunks of a page, for search and excerpts. Hidden fence rows never enter them.
import { definePart } from '../../part.ts';
import { embedHash } from '../vectors/embed-input.ts';
import { chunkBody, isConversation } from './chunk.ts';
import { type NamedChunk, replaceChunks } from './chunks.sql.ts';
import { scanPage } from './page-body.ts';

export default definePart<NamedChunk[]>({
  name: 'chunks',
  summary: 'Prose and code of a page in pieces that search finds and shows.',
  requirement: 'facts/engine B',
  derive: ({ page }) => {
    const body = scanPage(page);
    const chunks = chunkBody(body, { conversation: isConversation(page.type, page.slug) });
    return chunks.map((chunk) => ({ ...chunk, embedHash: embedHash({ title: page.title, ...chunk }) }));
  },
  write: (page, rows) => replaceChunks([{ page, rows }]),
  writeMany: replaceChunks,
  reply: (chunks) => ({ chunks: chunks.length }),
});
