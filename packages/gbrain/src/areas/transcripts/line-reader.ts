// Reads a session file line by line, in bounded memory, while its app may still be writing it.
import { createReadStream } from 'node:fs';
import { createLineDecoder } from '@gbrain/wire/json-lines';
import { counted } from '../../row-text.ts';
import { ClaudeCodeReader, isClaudeCode } from './claude-code.ts';
import { CodexReader, isCodex } from './codex.ts';
import { type Conversation, type Entry, objectOf, type ReadItem } from './conversation.ts';
import { isPi, PiReader } from './pi.ts';

/** Takes the entries of one session file in order and gives its conversations. */
export interface LineReader {
  take(entry: Entry): void;
  end(): Conversation[];
}

/** A line holds one message with its pictures; what is longer is no transcript. */
export const LINE_BYTES_MAX = 64 * 1024 * 1024;

/** Entries that may stand before the first one that tells the format. */
const PREFACE_MAX = 50;

/** The reader for a file whose entries look like this one. */
export function readerFor(entry: Entry): LineReader | undefined {
  if (isPi(entry)) return new PiReader();
  if (isCodex(entry)) return new CodexReader();
  return isClaudeCode(entry) ? new ClaudeCodeReader() : undefined;
}

function parsed(line: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? objectOf(value) : undefined;
  } catch {
    // Not JSON: the caller counts it.
    return undefined;
  }
}

class LineFile {
  readonly #preface: Entry[] = [];
  #reader: LineReader | undefined;
  #entries = 0;
  bad = 0;
  /** The file ends inside a line: its app is writing, or was cut off. */
  isOpen = false;

  /** False once it is plain that the file is no transcript. */
  take(line: string, isLast = false): boolean {
    if (line.trim() === '') return true;
    const entry = parsed(line);
    if (!entry) {
      if (isLast) this.isOpen = true;
      else this.bad += 1;
      return this.#reader !== undefined || this.bad < PREFACE_MAX;
    }
    this.#entries += 1;
    this.#reader ??= readerFor(entry);
    if (!this.#reader) return this.#preface.push(entry) < PREFACE_MAX;
    for (const early of this.#preface.splice(0)) this.#reader.take(early);
    this.#reader.take(entry);
    return true;
  }

  items(fault: { reason: 'encoding' | 'entry_too_long'; detail: string } | undefined): ReadItem[] {
    if (!this.#reader) {
      const isEmpty = this.#entries === 0 && this.bad === 0 && !this.isOpen && !fault;
      return [{ problem: fault ?? { reason: isEmpty ? 'empty' : 'not_a_transcript' } }];
    }
    const problem =
      fault ??
      (this.bad > 0
        ? { reason: 'bad_entries' as const, detail: `${counted(this.bad, 'line')} without JSON` }
        : undefined);
    return this.#reader.end().map((conversation) => ({ conversation, ...(problem && { problem }) }));
  }
}

/**
 * The conversations of a session file. A last line that is not whole yet is left for the next run and is no problem;
 * lines that cannot be read cost themselves only. Rejects with the system's error when the file cannot be read.
 */
export async function readLines(file: string, signal: AbortSignal): Promise<ReadItem[]> {
  const decoder = createLineDecoder({ maxLineBytes: LINE_BYTES_MAX });
  const lines = new LineFile();
  const stream = createReadStream(file, { signal });
  for await (const chunk of stream) {
    const { items, fault } = decoder.push(chunk as Buffer);
    for (const line of items) if (!lines.take(line)) return [{ problem: { reason: 'not_a_transcript' } }];
    if (fault) {
      const reason = fault.kind === 'invalid_utf8' ? 'encoding' : 'entry_too_long';
      return lines.items({ reason, detail: `line ${fault.line}: ${fault.message}` });
    }
  }
  const { items, fault } = decoder.end();
  for (const line of items) lines.take(line, true);
  return lines.items(fault && { reason: 'encoding', detail: `line ${fault.line}: ${fault.message}` });
}
