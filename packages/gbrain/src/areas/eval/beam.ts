// BEAM: long chats with an assistant, a batch a page, a user message with its answer a chunk, with probing questions.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ChunkText } from '../../index/document.ts';
import { chunkKey, conversationPage, type Dataset, type Group, type Question, readText } from './dataset.ts';
import { readLiteral } from './python-literal.ts';

/** Code between fences: its own field, as the product's chunker keeps it. */
const FENCE = /```[\s\S]*?(?:```|$)/g;
/** A mark of the set's own makers at the end of a message. */
const MAKERS_MARK = /->-> \S+\s*$/;

interface Turn {
  readonly role: string;
  readonly id: number;
  readonly content: string;
}

function idsIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.flatMap(idsIn);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : [];
}

/** The folders of a BEAM folder that hold a chat with its questions. */
export const beamChats = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .filter((name) => {
      const files = new Set(readdirSync(join(folder, name)));
      return files.has('chat.json') && files.has('probing_questions.json');
    })
    .sort((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1));

function readChat(folder: string, name: string): Group {
  const chat = readLiteral(readText(join(folder, name, 'chat.json'))) as { turns: Turn[][] }[];
  const keyOf = new Map<number, string>();
  const pages = chat.map((batch, i) => {
    const slug = `chats/${i + 1}`;
    const chunks: ChunkText[] = [];
    let index = -1;
    for (const turn of batch.turns.flat()) {
      if (turn.role === 'user' || index < 0) index++;
      keyOf.set(turn.id, chunkKey(slug, index));
      const field = turn.role === 'user' ? 'user' : 'assistant';
      const text = turn.content.replace(MAKERS_MARK, '');
      chunks.push({ index, field, text: text.replace(FENCE, ' ') });
      for (const [fence] of text.matchAll(FENCE))
        chunks.push({ index, field: field === 'user' ? 'code' : field, text: fence });
    }
    return conversationPage(i + 1, { slug, title: `Batch ${i + 1}` }, null, chunks);
  });
  const probing = readLiteral(readText(join(folder, name, 'probing_questions.json'))) as Record<
    string,
    { question: string; source_chat_ids?: unknown }[]
  >;
  const questions = Object.entries(probing).flatMap(([kind, list]) =>
    list.flatMap(({ question, source_chat_ids }, i): Question[] => {
      const keys = idsIn(source_chat_ids).flatMap((id) => keyOf.get(id) ?? []);
      const gold = new Map(keys.map((key) => [key, 1] as const));
      return gold.size === 0 ? [] : [{ id: `${name}-${kind}-${i + 1}`, kind, text: question, gold }];
    }),
  );
  return { pages, questions };
}

/** The chats of a BEAM folder, at the grain of turn groups; questions without a source are left out. */
export const readBeam = (folder: string): Dataset => ({
  name: 'BEAM turn groups',
  grain: 'chunk',
  groups: beamChats(folder).map((name) => readChat(folder, name)),
});
