// Statements of chunks: a page's are replaced as a set.
import type { PageKey } from '../../part.ts';
import { sql } from '../../store/sql.ts';
import type { Sql } from '../../store/store.ts';
import type { Chunk } from './chunk.ts';

const rowOf = (chunk: Chunk) => ({
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
});

/** Replaces the chunks of a page. */
export function replaceChunks(key: PageKey, chunks: readonly Chunk[]): Sql[] {
  const statements = key.isNew ? [] : [sql`delete from page_chunks where page_id = ${key.id}`];
  if (chunks.length === 0) return statements;
  const rows = JSON.stringify(chunks.map(rowOf));
  return [
    ...statements,
    sql`insert into page_chunks select ${key.id}, r.* from jsonb_to_recordset(${rows}::text::jsonb) as r (
      chunk_index integer, source text, text text, start_offset integer, end_offset integer, overlap_chars integer,
      heading_path text[], language text, speaker text, speaker_role text)`,
  ];
}
