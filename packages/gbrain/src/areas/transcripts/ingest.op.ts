// transcripts ingest: takes conversations with agents in as pages, from session files and from data exports.
import { access } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Context } from '../../context.ts';
import { raise } from '../../failure.ts';
import { defineOperation } from '../../operation.ts';
import { nearestFolder } from '../ingest/nearest-folder.ts';
import { WRITE_ERRORS } from '../writes/submit.ts';
import { FORMATS } from './conversation.ts';
import { transcriptFiles, transcriptRoots } from './find-files.ts';
import { factsConsent, planFacts, plannedFacts, runFacts } from './ingest-facts.ts';
import { type IngestReply, ingestLines, ingestShape } from './ingest-reply.ts';
import { type IngestAsk, runIngest } from './run-ingest.ts';

/** A run may take as long as its files need; the caller can always cut it off, and go on later. */
const DEADLINE_MS = 24 * 60 * 60_000;

const REASONS: Record<string, string> = { ENOENT: 'missing', ENOTDIR: 'missing', EACCES: 'no_permission' };

/** Files below a path. Raises `transcripts_unreadable`. */
async function filesAt(ctx: Context, path: string): Promise<string[]> {
  const refuse = (reason: string, error?: unknown): never =>
    raise('transcripts_unreadable', { path, above: nearestFolder(path), reason }, error);
  if (!isAbsolute(path)) return refuse('not_absolute');
  try {
    await access(path);
    return await transcriptFiles(path, ctx.signal);
  } catch (error) {
    ctx.signal.throwIfAborted();
    return refuse(REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? 'no_permission', error);
  }
}

/** Files of every app's own folder; a folder that is not there holds none. */
async function allFiles(ctx: Context): Promise<string[]> {
  const found = transcriptRoots(ctx.host.env).map(({ path }) => transcriptFiles(path, ctx.signal).catch(() => []));
  ctx.signal.throwIfAborted();
  return (await Promise.all(found)).flat();
}

interface Input {
  path?: string | undefined;
  all?: boolean | undefined;
  format?: (typeof FORMATS)[number] | undefined;
  since?: string | undefined;
  private?: boolean | undefined;
  force?: boolean | undefined;
  facts?: boolean | undefined;
  dry_run?: boolean | undefined;
}

/** The files and filters of a call. Ends it where it names neither files nor apps, or both. */
async function askOf(ctx: Context, input: Input): Promise<IngestAsk> {
  if ((input.path === undefined) === (input.all !== true)) {
    const isNone = input.path === undefined;
    return ctx.fail('invalid_params', {
      tool: 'transcripts_ingest',
      param: isNone ? 'path' : 'all',
      problem: 'shape',
      expected: isNone ? 'a file or folder, or --all for the apps of this machine' : 'left out beside a path',
      ...(isNone && { corrected: { all: true, dry_run: true } }),
    });
  }
  return {
    files: input.path === undefined ? await allFiles(ctx) : await filesAt(ctx, input.path),
    ...(input.format && { format: input.format }),
    ...(input.since !== undefined && { since: input.since }),
    isPrivate: input.private ?? false,
    force: input.force ?? false,
    dryRun: input.dry_run ?? false,
  };
}

export default defineOperation({
  name: 'transcripts_ingest',
  title: 'Take conversations in',
  summary:
    'Takes sessions of agent apps and exports of chats in as pages, credentials struck out; again takes what grew.',
  requirement: 'facts/engine G.5; issue Memory, Conversations in',
  scope: 'admin',
  surface: 'cli',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  localOnly: true,
  deadlineMs: DEADLINE_MS,
  consent: async (ctx, input) =>
    input.facts && !input.dry_run ? factsConsent(ctx, await askOf(ctx, input), { ...input }) : undefined,
  input: (z) => ({
    path: z.string().min(1).describe('Session file, export or folder of them').optional(),
    all: z.boolean().describe('The session folders of Claude Code, Codex, OpenCode and Pi on this machine').optional(),
    format: z.enum(FORMATS).describe('Only conversations of this app').optional(),
    since: z
      .string()
      .regex(/^\d{4}-\d\d-\d\d$/)
      .describe('Only conversations that began on this day (YYYY-MM-DD) or later')
      .optional(),
    private: z.boolean().describe('Only the owner sees the pages; agents do not').optional(),
    force: z.boolean().describe('Overwrite pages that were edited or deleted here; a version is kept').optional(),
    facts: z
      .boolean()
      .describe('Also take facts out of what you said, with a chat model; asks first, at most 5 dollars')
      .optional(),
    dry_run: z.boolean().describe('Only say what would happen').optional(),
  }),
  output: (z) => ingestShape(z),
  errors: [
    ...WRITE_ERRORS,
    'transcripts_unreadable',
    'unavailable',
    'no_pricing',
    'derived_cap_exhausted',
    'cost_cap_exceeded',
  ],
  notices: ['chat_fallback_hop', 'spend_unpriced'],
  cli: {
    command: 'transcripts ingest',
    group: 'Sources',
    positionals: ['path'],
    paths: ['path'],
    human: (reply, view) => ingestLines(reply, view),
    exit: (reply) => (reply.failed > 0 ? 1 : 0),
  },
  examples: [
    { title: 'Look first', input: { all: true, dry_run: true } },
    { title: 'Sessions of this machine since June', input: { all: true, since: '2026-06-01' } },
    { title: 'What facts wait in them, and what they may cost', input: { all: true, facts: true, dry_run: true } },
    { title: 'An unpacked export', input: { path: '/home/alice-example/chatgpt-export' } },
  ],
  run: async (ctx, input): Promise<IngestReply> => {
    const ask = await askOf(ctx, input);
    // Before anything is written: without a model the user decides whether the pages come in alone.
    const plan = input.facts ? await planFacts(ctx, ask) : undefined;
    const reply = await runIngest(ctx, ask);
    if (!plan) return reply;
    if (ask.dryRun) return { ...reply, facts: plannedFacts(plan) };
    return { ...reply, facts: await runFacts(ctx, ask, { plan, input: { ...input } }) };
  },
});
