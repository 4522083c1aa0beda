// Which turns are worth a call of a model at all, told without one. Pure. Source: facts/engine E.4.
import { chatterOf } from '../facts/chatter.ts';

/** Fewest characters that can state something. */
const CHARS_MIN = 8;
/** A turn larger than this is something pasted, not something said; in bytes. */
const PASTE_BYTES = 8 * 1024;
const SLASH_COMMAND = /^\/[\p{L}\p{N}_:-]+(?:\s|$)/u;

/** Whether what a user said may state a fact: no chatter, no question alone, no command, nothing pasted. */
export function isWorthExtracting(text: string): boolean {
  const plain = text.trim();
  if (plain.length < CHARS_MIN || Buffer.byteLength(plain) > PASTE_BYTES || SLASH_COMMAND.test(plain)) return false;
  return chatterOf(plain) === undefined;
}
