// protocol conformance: checks any MCP server against protocol 1 of the memory verbs, clause by clause.
import { defineOperation } from '../../operation.ts';
import { runChecks } from './run-checks.ts';
import { openTarget } from './target.ts';

/** A far server with a model behind it may take minutes. */
const DEADLINE_MS = 15 * 60_000;

export default defineOperation({
  name: 'protocol_conformance',
  title: 'Check a memory server',
  summary: 'Checks a server against the frozen protocol of the seven verbs; it writes one fact there and forgets it.',
  requirement: 'issue Memory, gbrain protocol; facts/contract A.1, G.6',
  scope: 'admin',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: true,
  localOnly: true,
  deadlineMs: DEADLINE_MS,
  input: (z) => ({
    target: z
      .string()
      .min(1)
      .describe('Command that serves MCP on its pipe, or http address; left out: this gbrain on an empty brain')
      .optional(),
    token: z.string().min(1).describe('Bearer token for an address (or GBRAIN_TARGET_TOKEN)').optional(),
    read_only: z.boolean().describe('Leave out what writes').optional(),
    slack: z.number().min(1).max(1000).describe('Multiplies the latency bounds, for a far server').default(1),
  }),
  output: (z) =>
    z.object({
      target: z.string(),
      server: z.object({ name: z.string(), version: z.string() }),
      protocol_version: z.literal(1),
      passed: z.number(),
      failed: z.number(),
      skipped: z.number(),
      elapsed_ms: z.number(),
      checks: z.array(
        z.object({
          name: z.string(),
          verb: z.string().optional(),
          status: z.enum(['pass', 'fail', 'skip']),
          why: z.string().optional(),
        }),
      ),
      contract_version: z.literal(1),
    }),
  errors: ['target_unreachable'],
  cli: {
    command: 'protocol conformance',
    group: 'Contract',
    human: ({ target, server, passed, failed, skipped, checks }, view) =>
      [
        `${server.name} ${server.version}  ${view.dim(target)}`,
        ...checks.map(({ name, status, why }) => {
          const mark = status === 'pass' ? view.green('pass') : status === 'fail' ? view.red('FAIL') : view.dim('skip');
          return `  ${mark}  ${name}${status === 'fail' ? `: ${why}` : ''}`;
        }),
        view.bold(`${passed} passed, ${failed} failed, ${skipped} skipped`),
      ].join('\n'),
    exit: ({ failed }) => (failed > 0 ? 1 : 0),
  },
  examples: [
    { title: 'This gbrain', input: {} },
    { title: 'A server on a pipe', input: { target: '/opt/memory/bin/memory serve' } },
    { title: 'A server at an address', input: { target: 'https://memory.example/mcp', token: 'of-your-client' } },
  ],
  run: async (ctx, { target, token, read_only, slack }) => {
    const startedAt = performance.now();
    const checked = await openTarget(ctx, target, token ?? ctx.host.env.GBRAIN_TARGET_TOKEN);
    try {
      const subject = {
        server: checked.server,
        marker: `mark-${ctx.newId().slice(0, 13)}`,
        nowMs: () => performance.now(),
        slack,
      };
      const checks = await runChecks(subject, {
        readOnly: read_only ?? false,
        signal: ctx.signal,
        onProgress: (done, total) => ctx.progress({ what: 'checking', done, total }),
      });
      const count = (status: string) => checks.filter((one) => one.status === status).length;
      return {
        target: checked.shown,
        server: checked.server.about,
        protocol_version: 1 as const,
        passed: count('pass'),
        failed: count('fail'),
        skipped: count('skip'),
        elapsed_ms: Math.round(performance.now() - startedAt),
        checks,
        contract_version: 1 as const,
      };
    } finally {
      await checked.close();
    }
  },
});
