// notices mute: the owner stops a notice from being shown.
import { defineOperation } from '../../operation.ts';
import { setMuted } from './mute.ts';

export default defineOperation({
  name: 'notices_mute',
  title: 'Mute a notice',
  summary: 'Stops a coaching or info notice for everybody on this machine.',
  requirement: 'AGENT_OPERATOR v1, Mute',
  scope: 'write',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: true,
  input: (z) => ({ code: z.string().describe('Notice code') }),
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
  examples: [{ title: 'Mute the first-run question', input: { code: 'first_run_decisions' } }],
  run: async (ctx, { code }) => setMuted(ctx, 'global', code, true),
});
