// Rows of write_requests: the receipt that a write leaves in its own transaction, and how its principal reads it.
import { join, raw, sql } from '../../store/sql.ts';
import type { Queryable, Sql } from '../../store/store.ts';

/** States that a stored receipt can have; a receipt is stored when it is over. */
export type TerminalState = 'committed' | 'conflict' | 'failed' | 'cancelled';

/** A refusal as it is kept, so that a replay is refused alike. */
export interface KeptError {
  code: string;
  data: Record<string, unknown>;
}

/** What a receipt keeps of its request. */
export interface ReceiptRequest {
  requestId: string;
  clientRequestId?: string;
  argumentsHash: string;
  principal: string;
  operation: string;
  sourceId: string;
  session?: { id: string; sequence: number };
  at: Date;
}

/** How a request ended. */
export interface ReceiptEnd {
  state: TerminalState;
  slug: string;
  pageId?: number;
  revision?: string;
  outcome?: Record<string, unknown>;
  error?: KeptError;
}

/** A stored receipt. */
export interface ReceiptRow {
  id: number;
  request_id: string;
  client_request_id: string | null;
  operation: string;
  arguments_hash: string;
  state: TerminalState;
  source_id: string | null;
  slug: string | null;
  page_id: number | null;
  revision: string | null;
  outcome: Record<string, unknown> | null;
  error: KeptError | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = raw(`id, request_id, client_request_id, operation, arguments_hash, state, source_id, slug, page_id,
    revision, outcome, error, created_at, updated_at`);

/** The receipt of one request of a principal. */
export const receiptById = (principal: string, requestId: string): Sql =>
  sql`select ${COLUMNS} from write_requests where principal = ${principal} and request_id = ${requestId}`;

/** Receipts of a principal, newest first, below the row `before`. */
export async function readReceipts(
  db: Queryable,
  by: { principal: string; sourceId?: string; before?: number; limit: number },
): Promise<ReceiptRow[]> {
  const where = [
    sql`principal = ${by.principal}`,
    ...(by.sourceId === undefined ? [] : [sql`source_id = ${by.sourceId}`]),
    ...(by.before === undefined ? [] : [sql`id < ${by.before}`]),
  ];
  return db.query<ReceiptRow>(
    sql`select ${COLUMNS} from write_requests where ${join(where, ' and ')} order by id desc limit ${by.limit}`,
  );
}

/** One receipt, or undefined. */
export async function readReceipt(
  db: Queryable,
  principal: string,
  requestId: string,
): Promise<ReceiptRow | undefined> {
  const [row] = await db.query<ReceiptRow>(receiptById(principal, requestId));
  return row;
}

/** Effects of a page that still wait or have failed, oldest first. */
export async function readEffects(
  db: Queryable,
  pageId: number,
): Promise<{ kind: string; attempts: number; last_error: unknown }[]> {
  return db.query(sql`select kind, attempts, last_error from outbox where page_id = ${pageId} order by id limit 20`);
}

/** A receipt in its terminal state; goes into the transaction of its write. */
export function insertReceipt(request: ReceiptRequest, end: ReceiptEnd): Sql {
  const json = (value: unknown) => (value === undefined ? raw('null') : sql`${JSON.stringify(value)}::jsonb`);
  return sql`insert into write_requests (request_id, principal, client_request_id, operation, arguments_hash, state,
      source_id, slug, page_id, revision, outcome, error, writer_session, writer_sequence, created_at, updated_at)
    values (${request.requestId}, ${request.principal}, ${request.clientRequestId ?? null}, ${request.operation},
      ${request.argumentsHash}, ${end.state}, ${request.sourceId}, ${end.slug}, ${end.pageId ?? null},
      ${end.revision ?? null}, ${json(end.outcome)}, ${json(end.error)}, ${request.session?.id ?? null},
      ${request.session?.sequence ?? null}, ${request.at}, ${request.at})`;
}

/** Receipts of forgetting these facts lose the reason that was given: it may say what the fact said. */
export const blankReasons = (factIds: readonly string[]): Sql => sql`
  update write_requests set outcome = jsonb_set(outcome, '{reason}', 'null')
  where operation = 'forget' and state = 'committed' and outcome ->> 'id' = any (${[...factIds]}::text[])`;
