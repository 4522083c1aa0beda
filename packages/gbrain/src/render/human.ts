// An outcome as a person or an agent at a shell reads it: data for stdout, talk for stderr. Pure.
import type { Connection } from '@gbrain/wire/action';
import type { Notice, RenderedNotice } from '@gbrain/wire/notice';
import { humanFailure } from '@gbrain/wire/render-failure';
import { noticeAgentBlock, noticeTerminalLines, renderNotices } from '@gbrain/wire/render-notice';
import type { HumanView, Operation } from '../operation.ts';
import type { FailedOutcome, OkOutcome } from '../outcome.ts';
import { wrapWords } from './text-width.ts';

/** What goes where; texts end with a line break when they are not empty, but for a text of the user’s own. */
export interface Printed {
  stdout: string;
  stderr: string;
}

/** Who reads the output, and where. */
export interface PrintOptions {
  connection: Connection;
  view: HumanView;
  /** The call as it was typed. */
  input: Readonly<Record<string, unknown>>;
  /** Notices go as lines to a terminal, as `[AGENT]` blocks elsewhere. */
  stderrIsTerminal: boolean;
}

const withEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** Lines of a notice on a terminal. What it says is broken at words; a command is left whole, to be copied. */
function terminalLines(notice: RenderedNotice, view: HumanView): string[] {
  const lines = noticeTerminalLines(notice);
  if (!Number.isFinite(view.columns)) return lines;
  return lines.flatMap((line) => {
    if (!line.startsWith('Note [')) return [line];
    const [first = '', ...rest] = wrapWords(line, view.columns - 2);
    return [first, ...rest.map((one) => `  ${one}`)];
  });
}

/** Notices as text for stderr. */
export function noticesText(notices: readonly Notice[], { connection, stderrIsTerminal, view }: PrintOptions): string {
  return renderNotices(notices, connection)
    .map((notice) =>
      stderrIsTerminal ? terminalLines(notice, view).map(view.dim).join('\n') : noticeAgentBlock(notice),
    )
    .map(withEnd)
    .join('');
}

/** A line of a failure as a person sees it: what went wrong stands out, where to read more stands back. */
function coloured(line: string, view: HumanView): string {
  const [, head, rest] = /^(Error \[\w+\]:|Fix:)(.*)$/s.exec(line) ?? [];
  if (head === undefined || rest === undefined) return line.startsWith('Docs:') ? view.dim(line) : line;
  return head === 'Fix:' ? `${view.bold(head)}${view.cyan(rest)}` : `${view.bold(view.red(head))}${rest}`;
}

/** A success: what the operation prints, and its notices (on stdout too where the command's output is talk). */
export function printOk(outcome: OkOutcome, operation: Operation, options: PrintOptions): Printed {
  const text = operation.cli.human(outcome.output, options.view, options.input, outcome.meta);
  const isOwnText = operation.cli.isVerbatim && !Number.isFinite(options.view.columns);
  const body = isOwnText ? text : withEnd(text);
  const notices = noticesText(outcome.notices, options);
  if (operation.cli.isTalk && !options.stderrIsTerminal) return { stdout: body + notices, stderr: '' };
  return { stdout: body, stderr: notices };
}

/** A failure: its lines on stderr; without a terminal a question to the user is an `[AGENT]` block on stdout. */
export function printFailed({ failure }: FailedOutcome, options: PrintOptions): Printed {
  const style = options.stderrIsTerminal ? 'terminal' : 'agent_block';
  const { stdout, stderr } = humanFailure(failure, options.connection, style);
  const told = options.stderrIsTerminal ? stderr.map((line) => coloured(line, options.view)) : stderr;
  return { stdout: withEnd(stdout.join('\n')), stderr: withEnd(told.join('\n')) };
}
