// An outcome as a person or an agent at a shell reads it: data for stdout, talk for stderr. Pure.
import type { Connection } from '@gbrain/wire/action';
import type { Notice } from '@gbrain/wire/notice';
import { consentAgentBlock } from '@gbrain/wire/render-consent';
import { errorLines, renderEnvelope } from '@gbrain/wire/render-envelope';
import { noticeAgentBlock, noticeTerminalLines, renderNotices } from '@gbrain/wire/render-notice';
import type { HumanView, Operation } from '../operation.ts';
import type { FailedOutcome, OkOutcome } from '../outcome.ts';

/** What goes where; both texts end with a line break when they are not empty. */
export interface Printed {
  stdout: string;
  stderr: string;
}

export interface PrintOptions {
  connection: Connection;
  view: HumanView;
  /** Notices go as lines to a terminal, as `[AGENT]` blocks elsewhere. */
  stderrIsTerminal: boolean;
}

const withEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** Notices as text for stderr. */
export function noticesText(notices: readonly Notice[], { connection, stderrIsTerminal }: PrintOptions): string {
  return renderNotices(notices, connection)
    .map((notice) => (stderrIsTerminal ? noticeTerminalLines(notice).join('\n') : noticeAgentBlock(notice)))
    .map(withEnd)
    .join('');
}

/** A success: what the operation prints, and its notices (on stdout too where the command's output is talk). */
export function printOk(outcome: OkOutcome, operation: Operation, options: PrintOptions): Printed {
  const body = withEnd(operation.cli.human(outcome.output, options.view));
  const notices = noticesText(outcome.notices, options);
  if (operation.cli.isTalk && !options.stderrIsTerminal) return { stdout: body + notices, stderr: '' };
  return { stdout: body, stderr: notices };
}

/** A failure: the consent block on stdout with one line on stderr, else the error's lines on stderr. */
export function printFailed(outcome: FailedOutcome, options: PrintOptions): Printed {
  const { failure } = outcome;
  const envelope = renderEnvelope(failure, options.connection);
  if (!failure.consent) {
    return { stdout: '', stderr: withEnd(errorLines(envelope).join('\n')) + noticesText(failure.notices, options) };
  }
  return {
    stdout: withEnd(consentAgentBlock(failure, options.connection)),
    stderr: `Error [${failure.code}]: ${envelope.message}\n`,
  };
}
