// get_diagnostics (`gbrain diag`): one bounded bundle of what a report of a fault needs. Each section says how it went.
import { readCompleteness } from '@gbrain/wire/json-document';
import type { OpenBrain } from '../../brain.ts';
import type { Context } from '../../context.ts';
import { locateBrain } from '../../home/locate.ts';
import { defineOperation } from '../../operation.ts';
import type { OkOutcome } from '../../outcome.ts';
import { untilStopped } from '../../pipeline/deadline.ts';
import { twoColumns } from '../../render/help.ts';
import { queueOf } from '../writes/queue.ts';
import { readBacklog, readConnections, readFreshness, readHolds } from './health.sql.ts';
import { completenessShape } from './row-shape.ts';

/** Longest time of one section. */
const SECTION_MS = 5_000;

/** One section of the bundle. */
interface Section {
  status: 'ok' | 'not_read' | 'not_applicable' | 'error';
  elapsed_ms: number;
  reason?: string;
  data?: Record<string, unknown>;
}

type Read = () => Promise<Record<string, unknown> | undefined>;

/** Runs a section within its time; what has nothing to say is not applicable. */
async function sectionOf(read: Read, signal: AbortSignal): Promise<Section> {
  const startedMs = performance.now();
  const bound = AbortSignal.any([signal, AbortSignal.timeout(SECTION_MS)]);
  const elapsed = () => Math.round(performance.now() - startedMs);
  try {
    const data = await untilStopped(read(), bound);
    return data ? { status: 'ok', elapsed_ms: elapsed(), data } : { status: 'not_applicable', elapsed_ms: elapsed() };
  } catch (error) {
    signal.throwIfAborted();
    if (bound.aborted) return { status: 'not_read', elapsed_ms: elapsed(), reason: 'bounded' };
    return { status: 'error', elapsed_ms: elapsed(), reason: error instanceof Error ? error.name : 'unknown' };
  }
}

/** Versions: of this program, and of the process that has the brain open where that is another. */
async function readVersion(ctx: Context): Promise<Record<string, unknown>> {
  const { host } = ctx;
  const located = await locateBrain(host);
  const owner = located.kind === 'pglite' ? host.brainOwner(located.dataDir) : undefined;
  const other = owner?.isAlive && owner.pid !== process.pid ? owner : undefined;
  return {
    gbrain: host.version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    brain: located.kind,
    ...(other && { owner: other.version, skew: other.version !== host.version }),
  };
}

/** Timing of one search, stage by stage. */
async function readSearch(brain: OpenBrain): Promise<Record<string, unknown>> {
  const startedMs = performance.now();
  const live = await brain.index();
  const index = await live.current();
  const openedMs = performance.now() - startedMs;
  const reply = await index.search(
    'gbrain diag',
    { sources: 'all', seesPrivate: true },
    { clock: () => performance.now() },
  );
  const stages = reply.stages.map(({ name, elapsedMs }) => [name, Math.round(elapsedMs * 1000) / 1000]);
  return { open_ms: Math.round(openedMs), documents: index.stats().documents, stages_ms: Object.fromEntries(stages) };
}

const brainSections = (brain: OpenBrain): Record<string, Read> => ({
  sources: async () => ({ sources: await readFreshness(brain.store) }),
  holds: async () => ({ files: await readHolds(brain.store) }),
  database: () => readConnections(brain.store),
  work: async () => ({ ...(await readBacklog(brain.store)), waiting_writes: queueOf(brain.store).figures().open }),
  search: () => readSearch(brain),
});

const BRAIN_SECTIONS = ['sources', 'holds', 'database', 'work', 'search'] as const;

type Sections = Record<string, Section>;

/** Sections of the brain, from the process that has it open. */
async function readBrainSections(ctx: Context): Promise<Sections> {
  if (ctx.callBrain) {
    const outcome = await ctx.callBrain({ op: 'get_diagnostics', args: {}, brain: ctx.target.brain });
    ctx.signal.throwIfAborted();
    if (outcome.kind === 'ok') return ((outcome as OkOutcome).output as { sections: Sections }).sections;
    const { code } = outcome.failure;
    return Object.fromEntries(
      BRAIN_SECTIONS.map((name) => [name, { status: 'not_read', elapsed_ms: 0, reason: code }]),
    );
  }
  const brain = await ctx.host.openBrain(ctx.target.brain);
  const sections: Sections = {};
  for (const [name, read] of Object.entries(brainSections(brain))) sections[name] = await sectionOf(read, ctx.signal);
  return sections;
}

export default defineOperation({
  name: 'get_diagnostics',
  title: 'A bundle for a report',
  summary: 'Gathers versions, sources, held files, connections and the timing of a search, each within five seconds.',
  requirement: 'AGENT_OPERATOR v1, Slow reads',
  scope: 'admin',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  localOnly: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      sections: z.record(
        z.string(),
        z.object({
          status: z.enum(['ok', 'not_read', 'not_applicable', 'error']),
          elapsed_ms: z.number(),
          reason: z.string().optional(),
          data: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
      ...completenessShape(z),
      contract_version: z.literal(1),
    }),
  errors: [],
  cli: {
    command: 'diag',
    group: 'Health',
    slowRead: 'diag',
    printsJson: true,
    opensBrain: () => true,
    human: ({ sections }) =>
      Object.entries(sections)
        .flatMap(([name, { status, elapsed_ms, reason, data }]) => [
          `${name}  ${status}${reason ? ` (${reason})` : ''}, ${elapsed_ms} ms`,
          ...twoColumns(Object.entries(data ?? {}).map(([key, value]) => [key, JSON.stringify(value)])),
        ])
        .join('\n'),
  },
  examples: [{ title: 'For a report', input: {} }],
  run: async (ctx) => {
    const startedMs = performance.now();
    const version = await sectionOf(() => readVersion(ctx), ctx.signal);
    const sections: Sections = { version, ...(await readBrainSections(ctx)) };
    const unread = Object.entries(sections).filter(([, { status }]) => status === 'not_read' || status === 'error');
    const incomplete = unread.map(([field, { reason }]) => ({
      field: `sections.${field}`,
      reason: reason === 'bounded' ? ('bounded' as const) : ('not_read' as const),
    }));
    return { sections, ...readCompleteness(performance.now() - startedMs, incomplete), contract_version: 1 as const };
  },
});
