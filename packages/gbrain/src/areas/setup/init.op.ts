// init: makes the brain of this home and asks the first-run questions once, without waiting for an answer.
import type { Context } from '../../context.ts';
import type { MadeBrain } from '../../host.ts';
import { defineOperation } from '../../operation.ts';
import { contentShape } from '../content/directory.ts';
import { checkEmbedding, embeddingCheckShape, keepEmbedding, requireEmbedding } from './embedding-choice.ts';
import { findHarnesses } from './harnesses.ts';

/** Says what a brain that was there before could do better; a new one has nothing to be told. */
async function adviseOn(ctx: Context, made: MadeBrain): Promise<void> {
  if (!made.existing || !made.pages || !ctx.callBrain || ctx.host.env.GBRAIN_NO_ONBOARD_NUDGE === '1') return;
  const outcome = await ctx.callBrain({ op: 'run_onboard', args: {} });
  if (outcome.kind !== 'ok') return;
  const { opportunities } = outcome.output as { opportunities: { message: string }[] };
  const gaps = opportunities.map(({ message }) => message).join('; ');
  if (gaps !== '') ctx.notice('onboard_opportunities', { gaps });
}

export default defineOperation({
  name: 'init',
  title: 'Make a brain',
  summary: 'Makes the brain of this home: embedded, or on a Postgres server. Needs no key.',
  requirement: 'AGENT_OPERATOR v1, First run',
  scope: 'admin',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: true,
  input: (z) => ({
    pglite: z.boolean().describe('Embedded engine in this home (the default)').optional(),
    url: z.string().describe('Address of a Postgres server, postgres://...').optional(),
    embedding: z.boolean().describe('--no-embedding: keyword search only, no key needed').optional(),
    embedding_model: z.string().describe('Model of the vectors, provider:model').optional(),
    embedding_dimensions: z.number().int().min(1).max(16_000).describe('Size of the vectors').optional(),
    surface: z.enum(['verbs', 'starter', 'full']).describe('Surface of the registration it prints').default('starter'),
  }),
  output: (z) =>
    z.object({
      status: z.literal('success'),
      engine: z.enum(['pglite', 'postgres']),
      path: z.string(),
      pages: z.number().optional(),
      existing: z.boolean(),
      embedding_check: embeddingCheckShape(z),
      content: contentShape(z).optional(),
      contract_version: z.literal(1),
    }),
  errors: ['config_error', 'storage_error', 'lock_busy', 'brain_unopenable', 'brain_unreachable', 'migrations_pending'],
  notices: ['first_run_decisions', 'onboard_opportunities'],
  cli: {
    command: 'init',
    group: 'Setup',
    isCommon: true,
    isTalk: true,
    human: ({ existing, path, pages }, view) =>
      [
        `${view.bold(existing ? 'Brain is already there' : 'Brain is ready')}  ${path}`,
        `Pages  ${pages ?? 'open in another process'}`,
        `Next   gbrain put notes/hello --file hello.md, then gbrain get notes/hello`,
      ].join('\n'),
  },
  examples: [
    { title: 'An embedded brain without a key', input: { pglite: true, embedding: false } },
    { title: 'With vectors of a model', input: { embedding_model: 'openai:text-embedding-3-small' } },
    { title: 'A brain on a server', input: { url: 'postgres://gbrain@localhost/gbrain' } },
  ],
  run: async (ctx, input) => {
    const { host } = ctx;
    const { pglite, url, surface } = input;
    if (pglite && url !== undefined) {
      return ctx.fail('invalid_params', {
        param: 'url',
        problem: 'shape',
        expected: 'left out when --pglite is given',
      });
    }
    await requireEmbedding(ctx, input);
    const made = await host.createBrain(url === undefined ? { engine: 'pglite' } : { engine: 'postgres', url });
    if ((await host.setting('search.mode')).plane === 'default')
      await host.fileConfig.write('search.mode', 'conservative');
    await keepEmbedding(ctx, input);
    const mode = await host.setting('search.mode');
    const harnesses = findHarnesses(host.env.PATH ?? '', surface);
    await adviseOn(ctx, made);
    ctx.notice('first_run_decisions', { searchMode: mode.value, launcher: host.launcher, surface, harnesses });
    return {
      status: 'success' as const,
      engine: made.engine,
      path: made.path,
      ...(made.pages !== undefined && { pages: made.pages }),
      existing: made.existing,
      embedding_check: await checkEmbedding(ctx),
      ...(made.content && { content: made.content }),
      contract_version: 1 as const,
    };
  },
});
