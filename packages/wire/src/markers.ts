// The one builder of `[AGENT]` blocks and machine tokens; no other module may write a marker, and it decides no advice.
import type { Actor, Effect, Next } from './action.ts';
import type { Decision } from './notice.ts';
import { shellQuote } from './shell-quote.ts';
import { ellipsize, flattenLine } from './text.ts';

/** Longest value of one marker field, in UTF-16 units. Source: contract facts D.1. */
export const MARKER_FIELD_MAX_UNITS = 1_000;

/** Longest value interpolated into prose, in UTF-16 units. Source: contract facts D.1. */
export const INLINE_MAX_UNITS = 2_000;

// White space and invisible format characters inside a token still read as the token to a model.
const GAP = '[\\s\\p{Cf}]*';
const OPENER = new RegExp(`\\[(?=${GAP}(?:/${GAP})?(?:AGENT|SHOW${GAP}USER)|${GAP}gbrain${GAP}notice)`, 'giu');

/** `text` with every marker opener turned from `[` into `(`, so that data can neither open nor close a block. */
export function neutralizeMarkers(text: string): string {
  return text.replace(OPENER, '(');
}

/** A value made safe for prose and markers: one line, marker openers neutralised, at most `maxUnits` UTF-16 units. */
export function inlineValue(value: string, maxUnits: number = INLINE_MAX_UNITS): string {
  return ellipsize(neutralizeMarkers(flattenLine(value)), maxUnits);
}

/** The fields of a block, in the order in which they are printed; only those that are set are. */
export interface AgentBlock {
  ask?: string;
  why?: string;
  risk?: string;
  consent?: readonly Effect[];
  actor?: Actor;
  next?: Next;
  if_yes?: string;
  if_no?: string;
  verify?: string;
  decisions?: readonly Decision[];
  /** Text to relay to the user verbatim. */
  showUser?: string;
}

const FIELDS = ['ask', 'why', 'risk', 'consent', 'actor', 'next', 'if_yes', 'if_no', 'verify'] as const;

/** A block as text, without a closing line break. Source: AGENT_OPERATOR v1, Marker grammar. */
export function buildAgentBlock(block: AgentBlock): string {
  const lines = ['[AGENT]'];
  for (const name of FIELDS) {
    const value = block[name];
    const text = inlineValue(typeof value === 'string' ? value : (value ?? []).join(', '), fieldUnits(name));
    if (text !== '') lines.push(`${name}: ${text}`);
  }
  for (const [index, decision] of (block.decisions ?? []).entries()) lines.push(...decisionLines(index + 1, decision));
  const shown = inlineValue(block.showUser ?? '', INLINE_MAX_UNITS);
  if (shown !== '') lines.push('[SHOW USER]', shown, '[/SHOW USER]');
  lines.push('[/AGENT]');
  return lines.join('\n');
}

// A command that was cut would be another command: fields that hold one are flattened, never shortened.
function fieldUnits(name: (typeof FIELDS)[number]): number {
  return name === 'if_yes' || name === 'if_no' || name === 'verify' ? Number.MAX_SAFE_INTEGER : MARKER_FIELD_MAX_UNITS;
}

function decisionLines(number: number, decision: Decision): string[] {
  const value = (text: string): string => inlineValue(text, MARKER_FIELD_MAX_UNITS);
  const lines = [`${number}. ${value(decision.question)} (id: ${value(decision.id)})`];
  for (const option of decision.options) {
    const run = option.argv === undefined ? '' : ` (run: ${neutralizeMarkers(flattenLine(shellQuote(option.argv)))})`;
    lines.push(`   - ${value(option.id)}: ${value(option.label)}${run}`);
  }
  lines.push(`   default: ${value(decision.default)} — ${value(decision.default_reason)}`);
  return lines;
}

/** The token of a database that is unreachable or misconfigured. `reason` is a word; a brain id is optional. */
export function dbAccessToken(reason: string, brain?: string): string {
  return `GBRAIN_DB_ACCESS ${tokenWord(reason)}${brain === undefined ? '' : ` brain=${tokenWord(brain)}`}`;
}

/** The token of a newer version than the installed one. */
export function upgradeAvailableToken(current: string, latest: string): string {
  return `UPGRADE_AVAILABLE ${tokenWord(current)} ${tokenWord(latest)}`;
}

/** The token of `count` assets without an off-machine backup. */
export function backupLocalOnlyToken(count: number): string {
  return `BACKUP_LOCAL_ONLY ${Math.trunc(count)}`;
}

// A token is one line of words: a value that is not a word would add words of its own.
function tokenWord(value: string): string {
  const word = value.replace(/[^A-Za-z0-9._:+-]+/g, '_');
  return word === '' ? '_' : word;
}
