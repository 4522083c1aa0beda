// Conversations of the data exports of ChatGPT and Claude: one object each in `conversations.json`. Pure.
import {
  blocksText,
  type Conversation,
  type Entry,
  instantOf,
  listOf,
  objectOf,
  TurnList,
  textOf,
} from './conversation.ts';

/** True for a conversation of a ChatGPT export. */
export const isChatGpt = (entry: Entry): boolean => typeof entry.mapping === 'object' && entry.mapping !== null;

/** True for a conversation of a Claude export. */
export const isClaude = (entry: Entry): boolean => Array.isArray(entry.chat_messages);

/** Nodes from the root to the message that was open last; a regenerated answer is on no such path. */
function openPath(entry: Entry): { nodes: Entry[]; others: number } {
  const mapping = objectOf(entry.mapping);
  const nodeOf = (id: unknown): Entry | undefined =>
    typeof id === 'string' && mapping[id] ? objectOf(mapping[id]) : undefined;
  const timeOf = (node: Entry): number => Number(objectOf(node.message).create_time ?? 0);
  const leaves = Object.values(mapping)
    .map(objectOf)
    .filter((node) => listOf(node.children).length === 0);
  const latest = leaves.sort((a, b) => timeOf(b) - timeOf(a))[0];
  const nodes: Entry[] = [];
  const seen = new Set<Entry>();
  for (let node = nodeOf(entry.current_node) ?? latest; node && !seen.has(node); node = nodeOf(node.parent)) {
    seen.add(node);
    nodes.push(node);
  }
  return { nodes: nodes.reverse(), others: Object.keys(mapping).length - nodes.length };
}

/** Text of a message: its parts that are words; pictures and files have none. */
function partsText(content: Entry): string {
  if (content.content_type !== 'text' && content.content_type !== 'multimodal_text') return '';
  const parts = listOf(content.parts).map((part) =>
    typeof part === 'string' ? part : (textOf(objectOf(part).text) ?? ''),
  );
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

/** A conversation of a ChatGPT export. */
export function chatGptConversation(entry: Entry): Conversation {
  const list = new TurnList();
  const { nodes, others } = openPath(entry);
  list.leftOut = others;
  for (const node of nodes) {
    const message = objectOf(node.message);
    const { role } = objectOf(message.author);
    const text = partsText(objectOf(message.content));
    const isSaid = (role === 'user' || role === 'assistant') && (message.recipient ?? 'all') === 'all';
    const isHidden = objectOf(message.metadata).is_visually_hidden_from_conversation === true;
    if (!isSaid || isHidden || text === '') list.leftOut += node.message ? 1 : 0;
    else list.add(role, text, instantOf(message.create_time));
  }
  return conversationOf('chatgpt', list, {
    id: entry.conversation_id ?? entry.id,
    title: entry.title,
    startedAt: entry.create_time,
  });
}

/** A conversation of a Claude export. */
export function claudeConversation(entry: Entry): Conversation {
  const list = new TurnList();
  for (const one of listOf(entry.chat_messages)) {
    const message = objectOf(one);
    const { text, others } = blocksText(message.content, ['text']);
    const role = message.sender === 'human' ? 'user' : message.sender === 'assistant' ? 'assistant' : undefined;
    list.leftOut += others + listOf(message.attachments).length + listOf(message.files).length;
    if (role) list.add(role, text === '' ? (textOf(message.text) ?? '') : text, instantOf(message.created_at));
    else list.leftOut += 1;
  }
  return conversationOf('claude', list, { id: entry.uuid, title: entry.name, startedAt: entry.created_at });
}

function conversationOf(
  format: 'chatgpt' | 'claude',
  list: TurnList,
  at: { id: unknown; title: unknown; startedAt: unknown },
): Conversation {
  const title = textOf(at.title);
  const startedAt = instantOf(at.startedAt) ?? list.turns[0]?.at;
  return {
    format,
    id: textOf(at.id) ?? '',
    ...(title !== undefined && { title }),
    ...(startedAt !== undefined && { startedAt }),
    turns: list.turns,
    leftOut: list.leftOut,
  };
}
