// Turns what the user must agree to into the confirmation payload and its human forms; it asks nobody and runs nothing.
import type { Action, Actor, Connection, Effect, RenderedAction } from './action.ts';
import type { ConsentRequest } from './envelope.ts';
import { buildAgentBlock, inlineValue } from './markers.ts';
import type { Notice, RenderedNotice } from './notice.ts';
import { isGbrain } from './pins.ts';
import { redactText } from './redact.ts';
import { renderAction, stepText } from './render-action.ts';
import { docsCommand } from './render-envelope.ts';
import { renderNotices } from './render-notice.ts';
import { shellQuote } from './shell-quote.ts';

const CODE = 'confirmation_required';

/** The payload of a command that stopped to ask. Key order is the order of this interface. */
export interface ConsentPayload {
  status: typeof CODE;
  error: typeof CODE;
  code: typeof CODE;
  message: string;
  suggestion: string;
  effects: Effect[];
  actor: Actor;
  why: string;
  risk: string;
  /** US dollars, null when unknown. */
  est_usd: number | null;
  user_message: string;
  fix: RenderedAction;
  /** A read-only look at the same plan. */
  preview: { argv: string[]; command: string } | null;
  plan_hash?: string;
  /** The command with which the user stops such questions; never for destructive work. */
  preapprove_argv?: string[];
  docs_cmd: string[];
  notices?: RenderedNotice[];
  contract_version: 1;
}

/** The command with which a user stops questions about paid work under a limit. */
export const PREAPPROVE_PAID_ARGV: readonly string[] = [
  'gbrain',
  'config',
  'set',
  'consent.preapprove.paid.max_usd_per_run',
  '<usd>',
];

/** The payload of a request for one connection. Source: AGENT_OPERATOR v1, Consent and preapproval. */
export function renderConsent(
  request: ConsentRequest,
  connection: Connection,
  notices: readonly Notice[] = [],
): ConsentPayload {
  const shown = connection.transport === 'http' ? redactRequest(request) : request;
  const fix = renderAction(approvedAction(shown), connection);
  const previewArgv = fix.preview_argv;
  const isPreapprovable = shown.effects.includes('paid') && !shown.effects.includes('destructive');
  const rendered = renderNotices(notices, connection);
  return {
    status: CODE,
    error: CODE,
    code: CODE,
    message: `${shown.what} needs the user's approval before it runs; nothing was changed.`,
    suggestion: suggestionOf(shown.user_message, fix, connection.transport),
    effects: [...shown.effects],
    actor: fix.actor,
    why: shown.why,
    risk: shown.risk,
    est_usd: shown.est_usd,
    user_message: shown.user_message,
    fix,
    preview: previewArgv === undefined ? null : { argv: previewArgv, command: shellQuote(previewArgv) },
    ...(fix.plan_hash && { plan_hash: fix.plan_hash }),
    ...(isPreapprovable && { preapprove_argv: [...PREAPPROVE_PAID_ARGV] }),
    docs_cmd: docsCommand(CODE),
    ...(rendered.length > 0 && { notices: rendered }),
    contract_version: 1,
  };
}

/** The step that runs once the user agrees: the approved command with its authorization and its plan. */
export function approvedAction(request: ConsentRequest): Action {
  const { approve, effects } = request;
  const planHash = request.plan_hash ?? approve.plan_hash;
  const preview = request.preview_argv ?? approve.preview_argv;
  const expects = effects.includes('destructive') ? planHash : undefined;
  return {
    ...approve,
    ...(approve.argv && { argv: authorize(approve.argv, expects) }),
    consent: [...effects],
    actor: request.actor,
    why: request.why,
    user_message: request.user_message,
    est_usd: request.est_usd,
    ...(planHash !== undefined && { plan_hash: planHash }),
    ...(preview !== undefined && { preview_argv: preview }),
  };
}

/** The `[AGENT]` block of a payload, for output that no terminal reads. */
export function consentAgentBlock(payload: ConsentPayload, transport: Connection['transport']): string {
  const { preapprove_argv: preapprove, preview } = payload;
  const step = stepText(payload.fix, transport);
  const always = preapprove && `To stop asking for runs under a limit the user picks: ${shellQuote(preapprove)}`;
  const look = preview === null ? '' : ` To look first (read-only): ${preview.command}`;
  return buildAgentBlock({
    ask: payload.user_message,
    why: payload.why,
    risk: payload.risk,
    consent: payload.effects,
    actor: payload.actor,
    next: payload.fix.next,
    ...(step !== undefined && { if_yes: always === undefined ? step : `${step} — ${always}` }),
    if_no: `Nothing runs; nothing was changed.${look}`,
    showUser: payload.user_message,
  });
}

/** The one line that stderr gets beside the block. */
export function consentErrorLine(payload: ConsentPayload): string {
  return `Error [${CODE}]: ${inlineValue(payload.message)}`;
}

/** The payload as lines for a person at a terminal. */
export function consentTerminalLines(payload: ConsentPayload): string[] {
  const { preapprove_argv: preapprove, preview } = payload;
  const lines = [consentErrorLine(payload), `Why: ${inlineValue(payload.why)}`, `Risk: ${inlineValue(payload.risk)}`];
  if (payload.est_usd !== null) lines.push(`Estimated cost: $${payload.est_usd.toFixed(2)}`);
  const step = stepText(payload.fix, 'cli');
  if (step !== undefined) lines.push(`To approve: ${step}`);
  if (preview !== null) lines.push(`To look first: ${preview.command}`);
  if (preapprove !== undefined) lines.push(`To stop being asked under a limit: ${shellQuote(preapprove)}`);
  return lines;
}

function suggestionOf(userMessage: string, fix: RenderedAction, transport: Connection['transport']): string {
  const step = stepText(fix, transport);
  if (step === undefined) return `Ask the user: ${userMessage}`;
  if (fix.next === 'tell_user_to_run') return `Ask the user: ${userMessage} If they agree, give them this: ${step}`;
  return `Ask the user: ${userMessage} If they agree, ${fix.mcp === undefined ? 'run' : 'call'}: ${step}`;
}

// `--expect` binds the approval to the plan; flags that the approved command carries already stay as they are.
function authorize(argv: readonly string[], planHash: string | undefined): string[] {
  if (!isGbrain(argv)) return [...argv];
  const end = argv.indexOf('--');
  const cut = end === -1 ? argv.length : end;
  const options = argv.slice(0, cut);
  const carries = (flag: string): boolean => options.some((word) => word === flag || word.startsWith(`${flag}=`));
  const yes = carries('--yes') ? [] : ['--yes'];
  const expect = planHash === undefined || carries('--expect') ? [] : ['--expect', planHash];
  return [...options, ...yes, ...expect, ...argv.slice(cut)];
}

function redactRequest(request: ConsentRequest): ConsentRequest {
  const { what, why, risk, user_message } = request;
  return {
    ...request,
    what: redactText(what),
    why: redactText(why),
    risk: redactText(risk),
    user_message: redactText(user_message),
  };
}
