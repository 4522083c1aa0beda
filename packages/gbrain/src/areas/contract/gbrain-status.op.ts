// gbrain_status: the one tool of a server without a brain: why, who can clear it, and another try.
import { locateBrain } from '../../home/locate.ts';
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  name: 'gbrain_status',
  title: 'Why there is no memory',
  summary: 'Says why this server has no brain open and opens it when that is possible.',
  requirement: 'AGENT_OPERATOR v1, transcript 6; facts/contract G.9',
  scope: 'read',
  surface: 'verbs',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  statusOnly: true,
  input: () => ({}),
  output: (z) => z.record(z.string(), z.unknown()),
  errors: ['config_error'],
  cli: { command: 'serve status', group: 'Health', human: (output) => JSON.stringify(output, null, 2) },
  examples: [{ title: 'Look again', input: {} }],
  run: async ({ host }): Promise<Record<string, unknown>> => {
    const located = await locateBrain(host);
    const isThere = located.kind === 'pglite' || located.kind === 'postgres';
    return {
      status: isThere ? 'present' : 'unavailable',
      ...(!isThere && { reason: located.kind }),
      contract_version: 1,
    };
  },
});
