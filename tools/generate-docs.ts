// Pages under docs/generated, each from a registry: what the product says of itself cannot go stale.
import { generateHarnessProtocolDoc } from '@gbrain/brain-protocol/harness-doc';
import { generateBrainProtocolSchema } from '@gbrain/brain-protocol/schemas';
import { shellQuote } from '@gbrain/wire/shell-quote';
import { generateSessionApiDoc } from '../packages/brain/src/http/api-doc.ts';
import { callArgv, flagOf } from '../packages/gbrain/src/command-line.ts';
import { errors } from '../packages/gbrain/src/generated/errors.ts';
import { notices } from '../packages/gbrain/src/generated/notices.ts';
import { operations } from '../packages/gbrain/src/generated/operations.ts';
import { settings } from '../packages/gbrain/src/generated/settings.ts';
import { CLI_GROUPS, type Operation } from '../packages/gbrain/src/operation.ts';
import { buildRegistry } from '../packages/gbrain/src/registry.ts';
import { usage } from '../packages/gbrain/src/render/help.ts';
import { outputSchema, wireSchema } from '../packages/gbrain/src/schema.ts';
import { agentContract, exitCodes } from './contract-docs.ts';
import { page, table } from './doc-page.ts';

const registry = buildRegistry({ operations, errors, notices, settings });

function errorCodes(): string {
  const rows = [...registry.errors].sort(([a], [b]) => (a < b ? -1 : 1));
  const sections = rows.map(([code, row]) => {
    const facts = [
      ['class', row.class],
      ['exit', row.exit ?? 1],
      ['retry with the same request', row.retryable === undefined ? row.class === 'retryable' : 'depends on the case'],
      ...(row.reasons ? [['reasons', row.reasons.join(', ')]] : []),
      ...(row.legacyError ? [['value of `error`', row.legacyError]] : []),
    ];
    return `## ${code}\n\n${row.summary}\n\n${table(['fact', 'value'], facts)}`;
  });
  return page('Error codes', 'Every code that gbrain raises. Offline: `gbrain errors <code>`.', ...sections);
}

function noticeCodes(): string {
  const rows = [...registry.notices].map(([code, row]) => [
    code,
    row.kind,
    row.perCall ? 'every call' : 'once',
    row.summary,
  ]);
  return page(
    'Notices',
    'Advice that rides a successful result.',
    table(['code', 'kind', 'shown', 'what it says'], rows),
  );
}

function settingKeys(): string {
  const rows = [...registry.settings].map(([key, row]) => [
    `\`${key}\``,
    row.type === 'enum' ? row.values.join(', ') : row.type,
    row.default ?? '',
    row.env ? `\`${row.env}\`` : '',
    row.summary,
  ]);
  return page('Settings', table(['key', 'values', 'default', 'environment', 'what it does'], rows));
}

function commandSection(operation: Operation): string {
  const { properties, required = [] } = wireSchema(operation, { listFullOnly: true });
  const rows = Object.entries(properties).map(([field, property]) => [
    operation.cli.positionals?.includes(field) ? `<${field}>` : flagOf(field),
    property.type,
    required.includes(field) ? 'yes' : '',
    property.default === undefined ? '' : JSON.stringify(property.default),
    `${property.description ?? ''}${property.enum ? ` (${property.enum.join(', ')})` : ''}`,
  ]);
  const examples = operation.examples.map(
    ({ title, input }) => `# ${title}\n${shellQuote(callArgv(operation, input))}`,
  );
  return [
    `### gbrain ${usage(operation)}`,
    operation.summary,
    ...(rows.length > 0 ? [table(['flag', 'type', 'needed', 'default', 'what it is'], rows)] : []),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n');
}

function commands(): string {
  const groups = CLI_GROUPS.map((group) => registry.operations.filter(({ cli }) => cli.group === group));
  const sections = groups
    .filter((group) => group.length > 0)
    .map((group) => `## ${group[0]!.cli.group}\n\n${group.map(commandSection).join('\n\n')}`);
  return page('Commands', 'Every command takes `--json` for one JSON document on stdout.', ...sections);
}

function toolCatalogue(): string {
  const rows = registry.operations
    .filter(({ surface }) => surface !== 'cli')
    .map((operation) => [
      `\`${operation.name}\``,
      operation.surface,
      operation.scope,
      operation.mutating ? 'writes' : 'reads',
      `\`gbrain ${operation.cli.command}\``,
      operation.summary,
    ]);
  return page(
    'Tool catalogue',
    table(['tool', 'smallest surface', 'scope', 'effect', 'command', 'what it gives'], rows),
  );
}

function schemas(): string {
  const rows = registry.operations.map((operation) => [
    operation.name,
    {
      title: operation.title,
      input: wireSchema(operation, { listFullOnly: true }),
      output: outputSchema(operation),
    },
  ]);
  return `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`;
}

/** The commands that run beside the open brain, as a list that is read without loading an operation. */
function brainCommands(): string {
  const isBrains = ({ where, cli }: Operation) => where === 'brain' && cli.slowRead === undefined;
  const words = registry.operations.filter(isBrains).flatMap(({ cli }) => [cli.command, ...(cli.aliases ?? [])]);
  const rows = words.filter((command) => !command.includes(' --')).sort();
  return [
    '// Written by npm run generate from the operations; do not edit.',
    'export const brainCommands: ReadonlySet<string> = new Set([',
    ...rows.map((command) => `  '${command}',`),
    ']);',
    '',
  ].join('\n');
}

/** Generated pages, and lists made of live definitions: path below the root -> text. */
export async function docFiles(): Promise<Map<string, string>> {
  return new Map([
    ['packages/gbrain/src/generated/brain-commands.ts', brainCommands()],
    ['docs/generated/agent-contract.md', agentContract(registry)],
    ['docs/generated/error-codes.md', errorCodes()],
    ['docs/generated/exit-codes.md', exitCodes()],
    ['docs/generated/notices.md', noticeCodes()],
    ['docs/generated/settings.md', settingKeys()],
    ['docs/generated/commands.md', commands()],
    ['docs/generated/tool-catalogue.md', toolCatalogue()],
    ['docs/generated/schemas.json', schemas()],
    ['docs/generated/harness-protocol.md', generateHarnessProtocolDoc()],
    ['docs/generated/session-api.md', generateSessionApiDoc()],
    ['docs/generated/brain-protocol.schema.json', generateBrainProtocolSchema()],
  ]);
}
