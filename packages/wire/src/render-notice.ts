// Turns notices into what one connection reads: data, MCP text blocks, terminal lines, `[AGENT]` blocks. It drops none.
import type { Connection } from './action.ts';
import { type AgentBlock, buildAgentBlock, inlineValue, neutralizeMarkers } from './markers.ts';
import { type Decision, NOTICE_KINDS, type Notice, type RenderedNotice } from './notice.ts';
import { redactText, redactValue } from './redact.ts';
import { fixLine, renderAction, stepText } from './render-action.ts';
import { shellQuote } from './shell-quote.ts';
import { flattenLine } from './text.ts';

type Transport = Connection['transport'];

/** Where the text of a notice goes on the command line. */
export type NoticeStyle = 'terminal' | 'agent_block';

/** Notices in the order of their kinds; within a kind the given order stays. Source: AGENT_OPERATOR v1, Notices. */
export function orderNotices<N extends Pick<Notice, 'kind'>>(notices: readonly N[]): N[] {
  return [...notices].sort((a, b) => NOTICE_KINDS.indexOf(a.kind) - NOTICE_KINDS.indexOf(b.kind));
}

/** One notice as data, in the wire's key order with empty fields left out; redacted over HTTP. */
export function renderNotice(notice: Notice, connection: Connection): RenderedNotice {
  const redacts = connection.transport === 'http';
  const text = (value: string): string => (redacts ? redactText(value) : value);
  const decisions = redacts ? (redactValue(notice.decisions) as Decision[] | undefined) : notice.decisions;
  return {
    code: notice.code,
    kind: notice.kind,
    why: text(notice.why),
    ...(notice.fix && { fix: renderAction(notice.fix, connection) }),
    ...(notice.user_message && { user_message: text(notice.user_message) }),
    ...(decisions?.length && { decisions }),
    contract_version: 1,
  };
}

/** Notices as data, in the order of their kinds. */
export function renderNotices(notices: readonly Notice[], connection: Connection): RenderedNotice[] {
  return orderNotices(notices).map((notice) => renderNotice(notice, connection));
}

/**
 * The extra MCP content block of one notice: the fixed prefix line, then the fields that are set, a line each.
 * The step's command or call is never shortened. Source: AGENT_OPERATOR v1, Notices.
 */
export function noticeBlockText(notice: RenderedNotice, transport: Transport): string {
  const lines = [`[gbrain notice ${inlineValue(notice.code)} kind=${notice.kind}]`];
  lines.push(`why: ${inlineValue(notice.why)}`);
  const step = notice.fix === undefined ? undefined : stepText(notice.fix, transport);
  if (step !== undefined) lines.push(`fix: ${lineOf(step)}`);
  if (notice.fix !== undefined) lines.push(`next: ${notice.fix.next}`);
  const relay = relayText(notice);
  if (relay !== undefined) lines.push(`user_message: ${inlineValue(relay)}`);
  for (const { id, question, default: choice } of notice.decisions ?? []) {
    lines.push(`decision ${inlineValue(id)}: ${inlineValue(question)} (default: ${inlineValue(choice)})`);
  }
  return lines.join('\n');
}

/** One notice as lines for a terminal's stderr: `Note [<code>]: ...`, its step and its decisions indented. */
export function noticeTerminalLines(notice: RenderedNotice): string[] {
  const lines = [`Note [${inlineValue(notice.code)}]: ${inlineValue(notice.why)}`];
  const fix = notice.fix === undefined ? undefined : fixLine(notice.fix, 'cli');
  if (fix !== undefined) lines.push(`  ${lineOf(fix)}`);
  for (const decision of notice.decisions ?? []) {
    lines.push(`  ${inlineValue(decision.question)} (default: ${inlineValue(decision.default)})`);
    for (const { id, label, argv } of decision.options) {
      const run = argv === undefined ? '' : ` (run: ${lineOf(shellQuote(argv))})`;
      lines.push(`    - ${inlineValue(id)}: ${inlineValue(label)}${run}`);
    }
  }
  return lines;
}

/** One notice as an `[AGENT]` block, for output that no terminal reads. Source: AGENT_OPERATOR v1, Notices. */
export function noticeAgentBlock(notice: RenderedNotice): string {
  const { fix } = notice;
  const step = fix === undefined ? undefined : stepText(fix, 'cli');
  const relay = relayText(notice);
  const block: AgentBlock = {
    ...(notice.kind === 'ask' && relay !== undefined && { ask: relay }),
    why: `[${notice.code}] ${notice.why}`,
    ...(fix && fix.consent.length > 0 && { consent: fix.consent }),
    ...(fix && { actor: fix.actor, next: fix.next }),
    ...(step !== undefined && { if_yes: step }),
    ...(fix?.verify?.argv && { verify: shellQuote(fix.verify.argv) }),
    ...(notice.decisions && { decisions: notice.decisions }),
    ...(relay !== undefined && { showUser: relay }),
  };
  return buildAgentBlock(block);
}

/** The text to relay to the user: the notice's own, else its step's. */
function relayText(notice: RenderedNotice): string | undefined {
  return notice.user_message ?? notice.fix?.user_message;
}

function lineOf(text: string): string {
  return neutralizeMarkers(flattenLine(text));
}
