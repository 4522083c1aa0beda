// Sessions of Pi: a header line and entries that form a tree by their parents; the branch that was left last is the
// conversation. Pure.
import { blocksText, type Conversation, type Entry, instantOf, objectOf, TurnList, textOf } from './conversation.ts';
import type { LineReader } from './line-reader.ts';

/** True for the header of such a session. */
export const isPi = (entry: Entry): boolean =>
  entry.type === 'session' && typeof entry.id === 'string' && (typeof entry.cwd === 'string' || 'version' in entry);

/** Reads the entries of one session. */
export class PiReader implements LineReader {
  readonly #entries: Entry[] = [];
  #header: Entry = {};
  #title: string | undefined;

  take(entry: Entry): void {
    if (entry.type === 'session') this.#header = Object.keys(this.#header).length > 0 ? this.#header : entry;
    else {
      if (entry.type === 'session_info') this.#title = textOf(entry.name) ?? this.#title;
      this.#entries.push(entry);
    }
  }

  /** Entries from the root to the last one; all in order where the file is older than branches. */
  #branch(): Entry[] {
    const byId = new Map(this.#entries.flatMap((entry) => (typeof entry.id === 'string' ? [[entry.id, entry]] : [])));
    if (byId.size < this.#entries.length) return this.#entries;
    const branch: Entry[] = [];
    const seen = new Set<unknown>();
    for (let at = this.#entries.at(-1); at && !seen.has(at.id); at = byId.get(String(at.parentId))) {
      seen.add(at.id);
      branch.push(at);
    }
    return branch.reverse();
  }

  end(): Conversation[] {
    const list = new TurnList();
    const branch = this.#branch();
    list.leftOut = this.#entries.length - branch.length;
    for (const entry of branch) {
      const message = objectOf(entry.message);
      const { text, others } = blocksText(message.content, ['text']);
      const { role } = message;
      if (entry.type !== 'message' || (role !== 'user' && role !== 'assistant')) {
        list.leftOut += 1;
        continue;
      }
      list.leftOut += others;
      list.add(role, text, instantOf(entry.timestamp) ?? instantOf(message.timestamp));
    }
    const startedAt = instantOf(this.#header.timestamp);
    const folder = textOf(this.#header.cwd);
    return [
      {
        format: 'pi',
        id: textOf(this.#header.id) ?? '',
        ...(this.#title !== undefined && { title: this.#title }),
        ...(folder !== undefined && { folder }),
        ...(startedAt !== undefined && { startedAt }),
        turns: list.turns,
        leftOut: list.leftOut,
      },
    ];
  }
}
