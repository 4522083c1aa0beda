// Statements of conversations that were taken in: the newest ones, and how many there are of each app.
import type { ReadScope } from '../../context.ts';
import { sql } from '../../store/sql.ts';
import type { Queryable } from '../../store/store.ts';
import { visible } from '../../store/visible.ts';

/** A conversation as a list shows it; only its first page counts. */
export interface ConversationRow {
  slug: string;
  source_id: string;
  title: string;
  app: string;
  started_at: string | null;
  updated_at: Date;
  /** The file that it was read from. */
  file: string | null;
  lead: string | null;
}

/** Conversations that changed since a time, newest first. */
export const readRecentConversations = (
  db: Queryable,
  scope: ReadScope,
  asked: { since: Date; limit: number },
): Promise<ConversationRow[]> =>
  db.query<ConversationRow>(sql`
    select p.slug, p.source_id, p.title, p.frontmatter ->> 'app' as app, p.frontmatter ->> 'started_at' as started_at,
      p.updated_at, p.frontmatter ->> 'transcript_file' as file,
      (select c.text from page_chunks c where c.page_id = p.id and c.source = 'compiled_truth'
        order by c.chunk_index limit 1) as lead
    from ${visible(scope)} p
    where p.type = 'conversation' and p.frontmatter ? 'transcript_hash' and p.updated_at >= ${asked.since}
    order by p.updated_at desc, p.slug limit ${asked.limit}`);

/** How many pages of conversations there are of each app, and when the newest was taken in. */
export const countConversations = (
  db: Queryable,
  scope: ReadScope,
): Promise<{ app: string; pages: number; files: number; newest: Date }[]> =>
  db.query(sql`
    select p.frontmatter ->> 'app' as app, count(*)::int as pages,
      count(distinct p.frontmatter ->> 'transcript_file')::int as files, max(p.updated_at) as newest
    from ${visible(scope)} p
    where p.type = 'conversation' and p.frontmatter ? 'transcript_hash'
    group by 1 order by 1`);

/** The page of a conversation as an extraction of its facts needs it. */
export interface ConversationPage {
  visibility: 'world' | 'private';
  is_deleted: boolean;
  /** An ingest has made it. */
  is_conversation: boolean;
}

/** The page under a slug, deleted or not; undefined where there is none. */
export async function readConversationPage(
  db: Queryable,
  sourceId: string,
  slug: string,
): Promise<ConversationPage | undefined> {
  const [row] = await db.query<ConversationPage>(sql`
    select p.visibility, p.deleted_at is not null as is_deleted, p.frontmatter ? 'transcript_hash' as is_conversation
    from pages p where p.source_id = ${sourceId} and p.slug = ${slug}`);
  return row;
}
