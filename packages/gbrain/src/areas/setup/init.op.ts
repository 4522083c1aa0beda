// init: makes the brain of this home and asks the first-run questions once, without waiting for an answer.
import type { Context } from '../../context.ts';
import type { MadeBrain } from '../../host.ts';
import { defineOperation } from '../../operation.ts';
import { contentShape } from '../content/directory.ts';
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
    surface: z.enum(['verbs', 'starter', 'full']).describe('Surface of the registration it prints').default('starter'),
  }),
  output: (z) =>
    z.object({
      status: z.literal('success'),
      engine: z.enum(['pglite', 'postgres']),
      path: z.string(),
      pages: z.number().optional(),
      existing: z.boolean(),
      embedding_check: z.object({ ok: z.literal(true), skipped: z.literal('no_embedding') }),
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
    { title: 'A brain on a server', input: { url: 'postgres://gbrain@localhost/gbrain' } },
  ],
  run: async (ctx, { pglite, url, surface, embedding }) => {
    const { host } = ctx;
    if (pglite && url !== undefined) {
      return ctx.fail('invalid_params', {
        param: 'url',
        problem: 'shape',
        expected: 'left out when --pglite is given',
      });
    }
    const made = await host.createBrain(url === undefined ? { engine: 'pglite' } : { engine: 'postgres', url });
    if ((await host.setting('search.mode')).plane === 'default')
      await host.fileConfig.write('search.mode', 'conservative');
    // A key in the environment must not turn on what the user turned off.
    if (embedding === false && (await host.setting('embedding_model')).plane === 'default')
      await host.fileConfig.write('embedding_model', 'off');
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
      embedding_check: { ok: true as const, skipped: 'no_embedding' as const },
      ...(made.content && { content: made.content }),
      contract_version: 1 as const,
    };
  },
});
