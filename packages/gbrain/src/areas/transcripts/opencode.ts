// Sessions of OpenCode: what `opencode export` prints, the folders of its older versions and the rows of its database
// all hold the same session, messages and parts. Pure.
import { type Conversation, type Entry, instantOf, listOf, objectOf, TurnList, textOf } from './conversation.ts';

/** A message with its parts, in the order in which they were made. */
export interface OpencodeMessage {
  info: Entry;
  parts: readonly Entry[];
}

/** True for what `opencode export` prints. */
export const isOpencodeExport = (entry: Entry): boolean =>
  typeof entry.info === 'object' && Array.isArray(entry.messages);

/** True for the file of a session in the folder `storage/session`. */
export const isOpencodeSession = (entry: Entry): boolean =>
  typeof entry.id === 'string' && typeof entry.projectID === 'string' && typeof entry.time === 'object';

/** Texts that the app wrote in the user's name are marked so. */
const isTyped = (part: Entry): boolean => part.type === 'text' && part.synthetic !== true && part.ignored !== true;

/** A session as a conversation. */
export function opencodeConversation(session: Entry, messages: readonly OpencodeMessage[]): Conversation {
  const list = new TurnList();
  for (const { info, parts } of messages) {
    const said = parts.filter(isTyped).map((part) => textOf(part.text) ?? '');
    list.leftOut += parts.length - said.length;
    const at = instantOf(objectOf(info.time).created);
    if (info.role === 'user' || info.role === 'assistant') list.add(info.role, said.join('\n\n'), at);
    else list.leftOut += 1;
  }
  const title = textOf(session.title);
  const folder = textOf(session.directory);
  const startedAt = instantOf(objectOf(session.time).created) ?? list.turns[0]?.at;
  return {
    format: 'opencode',
    id: textOf(session.id) ?? '',
    ...(title !== undefined && { title }),
    ...(folder !== undefined && { folder }),
    ...(startedAt !== undefined && { startedAt }),
    turns: list.turns,
    leftOut: list.leftOut,
  };
}

/** What `opencode export` prints, as a conversation. */
export const opencodeExport = (entry: Entry): Conversation =>
  opencodeConversation(
    objectOf(entry.info),
    listOf(entry.messages).map((one) => {
      const { info, parts } = objectOf(one);
      return { info: objectOf(info), parts: listOf(parts).map(objectOf) };
    }),
  );
