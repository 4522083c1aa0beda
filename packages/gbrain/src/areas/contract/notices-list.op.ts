// notices list: which advice codes there are, which can be muted and which are.
import { isMuteable } from '@gbrain/wire/notice-ledger';
import { readMuted } from '../../home/muted.ts';
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';

export default defineOperation({
  name: 'notices_list',
  title: 'List notices',
  summary: 'Lists notice codes with their kind, and which are muted.',
  requirement: 'AGENT_OPERATOR v1, Mute',
  scope: 'read',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      notices: z.array(z.object({ code: z.string(), kind: z.string(), muteable: z.boolean(), muted: z.boolean() })),
    }),
  errors: ['config_error'],
  cli: {
    command: 'notices list',
    group: 'Contract',
    human: ({ notices }) =>
      twoColumns(
        notices.map(({ code, kind, muteable, muted }) => [
          code,
          `${kind.padEnd(8)} ${muted ? 'muted' : muteable ? '' : 'always shown'}`.trimEnd(),
        ]),
        '',
      ).join('\n'),
  },
  examples: [{ title: 'Every notice', input: {} }],
  run: async ({ host }) => {
    const { global, clients } = await readMuted(host.home);
    const muted = new Set([...global, ...(clients.stdio ?? [])]);
    const notices = [...host.registry.notices].map(([code, { kind }]) => ({
      code,
      kind,
      muteable: isMuteable(code, kind),
      muted: muted.has(code),
    }));
    return { notices };
  },
});
