// A pager, when it is asked for and somebody is there to page: GBRAIN_PAGER, else PAGER, else less.
import { spawn } from 'node:child_process';
import type { Streams } from './terminal.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Keeps colours, leaves a short text on the screen, and ends where it ends. */
const LESS = 'less -FRX';

/** Shows a text in a pager; false when there is no terminal, text or pager, and the text is still to be written. */
export async function showInPager(text: string, { stdout }: Streams, env: Env): Promise<boolean> {
  if (text === '' || stdout.isTTY !== true) return false;
  const command = env.GBRAIN_PAGER || env.PAGER || LESS;
  const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: { ...env } });
  const ended = Promise.withResolvers<boolean>();
  child.once('error', () => ended.resolve(false));
  // 127 is the shell's word for a program that is not there.
  child.once('close', (code) => ended.resolve(code !== 127));
  // Whoever has read enough closes the pager; the rest of the text is not missed.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  return ended.promise;
}
