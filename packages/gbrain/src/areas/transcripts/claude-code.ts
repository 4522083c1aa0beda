// Sessions of Claude Code: one JSON object a line, `projects/<folder>/<session>.jsonl`. Pure.
import { blocksText, type Conversation, type Entry, instantOf, objectOf, TurnList, textOf } from './conversation.ts';
import type { LineReader } from './line-reader.ts';

/** Blocks that the app puts into the user's message; what the user typed stands outside of them. */
const INJECTED = new RegExp(
  '<(system-reminder|(?:local-)?command-[a-z]+|bash-(?:input|stdout|stderr)|ide_[a-z_]+|user-prompt-submit-hook)>' +
    '[^]*?</\\1>',
  'g',
);

const INTERRUPTED = /^\[Request interrupted by user[^\]]*\]$/;

/** True for an entry of such a session. */
export function isClaudeCode(entry: Entry): boolean {
  if (entry.type === 'summary') return typeof entry.summary === 'string' && typeof entry.leafUuid === 'string';
  return typeof entry.sessionId === 'string' && typeof entry.type === 'string';
}

/** Reads the entries of one session. */
export class ClaudeCodeReader implements LineReader {
  readonly #list = new TurnList();
  #id: string | undefined;
  #title: string | undefined;
  #folder: string | undefined;
  #startedAt: string | undefined;

  take(entry: Entry): void {
    this.#title = textOf(entry.customTitle) ?? this.#title ?? textOf(entry.summary);
    this.#id ??= textOf(entry.sessionId);
    this.#folder ??= textOf(entry.cwd);
    if (entry.type !== 'user' && entry.type !== 'assistant') return;
    const at = instantOf(entry.timestamp);
    if (entry.isSidechain === true || entry.isMeta === true || entry.isCompactSummary === true) {
      this.#list.leftOut += 1;
      return;
    }
    this.#startedAt ??= at;
    if (entry.type === 'user') this.#takeUser(entry, at);
    else this.#takeAssistant(entry, at);
  }

  #takeUser(entry: Entry, at: string | undefined): void {
    const { text, others } = blocksText(objectOf(entry.message).content, ['text']);
    const typed = text.replace(INJECTED, '').trim();
    this.#list.leftOut += others + (typed === text ? 0 : 1);
    if (!INTERRUPTED.test(typed)) this.#list.add('user', typed, at);
  }

  #takeAssistant(entry: Entry, at: string | undefined): void {
    const { text, others } = blocksText(objectOf(entry.message).content, ['text']);
    this.#list.leftOut += others;
    if (entry.isApiErrorMessage === true) this.#list.leftOut += 1;
    else this.#list.add('assistant', text, at);
  }

  end(): Conversation[] {
    return [
      {
        format: 'claude-code',
        id: this.#id ?? '',
        ...(this.#title !== undefined && { title: this.#title }),
        ...(this.#folder !== undefined && { folder: this.#folder }),
        ...(this.#startedAt !== undefined && { startedAt: this.#startedAt }),
        turns: this.#list.turns,
        leftOut: this.#list.leftOut,
      },
    ];
  }
}
