// An outcome as an MCP tool result: the body alone in the first block, each notice in a block of its own. Pure.
import type { Connection } from '@gbrain/wire/action';
import type { Failure } from '@gbrain/wire/envelope';
import { renderFailure } from '@gbrain/wire/render-failure';
import { noticeBlockText, renderNotices } from '@gbrain/wire/render-notice';
import type { Outcome } from '../outcome.ts';

/** A tool result as the SDK sends it. */
export interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

const textBlock = (text: string) => ({ type: 'text' as const, text });

/** An error: exactly one block, its notices inside the envelope. */
export function errorResult(failure: Failure, connection: Connection): ToolResult {
  return { content: [textBlock(JSON.stringify(renderFailure(failure, connection), null, 2))], isError: true };
}

/** A success or an error. Bodies are compact JSON; the notices of a success also ride `_meta.gbrain_notices`. */
export function toolResult(outcome: Outcome, connection: Connection): ToolResult {
  if (outcome.kind === 'failed') return errorResult(outcome.failure, connection);
  const notices = renderNotices(outcome.notices, connection);
  const meta = { ...outcome.meta, ...(notices.length > 0 && { gbrain_notices: notices }) };
  return {
    content: [
      textBlock(JSON.stringify(outcome.output ?? null)),
      ...(outcome.lines ?? []).map(textBlock),
      ...notices.map((notice) => textBlock(noticeBlockText(notice, connection.transport))),
    ],
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}
