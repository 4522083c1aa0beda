// Sessions of Codex: rollout files, one JSON object a line, in two logs that run beside each other. Pure.
import { blocksText, type Conversation, type Entry, instantOf, objectOf, TurnList, textOf } from './conversation.ts';
import type { LineReader } from './line-reader.ts';

const ENVELOPES = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted']);

/** True for an entry of a rollout, today's or that of 2025 with its bare header. */
export function isCodex(entry: Entry): boolean {
  if (ENVELOPES.has(String(entry.type))) return typeof entry.payload === 'object';
  return typeof entry.id === 'string' && typeof entry.timestamp === 'string' && 'instructions' in entry;
}

/** Context that the app sends in the user's name: a single element, or the text of instruction files. */
const INJECTED = /^(?:<([a-z_]+)[\s>][\s\S]*<\/\1>\s*|# AGENTS\.md instructions[\s\S]*|<INSTRUCTIONS>[\s\S]*)$/;

/** `display` is the log that a person sees, `protocol` the one that the model sees, with context put in. */
interface Candidate {
  log: 'display' | 'protocol';
  role: 'user' | 'assistant';
  text: string;
  at?: string;
}

/** Reads the entries of one rollout. */
export class CodexReader implements LineReader {
  readonly #said: Candidate[] = [];
  #leftOut = 0;
  #id: string | undefined;
  #folder: string | undefined;
  #startedAt: string | undefined;

  take(entry: Entry): void {
    const at = instantOf(entry.timestamp);
    this.#startedAt ??= at;
    const payload = objectOf(entry.payload);
    if (entry.type === 'session_meta') {
      // A forked session repeats the header of the one that it came from, after its own.
      this.#id ??= textOf(payload.id);
      this.#folder ??= textOf(payload.cwd);
    } else if (entry.type === 'event_msg') this.#takeEvent(payload, at);
    else if (entry.type === 'response_item') this.#takeItem(payload, at);
    else if (entry.type === 'message') this.#takeItem(entry, at);
    else if (!('type' in entry) && typeof entry.id === 'string') this.#id ??= entry.id;
    else if (entry.type !== 'turn_context') this.#leftOut += 1;
  }

  #takeEvent(payload: Entry, at: string | undefined): void {
    const role = payload.type === 'user_message' ? 'user' : payload.type === 'agent_message' ? 'assistant' : undefined;
    const text = textOf(payload.message);
    if (role && text) this.#said.push({ log: 'display', role, text, ...(at !== undefined && { at }) });
  }

  #takeItem(payload: Entry, at: string | undefined): void {
    const { role } = payload;
    const isSaid = payload.type === 'message' && (role === 'user' || role === 'assistant');
    const { text, others } = blocksText(payload.content, ['input_text', 'output_text', 'text']);
    if (!isSaid || text === '' || (role === 'user' && INJECTED.test(text))) {
      this.#leftOut += 1;
      return;
    }
    this.#leftOut += others;
    this.#said.push({ log: 'protocol', role, text, ...(at !== undefined && { at }) });
  }

  end(): Conversation[] {
    const list = new TurnList();
    const logOf = (role: string) =>
      this.#said.some((one) => one.role === role && one.log === 'display') ? 'display' : 'protocol';
    const logs = { user: logOf('user'), assistant: logOf('assistant') };
    for (const { log, role, text, at } of this.#said) if (log === logs[role]) list.add(role, text, at);
    return [
      {
        format: 'codex',
        id: this.#id ?? '',
        ...(this.#folder !== undefined && { folder: this.#folder }),
        ...(this.#startedAt !== undefined && { startedAt: this.#startedAt }),
        turns: list.turns,
        leftOut: this.#leftOut,
      },
    ];
  }
}
