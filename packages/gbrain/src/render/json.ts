// An outcome as the one JSON document of `--json`. Pure: outcome in, text out.
import type { Connection } from '@gbrain/wire/action';
import { renderFailure } from '@gbrain/wire/render-failure';
import { renderNotices } from '@gbrain/wire/render-notice';
import type { OkOutcome, Outcome } from '../outcome.ts';

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Document of a success: its output, with the notices as a key when it is an object. */
export function okDocument({ output, notices }: OkOutcome, connection: Connection): unknown {
  if (!isPlainObject(output) || notices.length === 0) return output;
  const { contract_version, ...rest } = output;
  const rendered = renderNotices(notices, connection);
  return { ...rest, notices: rendered, ...(contract_version !== undefined && { contract_version }) };
}

/** The document as text with its line end. */
export function jsonText(outcome: Outcome, connection: Connection): string {
  const document = outcome.kind === 'ok' ? okDocument(outcome, connection) : renderFailure(outcome.failure, connection);
  return `${JSON.stringify(document ?? null, null, 2)}\n`;
}
