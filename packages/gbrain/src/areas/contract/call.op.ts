// call: any tool by its own name with JSON arguments, from a terminal.
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  name: 'call',
  title: 'Raw tool call',
  summary: 'Calls a tool by its name with a JSON object of arguments.',
  requirement: 'facts/engine I, Health, contract, eval',
  scope: 'read',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    tool: z.string().describe('Name of the tool'),
    arguments: z.record(z.string(), z.unknown()).describe('Arguments as one JSON object').default({}),
  }),
  output: (z) => z.unknown(),
  errors: [],
  cli: {
    command: 'call',
    group: 'Contract',
    positionals: ['tool', 'arguments'],
    rewrite: (input) => ({ op: input.tool, args: input.arguments }),
    human: (output) => JSON.stringify(output, null, 2),
  },
  examples: [{ title: 'List three pages', input: { tool: 'list_pages', arguments: { limit: 3 } } }],
  run: async () => {
    throw new Error('call is rewritten to the tool that it names');
  },
});
