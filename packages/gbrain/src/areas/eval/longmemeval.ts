// LongMemEval: a file that its user supplies; each question has a history of its own, a session a page, a turn a chunk.
import type { ChunkText } from '../../index/document.ts';
import { chunkKey, conversationPage, type Dataset, DatasetFault, type Group } from './dataset.ts';

interface Turn {
  readonly role: string;
  readonly content: string;
  readonly has_answer?: boolean;
}

interface Entry {
  readonly question_id: string;
  readonly question_type?: string;
  readonly question: string;
  readonly question_date?: string;
  readonly haystack_session_ids: readonly string[];
  readonly haystack_dates?: readonly string[];
  readonly haystack_sessions: readonly (readonly Turn[])[];
  readonly answer_session_ids: readonly string[];
}

/** True for the parsed text of a LongMemEval file. */
export const isLongMemEval = (value: unknown): boolean =>
  Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null && 'haystack_sessions' in value[0];

/** ISO day of a text such as "2023/05/20 (Sat) 02:21". */
const isoOf = (text: string | undefined): string | null =>
  /^(\d{4})[/-](\d\d)[/-](\d\d)/
    .exec(text ?? '')
    ?.slice(1, 4)
    .join('-') ?? null;

const isText = (value: unknown): boolean => typeof value === 'string';

/** Whether a question has what is read of it. */
function isEntry(value: unknown): value is Entry {
  const entry = value as Partial<Entry> | null;
  const { haystack_sessions: sessions, haystack_session_ids: ids, answer_session_ids: answers } = entry ?? {};
  return (
    isText(entry?.question_id) &&
    isText(entry?.question) &&
    Array.isArray(sessions) &&
    Array.isArray(ids) &&
    Array.isArray(answers) &&
    ids.length === sessions.length &&
    sessions.every(
      (turns) => Array.isArray(turns) && turns.every((turn) => isText(turn?.role) && isText(turn?.content)),
    )
  );
}

function readEntry(entry: unknown, place: number): Group {
  if (!isEntry(entry)) throw new DatasetFault(`question ${place + 1}`);
  const today = isoOf(entry.question_date);
  const pages = entry.haystack_sessions.map((turns, i) => {
    let index = -1;
    const chunks = turns.map((turn): ChunkText => {
      if (turn.role === 'user' || index < 0) index++;
      return { index, field: turn.role === 'user' ? 'user' : 'assistant', text: turn.content };
    });
    const slug = `chats/${entry.haystack_session_ids[i]}-${i + 1}`;
    return conversationPage(i + 1, { slug, title: `Session ${i + 1}` }, isoOf(entry.haystack_dates?.[i]), chunks);
  });
  // A question whose id ends so has no answer in its history.
  const isAbstention = entry.question_id.endsWith('_abs');
  const answers = new Set(entry.answer_session_ids);
  const gold = pages
    .filter((_, i) => !isAbstention && answers.has(entry.haystack_session_ids[i]!))
    .map(({ slug }) => [chunkKey(slug, 0), 1] as const);
  const question = {
    id: entry.question_id,
    kind: isAbstention ? 'negative' : (entry.question_type ?? 'all'),
    text: entry.question,
    gold: new Map(gold),
  };
  return { pages, questions: [question], ...(today && { today }) };
}

/** The histories of a parsed LongMemEval file, at the grain of sessions. */
export const readLongMemEval = (value: unknown): Dataset => ({
  name: 'LongMemEval sessions',
  grain: 'chunk',
  groups: (value as readonly unknown[]).map(readEntry),
});
