// What every transcript becomes: a conversation of user and assistant turns, whatever app kept it. Pure.

/** Apps whose transcripts are read. */
export const FORMATS = ['claude-code', 'codex', 'opencode', 'pi', 'chatgpt', 'claude'] as const;

/** One of them. */
export type TranscriptFormat = (typeof FORMATS)[number];

/** Whose words a turn holds. Tool calls, their results and injected context are nobody's and are left out. */
export type TurnRole = 'user' | 'assistant';

/** What one side said, as it was said. */
export interface SaidTurn {
  role: TurnRole;
  text: string;
  /** ISO 8601 in UTC, when the transcript says it. */
  at?: string;
}

/** One conversation. */
export interface Conversation {
  format: TranscriptFormat;
  /** The app's own id of it; the same conversation in a longer file has the same id. */
  id: string;
  title?: string;
  /** Working folder of a coding agent. */
  folder?: string;
  /** When it began, ISO 8601 in UTC. */
  startedAt?: string;
  turns: SaidTurn[];
  /** Entries that nobody said: tool calls and results, thinking, context that the app put in, subagents. */
  leftOut: number;
}

/** Why a file, or a part of one, is not in the brain. */
export type ProblemReason =
  | 'not_a_transcript'
  | 'zipped'
  | 'empty'
  | 'no_turns'
  | 'unreadable'
  | 'encoding'
  | 'entry_too_long'
  | 'truncated'
  | 'bad_entries';

/** What reading a file gives: a conversation, perhaps with what it lacks, or the reason why there is none. */
export interface ReadItem {
  conversation?: Conversation;
  problem?: { reason: ProblemReason; detail?: string };
}

/** A JSON object that was read from somebody else's file. */
export type Entry = Record<string, unknown>;

/** The value when it is an object, else an empty one. */
export const objectOf = (value: unknown): Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entry) : {};

/** The value when it is an array, else an empty one. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The value when it is a text with something in it. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** An instant as ISO 8601 in UTC, from a text, or from a number of seconds or milliseconds. */
export function instantOf(value: unknown): string | undefined {
  const ms =
    typeof value === 'number'
      ? value > 1e11
        ? value
        : value * 1000
      : typeof value === 'string'
        ? Date.parse(value)
        : NaN;
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : undefined;
}

/** The texts of content blocks of the named types, in order, with what else there was counted. */
export function blocksText(content: unknown, types: readonly string[]): { text: string; others: number } {
  if (typeof content === 'string') return { text: content.trim(), others: 0 };
  const texts: string[] = [];
  let others = 0;
  for (const block of listOf(content)) {
    const { type, text } = objectOf(block);
    const said = types.includes(String(type)) ? textOf(text) : undefined;
    if (said === undefined) others += 1;
    else texts.push(said.trim());
  }
  return { text: texts.join('\n\n'), others };
}

/** Collects turns. What the assistant says between two tool calls is one answer, so its turns in a row become one. */
export class TurnList {
  readonly turns: SaidTurn[] = [];
  leftOut = 0;

  add(role: TurnRole, text: string, at?: string): void {
    const said = text.trim();
    if (said === '') return;
    const last = this.turns.at(-1);
    if (role === 'assistant' && last?.role === 'assistant') last.text += `\n\n${said}`;
    else this.turns.push({ role, text: said, ...(at !== undefined && { at }) });
  }
}
