// serve: the MCP server on this process' pipe. It ends with its client.
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  name: 'serve',
  title: 'Serve MCP',
  summary: 'Serves this brain over MCP on stdin and stdout until the client goes away.',
  requirement: 'AGENT_OPERATOR v1, transcript 6; facts/contract G.1',
  scope: 'admin',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  deadlineMs: Number.POSITIVE_INFINITY,
  input: (z) => ({
    surface: z.enum(['verbs', 'starter', 'full']).describe('Which tools the session lists').optional(),
    access: z.enum(['full', 'read-only']).describe('read-only lists reading tools only').default('full'),
  }),
  output: (z) => z.object({ status: z.literal('closed') }),
  errors: ['config_error'],
  cli: { command: 'serve', group: 'Setup', isCommon: true, human: () => '' },
  examples: [
    { title: 'What a registration runs', input: { surface: 'starter' } },
    { title: 'A session that cannot write', input: { access: 'read-only' } },
  ],
  run: async (ctx, { surface, access }) => {
    await ctx.host.serveStdio({ access, signal: ctx.signal, ...(surface && { surface }) });
    return { status: 'closed' as const };
  },
});
