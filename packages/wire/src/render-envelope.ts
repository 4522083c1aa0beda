// Turns a failure into the one envelope that every transport sends; it picks no code and writes no byte.
import type { Action, Connection, RenderedAction } from './action.ts';
import { errorValue } from './codes.ts';
import type { ErrorEnvelope, Failure } from './envelope.ts';
import { inlineValue, neutralizeMarkers } from './markers.ts';
import { redactText, redactValue } from './redact.ts';
import { fixLine, renderAction, renderDocs, stepText } from './render-action.ts';
import { renderNotices } from './render-notice.ts';
import { shellQuote } from './shell-quote.ts';
import { flattenLine } from './text.ts';

/**
 * The envelope of a failure for one connection, in the wire's key order with empty fields left out. Over HTTP host
 * details are redacted first, so that the step and the prose that names it stay equal.
 * Source: AGENT_OPERATOR v1, The error envelope.
 */
export function renderEnvelope(failure: Failure, connection: Connection): ErrorEnvelope {
  const shown = connection.transport === 'http' ? redactFailure(failure) : failure;
  const fix = shown.fix === undefined ? undefined : renderAction(shown.fix, connection);
  const docs = renderDocs(shown.docs, connection.docsBase);
  const notices = renderNotices(shown.notices, connection);
  return {
    error: errorValue(shown, connection.transport),
    code: shown.code,
    message: shown.message,
    suggestion: suggestionWithStep(shown.suggestion, shown.fix, fix, connection.transport),
    ...(docs && { docs }),
    ...(shown.detail && { detail: shown.detail }),
    ...(shown.protocolVersion && { protocol_version: shown.protocolVersion }),
    ...(shown.writeRequest !== undefined && { write_request: shown.writeRequest }),
    ...(shown.writeError !== undefined && { write_error: shown.writeError }),
    ...(shown.reason && { reason: shown.reason }),
    ...(shown.why && { why: shown.why }),
    ...(fix && { fix }),
    docs_cmd: docsCommand(shown.code),
    class: shown.class,
    retryable: shown.retryable,
    ...(notices.length > 0 && { notices }),
    contract_version: 1,
  };
}

/** The offline row of a code. */
export function docsCommand(code: string): string[] {
  return ['gbrain', 'errors', code];
}

/**
 * Prose with the step's rendered form: an unpinned copy of the command becomes the pinned one, prose that already
 * names the step stays as it is, else `Next: <step>` is appended. Without a step the prose stays.
 */
export function suggestionWithStep(
  prose: string,
  stored: Action | undefined,
  fix: RenderedAction | undefined,
  transport: Connection['transport'],
): string {
  const step = fix === undefined ? undefined : stepText(fix, transport);
  const text = prose.trim();
  if (fix === undefined || step === undefined) return text;
  const pinned = replaceUnpinned(text, stored?.argv, fix.command);
  if (namesStep(pinned, step)) return pinned;
  if (pinned === '') return `Next: ${step}`;
  return `${pinned}${/[.!?:…]["')`]*$/.test(pinned) ? '' : '.'} Next: ${step}`;
}

/** The human lines of an error for stderr: what happened, the step, why, and where it is written up. */
export function errorLines(envelope: ErrorEnvelope): string[] {
  const lines = [`Error [${envelope.code}]: ${inlineValue(envelope.message)}`];
  const fix = envelope.fix === undefined ? undefined : fixLine(envelope.fix, 'cli');
  if (fix !== undefined) lines.push(neutralizeMarkers(flattenLine(fix)));
  else if (envelope.suggestion !== '') lines.push(`Fix: ${inlineValue(envelope.suggestion)}`);
  if (envelope.why !== undefined) lines.push(`Why: ${inlineValue(envelope.why)}`);
  lines.push(`Docs: ${envelope.docs ?? shellQuote(envelope.docs_cmd)}`);
  return lines;
}

function redactFailure(failure: Failure): Failure {
  return {
    ...failure,
    message: redactText(failure.message),
    suggestion: redactText(failure.suggestion),
    ...(failure.why && { why: redactText(failure.why) }),
    ...(failure.detail && { detail: redactText(failure.detail) }),
    ...(failure.writeRequest !== undefined && { writeRequest: redactValue(failure.writeRequest) }),
    ...(failure.writeError !== undefined && { writeError: redactValue(failure.writeError) }),
  };
}

function replaceUnpinned(prose: string, argv: readonly string[] | undefined, command: string | undefined): string {
  if (argv === undefined || argv.length === 0 || command === undefined) return prose;
  // The pinned form goes on with another flag, so its beginning is never taken for the unpinned one.
  return prose.replace(wholeStep(shellQuote(argv)), () => command);
}

function namesStep(prose: string, step: string): boolean {
  return wholeStep(step).test(prose);
}

// A step is named only as a whole: `gbrain list` does not stand in `gbrain list --sort title`.
function wholeStep(step: string): RegExp {
  const literal = step.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![\\w-])${literal}(?![\\w-]|[/=:.]\\w| --?\\w)`);
}
