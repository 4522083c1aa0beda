// help: the list of commands, or one command with its flags and examples.

import { closest } from '@gbrain/wire/did-you-mean';
import { defineOperation } from '../../operation.ts';
import { commandHelp, commandList } from '../../render/help.ts';

export default defineOperation({
  name: 'help',
  title: 'Help',
  summary: 'Lists the commands, or shows the flags and examples of one.',
  requirement: 'style: help with examples, did-you-mean',
  scope: 'read',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    command: z.string().describe('Command, tool name or the first word of a group').optional(),
  }),
  output: (z) => z.object({ text: z.string(), commands: z.array(z.string()) }),
  errors: ['unknown_command'],
  cli: {
    command: 'help',
    group: 'Contract',
    positionals: ['command'],
    plainPositionals: true,
    joinRest: true,
    human: ({ text }) => text,
  },
  examples: [
    { title: 'Every command', input: {} },
    { title: 'One command', input: { command: 'get' } },
  ],
  run: async (ctx, { command }) => {
    const { registry } = ctx.host;
    const commands = registry.operations.map(({ cli }) => cli.command);
    if (command === undefined) return { text: commandList(registry, ctx.host.version), commands };
    const operation = registry.operation(command) ?? registry.command(command.split(' '))?.operation;
    if (operation) return { text: commandHelp(operation), commands: [operation.cli.command] };
    const group = commands.filter((one) => one.startsWith(`${command} `));
    if (group.length > 0) return { text: commandList(registry, ctx.host.version, group), commands: group };
    const near = closest(command, commands);
    return ctx.fail('unknown_command', { command: command.slice(0, 80), ...(near && { closest: near }) });
  },
});
