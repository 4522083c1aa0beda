// The one place that says what is embedded for a chunk, and names it. Pure.
import { createHash } from 'node:crypto';
import { unitBytes, worstCaseTokens } from '../chunks/measure.ts';

/** Version of what stands below; it is part of a profile's signature, so a change of it embeds anew. */
export const INPUT_VERSION = 1;

/** What a chunk brings to its vector. */
export interface EmbedChunk {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly text: string;
}

/** The text that is embedded: a chunk seldom says by itself whom and what it speaks of, so title and headings lead. */
export function embedInput({ title, headingPath, text }: EmbedChunk): string {
  const lead = [title, ...headingPath].map((one) => one.trim()).filter((one) => one !== '');
  const distinct = lead.filter((one, i) => lead.indexOf(one) === i);
  return distinct.length > 0 ? `${distinct.join(' > ')}\n\n${text}` : text;
}

/** Name of an embedded text: 32 hexadecimal digits. */
export const embedHash = (chunk: EmbedChunk): string =>
  createHash('sha256').update(embedInput(chunk)).digest('hex').slice(0, 32);

/**
 * The longest beginning of a text that no tokenizer makes more than `maxTokens` of, cut at a code point. A token is at
 * least one byte.
 */
export function capTokens(text: string, maxTokens: number): string {
  if (text.length * 3 <= maxTokens || worstCaseTokens(text) <= maxTokens) return text;
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    bytes += unitBytes(text.charCodeAt(at));
    if (bytes > maxTokens) return text.slice(0, at);
  }
  return text;
}
