// Statements of chunks: a page's are replaced as a set.
import type { PageKey } from '../../part.ts';
import { sql } from '../../store/sql.ts';
import type { Sql } from '../../store/store.ts';
import type { Chunk } from './chunk.ts';

/** A chunk with the name of the text that is embedded for it. */
export interface NamedChunk extends Chunk {
  readonly embedHash: string;
}

const rowOf = (pageId: number, chunk: NamedChunk) => ({
  page_id: pageId,
  chunk_index: chunk.index,
  source: chunk.source,
  text: chunk.text,
  start_offset: chunk.startOffset,
  end_offset: chunk.endOffset,
  overlap_chars: chunk.overlapChars,
  heading_path: chunk.headingPath,
  language: chunk.language ?? null,
  speaker: chunk.speaker ?? null,
  speaker_role: chunk.speakerRole ?? null,
  embed_hash: chunk.embedHash,
});

/** Replaces the chunks of pages. */
export function replaceChunks(pages: readonly { page: PageKey; rows: readonly NamedChunk[] }[]): Sql[] {
  const old = pages.flatMap(({ page }) => (page.isNew ? [] : [page.id]));
  const rows = pages.flatMap(({ page, rows: chunks }) => chunks.map((chunk) => rowOf(page.id, chunk)));
  return [
    ...(old.length > 0 ? [sql`delete from page_chunks where page_id = any (${old}::bigint[])`] : []),
    ...(rows.length > 0
      ? [
          sql`insert into page_chunks select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (
            page_id bigint, chunk_index integer, source text, text text, start_offset integer, end_offset integer,
            overlap_chars integer, heading_path text[], language text, speaker text, speaker_role text,
            embed_hash text)`,
        ]
      : []),
  ];
}
