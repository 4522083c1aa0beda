// hook stop: what an agent app runs when its agent has answered. It puts down what the user said for later, without
// opening the brain, says nothing, and whatever happens it neither holds the app up nor fails its session.
import { open } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { bankTurns, type SaidTurn } from '../extraction/turn-bank.ts';
import { ClaudeCodeReader } from './claude-code.ts';
import { objectOf, textOf } from './conversation.ts';

/** It is over by then. Source: facts/engine E.4. */
const LIMIT_MS = 2_000;
/** How much of the end of a session is read, in bytes, and how many turns of it count. */
const TAIL_BYTES = 512 * 1024;
const TURNS_MAX = 5;
const PAYLOAD_MAX = 256 * 1024;

/** Whole lines of the end of a file. */
async function tailLines(file: string): Promise<string[]> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size, TAIL_BYTES)), 0, undefined, start);
    const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
    return start === 0 ? lines : lines.slice(1);
  } finally {
    await handle.close();
  }
}

/** What the user said last in a session of Claude Code. */
async function lastSaid(file: string, session: string, now: Date): Promise<SaidTurn[]> {
  const reader = new ClaudeCodeReader();
  for (const line of await tailLines(file)) {
    try {
      reader.take(objectOf(JSON.parse(line)));
    } catch {
      // The app may still be writing this line; a turn that it holds is read the next time.
    }
  }
  const [conversation] = reader.end();
  return (conversation?.turns ?? [])
    .filter(({ role }) => role === 'user')
    .slice(-TURNS_MAX)
    .map(({ text, at }) => ({ text, app: 'Claude Code', session, at: at ?? now.toISOString() }));
}

async function bankStop(ctx: Context, payload: string): Promise<number> {
  const mode = (await ctx.host.setting('memory.auto_writeback')).value;
  if (mode !== 'salient' && mode !== 'all') return 0;
  if ((await ctx.host.setting('facts.extraction_enabled')).value === false) return 0;
  const { session_id, transcript_path } = objectOf(JSON.parse(payload.slice(0, PAYLOAD_MAX)));
  const file = textOf(transcript_path);
  const session = textOf(session_id);
  if (!file || !session || !isAbsolute(file) || !file.endsWith('.jsonl')) return 0;
  return bankTurns(ctx.host.home, session, await lastSaid(file, session, ctx.now()));
}

/** Nothing when it takes too long or fails: the app goes on, and the next stop looks at the same turns again. */
async function bounded(work: Promise<number>): Promise<number> {
  const { promise: late, resolve } = Promise.withResolvers<number>();
  const timer = setTimeout(() => resolve(0), LIMIT_MS);
  try {
    return await Promise.race([work.catch(() => 0), late]);
  } finally {
    clearTimeout(timer);
  }
}

export default defineOperation({
  name: 'hook_stop',
  title: 'Hook of an agent app',
  summary: 'Puts down what the user said in a session for later extraction; run by an agent app, and always quiet.',
  requirement: 'facts/engine E.4',
  scope: 'write',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: true,
  localOnly: true,
  input: (z) => ({ payload: z.string().describe('What the app says of the stop, as JSON').optional() }),
  output: (z) => z.object({ banked: z.number() }),
  errors: [],
  cli: {
    command: 'hook stop',
    group: 'Setup',
    stdin: 'payload',
    human: ({ banked }) => (banked === 0 ? 'Nothing to put down.' : `Put down ${banked}.`),
  },
  examples: [{ title: 'Nothing was said', input: { payload: '{}' } }],
  run: async (ctx, { payload }) => ({ banked: payload ? await bounded(bankStop(ctx, payload)) : 0 }),
});
