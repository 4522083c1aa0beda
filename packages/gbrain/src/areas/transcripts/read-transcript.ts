// What one file holds, told by its first bytes and not by its name: conversations, or the reason why there are none.
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readArray } from './array-reader.ts';
import { type Conversation, type Entry, objectOf, type ReadItem } from './conversation.ts';
import { chatGptConversation, claudeConversation, isChatGpt, isClaude } from './exports.ts';
import { readLines } from './line-reader.ts';
import { isOpencodeExport, isOpencodeSession, opencodeConversation, opencodeExport } from './opencode.ts';
import { readOpencodeDatabase } from './opencode-database.sql.ts';

/** A file that holds one JSON value is read whole, up to this size. */
const WHOLE_BYTES_MAX = 256 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;

async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

type FileKind = 'empty' | 'zip' | 'sqlite' | 'array' | 'object' | 'other';

function kindOf(head: Buffer): FileKind {
  if (head.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004') return 'zip';
  if (head.subarray(0, 15).toString('latin1') === 'SQLite format 3') return 'sqlite';
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (text === '') return 'empty';
  return text.startsWith('[') ? 'array' : text.startsWith('{') ? 'object' : 'other';
}

function ofExport(entry: Entry): Conversation | undefined {
  if (isChatGpt(entry)) return chatGptConversation(entry);
  if (isClaude(entry)) return claudeConversation(entry);
  return isOpencodeExport(entry) ? opencodeExport(entry) : undefined;
}

async function* ofArray(file: string, signal: AbortSignal): AsyncGenerator<ReadItem> {
  let bad = 0;
  let found = 0;
  for await (const item of readArray(file, signal)) {
    if ('text' in item) {
      let conversation: Conversation | undefined;
      try {
        conversation = ofExport(objectOf(JSON.parse(item.text)));
      } catch {
        // Counted below: the conversations around it are whole.
        bad += 1;
        continue;
      }
      if (conversation) found += 1;
      else if (found === 0) {
        yield { problem: { reason: 'not_a_transcript' } };
        return;
      }
      if (conversation) yield { conversation };
      continue;
    }
    const { isWhole, tooLong } = item;
    if (bad > 0) yield { problem: { reason: 'bad_entries', detail: `${bad} conversations are no JSON` } };
    if (tooLong > 0) yield { problem: { reason: 'entry_too_long', detail: `${tooLong} conversations are too long` } };
    if (!isWhole) yield { problem: { reason: 'truncated', detail: `the file ends inside conversation ${found + 1}` } };
    else if (found === 0 && bad === 0) yield { problem: { reason: 'empty' } };
  }
}

const readJson = async (file: string): Promise<Entry> => objectOf(JSON.parse(await readFile(file, 'utf8')));

async function readJsonFolder(folder: string): Promise<Entry[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json')).sort();
  // A file that is being written is left for the next run.
  return Promise.all(files.map((name) => readJson(join(folder, name)).catch((): Entry => ({}))));
}

/** A session of the folders that older versions of OpenCode kept: its messages and their parts lie beside it. */
async function ofOpencodeFolders(file: string, session: Entry): Promise<Conversation> {
  const storage = dirname(dirname(dirname(file)));
  const infos = await readJsonFolder(join(storage, 'message', basename(file, '.json')));
  const messages: { info: Entry; parts: Entry[] }[] = [];
  for (const info of infos) {
    if (typeof info.id === 'string')
      messages.push({ info, parts: await readJsonFolder(join(storage, 'part', info.id)) });
  }
  return opencodeConversation(session, messages);
}

const CUT_OFF = { reason: 'truncated', detail: 'it is not whole' } as const;

/** True when JSON is as it should be up to where the text ends. */
function isCutOff(text: string, { message }: Error): boolean {
  const at = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  return /end of JSON input|Unterminated string/.test(message) || at >= text.trimEnd().length;
}

async function ofObject(file: string): Promise<ReadItem> {
  const { size } = await stat(file);
  if (size > WHOLE_BYTES_MAX) return { problem: { reason: 'entry_too_long', detail: `${size} bytes in one value` } };
  const text = await readFile(file, 'utf8');
  let entry: Entry;
  try {
    entry = objectOf(JSON.parse(text));
  } catch (error) {
    return { problem: isCutOff(text, error as Error) ? CUT_OFF : { reason: 'not_a_transcript' } };
  }
  if (isOpencodeSession(entry)) return { conversation: await ofOpencodeFolders(file, entry) };
  const conversation = ofExport(entry);
  if (conversation) return { conversation };
  return { problem: { reason: 'not_a_transcript' } };
}

/** A line for each entry, as most apps keep it; else one value that may stand on many lines. */
async function ofLinesOrObject(file: string, signal: AbortSignal): Promise<ReadItem[]> {
  const items = await readLines(file, signal);
  return items[0]?.problem?.reason === 'not_a_transcript' ? [await ofObject(file)] : items;
}

async function* ofDatabase(file: string): AsyncGenerator<ReadItem> {
  try {
    for await (const conversation of readOpencodeDatabase(file)) yield { conversation };
  } catch (error) {
    yield { problem: { reason: 'not_a_transcript', detail: (error as Error).message } };
  }
}

/** Conversations of a file, one at a time. Rejects only when the run is cut off. */
export async function* readTranscript(file: string, signal: AbortSignal): AsyncGenerator<ReadItem> {
  try {
    const kind = kindOf(await headOf(file));
    if (kind === 'empty') yield { problem: { reason: 'empty' } };
    else if (kind === 'zip') yield { problem: { reason: 'zipped', detail: 'unpack it and name the folder' } };
    else if (kind === 'other') yield { problem: { reason: 'not_a_transcript' } };
    else if (kind === 'sqlite') yield* ofDatabase(file);
    else if (kind === 'array') yield* ofArray(file, signal);
    else yield* await ofLinesOrObject(file, signal);
  } catch (error) {
    signal.throwIfAborted();
    yield { problem: { reason: 'unreadable', detail: (error as NodeJS.ErrnoException).code ?? 'unknown' } };
  }
}
