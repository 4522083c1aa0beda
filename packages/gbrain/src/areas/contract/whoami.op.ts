// whoami: what this connection is and may do.
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  name: 'whoami',
  title: 'Who am I',
  summary: 'Says over which transport this connection comes and what it may do.',
  requirement: 'facts/contract G.7',
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
    }),
  errors: [],
  cli: {
    command: 'whoami',
    group: 'Contract',
    human: ({ transport }) => (transport === 'local' ? 'the owner, at this machine' : transport),
  },
  examples: [{ title: 'This connection', input: {} }],
  run: async ({ caller }) => {
    // The owner at the machine has no scopes: nothing limits them.
    if (caller.transport === 'cli' || caller.transport === 'job') return { transport: 'local' as const, scopes: [] };
    return {
      transport: caller.transport === 'stdio' ? ('stdio' as const) : ('oauth' as const),
      scopes: [...caller.scopes],
      surface: caller.surface,
      surface_source: caller.surfaceSource,
      access: caller.access,
    };
  },
});
