// Picks how a failure is shown: as its one document, or as the text of a command; what it says others decide.
import type { Connection } from './action.ts';
import type { ErrorEnvelope, Failure } from './envelope.ts';
import {
  type ConsentPayload,
  consentAgentBlock,
  consentErrorLine,
  consentTerminalLines,
  renderConsent,
} from './render-consent.ts';
import { errorLines, renderEnvelope } from './render-envelope.ts';
import { type NoticeStyle, noticeAgentBlock, noticeTerminalLines } from './render-notice.ts';

/** The one document of a failure. */
export type ErrorDocument = ErrorEnvelope | ConsentPayload;

/** The document of a failure: the confirmation payload when the user must agree first, else the envelope. */
export function renderFailure(failure: Failure, connection: Connection): ErrorDocument {
  if (failure.consent !== undefined) return renderConsent(failure.consent, connection, failure.notices);
  return renderEnvelope(failure, connection);
}

/** True for a confirmation payload. */
export function isConsentPayload(document: ErrorDocument): document is ConsentPayload {
  return document.code === 'confirmation_required' && 'effects' in document;
}

/** What a command writes, a line an item. */
export interface HumanText {
  stdout: string[];
  stderr: string[];
}

/**
 * A failure as a command without `--json` shows it. Without a terminal the question to the user is an `[AGENT]` block
 * on stdout and one line on stderr; everything else is lines on stderr. Source: contract facts D.6 and F.
 */
export function humanFailure(failure: Failure, connection: Connection, style: NoticeStyle): HumanText {
  const document = renderFailure(failure, connection);
  const notices = (document.notices ?? []).flatMap((notice) =>
    style === 'terminal' ? noticeTerminalLines(notice) : [noticeAgentBlock(notice)],
  );
  if (!isConsentPayload(document)) return { stdout: [], stderr: [...errorLines(document), ...notices] };
  if (style === 'terminal') return { stdout: [], stderr: [...consentTerminalLines(document), ...notices] };
  return {
    stdout: [consentAgentBlock(document, connection.transport)],
    stderr: [consentErrorLine(document), ...notices],
  };
}
