// mute_notice: a session stops a coaching or info notice, for every stdio session of this machine.
import { defineOperation } from '../../operation.ts';
import { setMuted } from './mute.ts';

export default defineOperation({
  name: 'mute_notice',
  title: 'Mute a notice',
  summary: 'Stops a coaching or info notice, or first_run_decisions, from being shown again.',
  requirement: 'AGENT_OPERATOR v1, Mute',
  scope: 'write',
  surface: 'starter',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: true,
  input: (z) => ({
    code: z.string().describe('Notice code'),
    muted: z.boolean().describe('False shows it again').default(true),
  }),
  output: (z) =>
    z.object({ code: z.string(), muted: z.boolean(), scope: z.string(), muted_codes: z.array(z.string()) }),
  errors: ['config_error', 'storage_error'],
  cli: {
    command: 'notices mute',
    group: 'Contract',
    positionals: ['code'],
    plainPositionals: true,
    human: ({ code, muted }) => `${code} is ${muted ? 'muted' : 'shown'}`,
  },
  examples: [{ title: 'Put the first-run question away', input: { code: 'first_run_decisions' } }],
  run: async (ctx, { code, muted }) => {
    const { transport, principal } = ctx.caller;
    return setMuted(ctx, transport === 'http' ? principal : transport === 'cli' ? 'global' : 'stdio', code, muted);
  },
});
