// whoami: what this connection is and may do, and which parts of the setup are ready.
import type { Context } from '../../context.ts';
import { defineOperation } from '../../operation.ts';
import { type ReadinessRow, readReadiness, worstOf } from '../health/readiness.ts';
import { readinessShape } from '../health/row-shape.ts';

/** The process that has the brain open answers for it within this time, in milliseconds. */
const BRAIN_MS = 5_000;

/**
 * Readiness from where the brain is open. At the command line nothing is opened for this (`status` and `doctor` do
 * that), so the brain's own rows are unknown.
 */
async function readinessOf(ctx: Context<string>): Promise<ReadinessRow[]> {
  if (!ctx.callBrain) {
    const brain = await ctx.host.openBrain(ctx.target.brain).catch(() => undefined);
    return readReadiness(ctx, brain ? { brain } : {});
  }
  if (ctx.caller.transport === 'cli') return readReadiness(ctx);
  const outcome = await ctx.callBrain({ op: 'whoami', args: {}, timeoutMs: BRAIN_MS });
  ctx.signal.throwIfAborted();
  return outcome.kind === 'ok' ? (outcome.output as { readiness: ReadinessRow[] }).readiness : readReadiness(ctx);
}

export default defineOperation({
  name: 'whoami',
  title: 'Who am I',
  summary: 'Says over which transport this connection comes, what it may do and what is not set up.',
  requirement: 'facts/contract G.7, K.2',
  scope: 'read',
  surface: 'starter',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      transport: z.enum(['local', 'stdio', 'oauth']),
      scopes: z.array(z.string()),
      surface: z.string().optional(),
      surface_source: z.string().optional(),
      access: z.string().optional(),
      readiness: z.array(readinessShape(z)),
    }),
  errors: [],
  cli: {
    command: 'whoami',
    group: 'Contract',
    human: ({ transport, readiness }, view) =>
      [
        transport === 'local' ? 'the owner, at this machine' : transport,
        ...worstOf(readiness, 2).map(({ capability, why }) => view.dim(`${capability}: ${why}`)),
      ].join('\n'),
  },
  examples: [{ title: 'This connection', input: {} }],
  run: async (ctx) => {
    const { caller } = ctx;
    const readiness = await readinessOf(ctx);
    // The owner at the machine has no scopes: nothing limits them.
    if (caller.transport === 'cli' || caller.transport === 'job') {
      return { transport: 'local' as const, scopes: [], readiness };
    }
    return {
      transport: caller.transport === 'stdio' ? ('stdio' as const) : ('oauth' as const),
      scopes: [...caller.scopes],
      surface: caller.surface,
      surface_source: caller.surfaceSource,
      access: caller.access,
      readiness,
    };
  },
});
