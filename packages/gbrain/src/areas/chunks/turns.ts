// Finds who speaks where in a conversation page. It looks only at how lines begin and knows nothing of chunks.

import type { Structure } from './lines.ts';

/** Whose words a turn holds. `other` is a named person or a system. */
export type TurnRole = 'user' | 'assistant' | 'other';

/** One turn: from the line that names its speaker up to the next one. */
export interface Turn {
  readonly start: number;
  readonly end: number;
  readonly speaker: string;
  readonly role: TurnRole;
}

const USER = new Set(['user', 'human', 'me', 'you', 'prompt', '用户', 'ユーザー', '사용자']);
const ASSISTANT = new Set([
  'assistant',
  'ai',
  'bot',
  'claude',
  'chatgpt',
  'gpt',
  'gemini',
  'copilot',
  'model',
  '助手',
  'アシスタント',
]);
const SYSTEM = new Set(['system', 'tool', 'developer']);

const TIME =
  String.raw`(?:\[[^\]\n]{4,32}\]|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4},?[ T]\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?|` +
  `d{1,2}:d{2}(?::d{2})?(?: ?[AP]M)?)`;
const NAME = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N} ._'’-]{0,38}`;
const BOLD = new RegExp(
  String.raw`(?:${TIME}[ \t]*(?:[-–][ \t]*)?)?\*\*(${NAME}):?\*\*[ \t]*(?:[(\[]?${TIME}[)\]]?)?[ \t]*(:?)`,
  'uy',
);
const STAMPED = new RegExp(String.raw`${TIME}[ \t]*(?:[-–][ \t]*)?(${NAME}):(?=[ \t]|$)`, 'muy');
const PLAIN = new RegExp(String.raw`(${NAME}):(?=[ \t]|$)`, 'muy');
const ANGLE = new RegExp(String.raw`<(${NAME})>[ \t]`, 'uy');

interface Opening {
  at: number;
  speaker: string;
  /** A `Name:` without a time could be any label, so it counts only when the name opens several lines. */
  plain: boolean;
}

/** The turns of `text[start, end)` in order; empty when it does not read like a conversation. */
export function readTurns(text: string, structure: Structure, start: number, end: number): Turn[] {
  const openings: Opening[] = [];
  // A conversation that begins with a heading for its first turn has one for every turn, so `Name:` inside is text.
  let byHeading = false;
  for (const line of structure.lines) {
    if (line.start < start || line.start >= end) continue;
    if (line.kind !== 'text' && line.kind !== 'item' && line.kind !== 'heading') continue;
    const speaker = line.kind === 'heading' ? roleHeading(text.slice(line.contentStart, line.end)) : undefined;
    if (speaker) {
      openings.push({ at: line.start, speaker, plain: false });
      byHeading ||= openings.length === 1;
    } else if (line.kind !== 'heading' && !byHeading) openLine(text, line.start, line.contentStart, openings);
  }
  const kept = openings.filter(isSpeaker(openings));
  if (kept.length < (byHeading ? 1 : 2)) return [];
  return kept.map(({ at, speaker }, i) => ({ start: at, end: kept[i + 1]?.at ?? end, speaker, role: roleOf(speaker) }));
}

function openLine(text: string, at: number, contentStart: number, openings: Opening[]): void {
  for (const pattern of [BOLD, STAMPED, ANGLE, PLAIN]) {
    pattern.lastIndex = contentStart;
    const match = pattern.exec(text);
    if (!match) continue;
    const speaker = match[1]!.trim();
    const stamped = pattern === STAMPED || pattern === ANGLE || /\d:\d/.test(match[0]);
    if (pattern === BOLD && !match[0].includes(':') && roleOf(speaker) === 'other') return;
    openings.push({ at, speaker, plain: !stamped });
    return;
  }
}

/** A heading is a turn only when it is a role and nothing more, perhaps with a time. */
function roleHeading(heading: string): string | undefined {
  const match = /^\**([\p{L}]+)\**:?(?:\s+[([]?[\d:/., TZAPM-]+[)\]]?)?$/u.exec(heading.trim().slice(0, 80));
  return match && (roleOf(match[1]!) !== 'other' || SYSTEM.has(match[1]!.toLowerCase())) ? match[1] : undefined;
}

/** True for the words of a heading that would open a turn. */
export const opensTurn = (heading: string): boolean => roleHeading(heading) !== undefined;

function isSpeaker(openings: readonly Opening[]): (opening: Opening) => boolean {
  const times = new Map<string, number>();
  for (const { speaker } of openings) times.set(speaker, (times.get(speaker) ?? 0) + 1);
  return ({ speaker, plain }) => !plain || roleOf(speaker) !== 'other' || (times.get(speaker) ?? 0) >= 2;
}

function roleOf(speaker: string): TurnRole {
  const key = speaker.toLowerCase();
  if (USER.has(key)) return 'user';
  return ASSISTANT.has(key) || /^(?:claude|gpt|chatgpt|gemini|copilot)[ -]?[\w.]*$/.test(key) ? 'assistant' : 'other';
}
