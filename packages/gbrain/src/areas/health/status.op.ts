// get_status_snapshot (`gbrain status`): where the brain is, who has it open, what it holds, what is not set up.
import { readCompleteness } from '@gbrain/wire/json-document';
import type { Context } from '../../context.ts';
import { type Located, locateBrain } from '../../home/locate.ts';
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';
import { explained } from '../../render/table.ts';
import { type Counts, readCounts } from './health.sql.ts';
import { type ReadinessRow, readReadiness } from './readiness.ts';
import { completenessShape, readinessShape } from './row-shape.ts';

const shownUrl = (text: string): string => {
  const url = new URL(text);
  url.password = '';
  return url.toString();
};

function whereOf(located: Located): { engine: 'pglite' | 'postgres' | null; path: string | null; state: string } {
  switch (located.kind) {
    case 'pglite':
      return { engine: 'pglite', path: located.dataDir, state: 'present' };
    case 'postgres':
      return { engine: 'postgres', path: shownUrl(located.url), state: 'present' };
    case 'none':
      return { engine: null, path: null, state: 'no_brain' };
    case 'missing':
      return { engine: 'pglite', path: located.dataDir, state: 'missing_brain' };
    case 'repair_failed':
      return { engine: 'pglite', path: located.dataDir, state: 'repair_failed' };
  }
}

type ShownCounts = Pick<Counts, 'page_count' | 'link_count' | 'chunk_count' | 'last_write'>;

interface BrainPart {
  counts: ShownCounts | null;
  readiness: ReadinessRow[];
  why?: string;
}

/** What only an open brain knows, from the process that has it open; what is in the way otherwise. */
async function readBrain(ctx: Context): Promise<BrainPart> {
  if (!ctx.callBrain) {
    const brain = await ctx.host.openBrain(ctx.target.brain);
    const { page_count, link_count, chunk_count, last_write } = await readCounts(
      brain.store,
      ctx.caller.owner ? 'all' : 'world',
    );
    const counts = { page_count, link_count, chunk_count, last_write };
    return { counts, readiness: await readReadiness(ctx, { brain }) };
  }
  const outcome = await ctx.callBrain({ op: 'get_status_snapshot', args: {}, brain: ctx.target.brain });
  ctx.signal.throwIfAborted();
  if (outcome.kind === 'ok') return outcome.output as BrainPart;
  if (outcome.failure.code === 'unknown_brain') ctx.fail('unknown_brain', { brain: ctx.target.brain });
  return { counts: null, readiness: await readReadiness(ctx), why: outcome.failure.message };
}

export default defineOperation({
  name: 'get_status_snapshot',
  title: 'Status at a glance',
  summary: 'Says where the brain is, who has it open, what it holds and what is not set up.',
  requirement: 'facts/contract G.12; AGENT_OPERATOR v1, Slow reads',
  scope: 'admin',
  surface: 'full',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      version: z.string(),
      home: z.string(),
      brain: z.object({
        engine: z.enum(['pglite', 'postgres']).nullable(),
        path: z.string().nullable(),
        state: z.string(),
      }),
      owner: z.object({ pid: z.number(), transport: z.string(), serve: z.boolean(), version: z.string() }).nullable(),
      counts: z
        .object({
          page_count: z.number(),
          link_count: z.number(),
          chunk_count: z.number(),
          last_write: z.string().nullable(),
        })
        .nullable(),
      why: z.string().optional(),
      readiness: z.array(readinessShape(z)),
      ...completenessShape(z),
    }),
  errors: ['config_error', 'unknown_brain'],
  cli: {
    command: 'status',
    group: 'Health',
    isCommon: true,
    slowRead: 'status',
    opensBrain: () => true,
    human: (status, view) => {
      const { brain, owner, counts, readiness } = status;
      const rows: [string, string][] = [
        ['Brain', brain.path ?? `none yet ${view.dim('(gbrain init makes one)')}`],
        ...(owner
          ? [['Open in', `${owner.serve ? 'a server' : 'a command'}, PID ${owner.pid}`] as [string, string]]
          : []),
        ...(counts
          ? ([
              ['Pages', counts.page_count.toLocaleString('en')],
              ['Links', counts.link_count.toLocaleString('en')],
              ['Last write', counts.last_write?.slice(0, 16).replace('T', ' ') ?? 'never'],
            ] as [string, string][])
          : []),
        ...(status.why ? [['Problem', view.red(status.why)] as [string, string]] : []),
      ];
      const open = readiness.filter(({ state }) => state === 'missing' || state === 'degraded');
      const lines = open.map(({ capability, why }): [string, string] => [capability, why]);
      return [
        ...twoColumns(rows, ''),
        ...(lines.length > 0 ? ['', view.bold('Not set up'), ...explained(lines, view)] : []),
        ...(open.length > 0 || status.why ? ['', view.dim('gbrain doctor says what to do.')] : []),
      ].join('\n');
    },
  },
  examples: [{ title: 'Everything at a glance', input: {} }],
  run: async (ctx) => {
    const startedMs = performance.now();
    const { host } = ctx;
    const located = await locateBrain(host);
    const there = located.kind === 'pglite' || located.kind === 'postgres';
    const found = located.kind === 'pglite' ? host.brainOwner(located.dataDir) : undefined;
    const part = there ? await readBrain(ctx) : { counts: null, readiness: await readReadiness(ctx) };
    const owner = found?.isAlive && found.pid !== process.pid ? found : undefined;
    return {
      version: host.version,
      home: host.home.root,
      brain: whereOf(located),
      owner: owner ? { pid: owner.pid, transport: owner.transport, serve: owner.serve, version: owner.version } : null,
      counts: part.counts,
      ...('why' in part && { why: part.why }),
      readiness: part.readiness,
      ...readCompleteness(performance.now() - startedMs, part.counts ? [] : [{ field: 'counts', reason: 'not_read' }]),
    };
  },
});
