// protocol: the schemas of operations as they are defined now, for people who write clients and servers.
import { closest } from '@gbrain/wire/did-you-mean';
import { defineOperation, type Operation } from '../../operation.ts';
import { outputSchema, wireSchema } from '../../schema.ts';
import { LATENCY_MS, VERB_CODES, VERBS } from './verb-contract.ts';

const latencyOf = (name: string) => VERBS.find(({ verb }) => verb === name)?.latency;

/** Everything that a client needs of one operation. */
function described(operation: Operation) {
  const latency = latencyOf(operation.name);
  return {
    name: operation.name,
    title: operation.title,
    summary: operation.summary,
    surface: operation.surface,
    scope: operation.scope,
    mutating: operation.mutating,
    idempotent: operation.idempotent,
    destructive: operation.destructive ?? false,
    ...(operation.protocolVersion !== undefined && { protocol_version: operation.protocolVersion }),
    ...(latency && { latency_class: latency }),
    errors: [...operation.errors],
    examples: operation.examples.map(({ input }) => input as Record<string, unknown>),
    input_schema: wireSchema(operation, { listFullOnly: true }) as unknown as Record<string, unknown>,
    output_schema: outputSchema(operation),
  };
}

export default defineOperation({
  name: 'protocol_schemas',
  title: 'Schemas of the protocol',
  summary: 'Input and output schemas of the memory verbs, of one operation, or of all, from the live definitions.',
  requirement: 'issue Memory, gbrain protocol; design/decisions 16c',
  scope: 'read',
  surface: 'cli',
  where: 'process',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: (z) => ({
    operation: z.string().min(1).describe('One operation, by its tool name').optional(),
    all: z.boolean().describe('Every operation, not only the seven verbs').optional(),
  }),
  output: (z) =>
    z.object({
      protocol_version: z.literal(1),
      contract_version: z.literal(1),
      error_codes: z.array(z.string()),
      latency_ms: z.record(z.string(), z.number()),
      operations: z.array(
        z.looseObject({
          name: z.string(),
          surface: z.string(),
          summary: z.string(),
          input_schema: z.record(z.string(), z.unknown()),
          output_schema: z.record(z.string(), z.unknown()),
        }),
      ),
    }),
  errors: ['unknown_tool'],
  cli: {
    command: 'protocol',
    group: 'Contract',
    positionals: ['operation'],
    plainPositionals: true,
    human: ({ operations }, view) =>
      [
        ...operations.map(
          ({ name, surface, summary }) => `${view.bold(name.padEnd(24))} ${view.dim(surface.padEnd(8))} ${summary}`,
        ),
        view.dim('--json prints the schemas; gbrain protocol conformance checks a server against them'),
      ].join('\n'),
  },
  examples: [
    { title: 'The seven verbs', input: {} },
    { title: 'One of them', input: { operation: 'recall' } },
    { title: 'Everything', input: { all: true } },
  ],
  run: async (ctx, { operation, all }) => {
    const { operations } = ctx.host.registry;
    const named = operations.filter(({ name }) => name === operation);
    if (operation !== undefined && named.length === 0) {
      const near = closest(
        operation,
        operations.map(({ name }) => name),
      );
      ctx.fail('unknown_tool', {
        tool: operation.slice(0, 64),
        denial: 'unknown',
        transport: ctx.caller.transport,
        ...(near && { closest: near }),
      });
    }
    const verbs = operations.filter(({ protocolVersion }) => protocolVersion !== undefined);
    return {
      protocol_version: 1 as const,
      contract_version: 1 as const,
      error_codes: [...VERB_CODES],
      latency_ms: { ...LATENCY_MS },
      operations: (operation !== undefined ? named : all ? operations : verbs).map(described),
    };
  },
});
