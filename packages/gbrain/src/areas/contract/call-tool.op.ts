// call_tool: any tool of this caller by its name: `gbrain call`, and MCP revisions whose tool list may not change.
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  name: 'call_tool',
  title: 'Call a tool by name',
  summary: 'Calls a tool that request_tools described, with the same rules as its own name.',
  requirement: 'design/decisions 22',
  scope: 'read',
  surface: 'starter',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: false,
  destructive: true,
  input: (z) => ({
    name: z.string().describe('Name of the tool'),
    arguments: z.record(z.string(), z.unknown()).describe('Its arguments').optional(),
  }),
  output: (z) => z.unknown(),
  errors: [],
  cli: {
    command: 'call',
    group: 'Contract',
    positionals: ['name', 'arguments'],
    rewrite: (input) => ({ op: input.name, args: input.arguments ?? {} }),
    human: (output) => JSON.stringify(output, null, 2),
  },
  examples: [{ title: 'List three pages', input: { name: 'list_pages', arguments: { limit: 3 } } }],
  run: async () => {
    throw new Error('call_tool is rewritten to the tool that it names');
  },
});
