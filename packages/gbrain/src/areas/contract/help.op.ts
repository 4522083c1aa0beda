// help: the first steps, the list of commands, a group of them, or one command with its flags and examples.
import { closest } from '@gbrain/wire/did-you-mean';
import { CLI_GROUPS, defineOperation, type HumanView } from '../../operation.ts';
import {
  firstSteps,
  groupsText,
  type HelpGroup,
  type HelpPage,
  helpGroups,
  helpPage,
  overviewText,
  pageText,
} from '../../render/help.ts';

const same = (text: string): string => text;

/** Text for a program: no colours, and nothing is broken into lines for a width. */
const PLAIN: HumanView = {
  colour: false,
  columns: Number.POSITIVE_INFINITY,
  bold: same,
  dim: same,
  green: same,
  yellow: same,
  red: same,
  cyan: same,
};

interface Help {
  version: string;
  groups?: HelpGroup[] | undefined;
  page?: HelpPage | undefined;
  steps?: HelpGroup['examples'] | undefined;
}

function helpText({ version, groups = [], page, steps }: Help, view: HumanView): string {
  if (page) return pageText(page, view);
  if (steps) return overviewText({ version, steps, groups }, view);
  return groupsText(groups, view, groups.length > 1 ? version : undefined);
}

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
    command: z.string().describe('Command, tool name, group, or the first word of several commands').optional(),
    overview: z.boolean().describe('Only the first steps and the names of the commands').optional(),
  }),
  output: (z) => {
    const example = z.object({ command: z.string(), title: z.string() });
    const named = z.object({ name: z.string(), text: z.string() });
    return z.object({
      text: z.string(),
      commands: z.array(z.string()),
      version: z.string(),
      steps: z.array(example).optional(),
      groups: z
        .array(
          z.object({
            name: z.string(),
            commands: z.array(z.object({ usage: z.string(), summary: z.string() })),
            examples: z.array(example),
          }),
        )
        .optional(),
      page: z
        .object({
          usage: z.string(),
          summary: z.string(),
          takes: z.array(named),
          flags: z.array(named),
          examples: z.array(example),
          tool: z.string().optional(),
        })
        .optional(),
    });
  },
  errors: ['unknown_command'],
  cli: {
    command: 'help',
    group: 'Contract',
    isCommon: true,
    positionals: ['command'],
    plainPositionals: true,
    joinRest: true,
    human: (help, view) => helpText(help, view),
  },
  examples: [
    { title: 'Every command', input: {} },
    { title: 'One command', input: { command: 'get' } },
  ],
  run: async (ctx, { command, overview }) => {
    const { registry, version } = ctx.host;
    const all = registry.operations.map(({ cli }) => cli.command);
    const told = (help: Omit<Help, 'version'>, commands: string[]) => ({
      text: helpText({ version, ...help }, PLAIN),
      commands,
      version,
      ...help,
    });
    if (command === undefined) {
      const groups = helpGroups(registry);
      return told(overview ? { groups, steps: firstSteps(registry) } : { groups }, all);
    }
    const operation = registry.operation(command) ?? registry.command(command.split(' '))?.operation;
    if (operation) return told({ page: helpPage(operation) }, [operation.cli.command]);
    const group = CLI_GROUPS.find((name) => name.toLowerCase() === command.toLowerCase());
    const inGroup = registry.operations.flatMap(({ cli }) => (cli.group === group ? [cli.command] : []));
    const named = group ? inGroup : all.filter((one) => one.startsWith(`${command} `));
    if (named.length > 0) return told({ groups: helpGroups(registry, named) }, named);
    const near = closest(command, all);
    return ctx.fail('unknown_command', { command: command.slice(0, 80), ...(near && { closest: near }) });
  },
});
