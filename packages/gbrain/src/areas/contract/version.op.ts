// version: which gbrain this is.
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  name: 'version',
  title: 'Version',
  summary: 'Shows the version of gbrain and of the runtime it uses.',
  requirement: 'facts/engine I, Setup and access',
  scope: 'read',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: () => ({}),
  output: (z) => z.object({ version: z.string(), contract_version: z.literal(1), node: z.string() }),
  errors: [],
  cli: { command: 'version', group: 'Contract', human: ({ version }) => version },
  examples: [{ title: 'The version', input: {} }],
  run: async ({ host }) => ({ version: host.version, contract_version: 1 as const, node: process.versions.node }),
});
