// remember: saves one fact, or up to 20, each with its source. It never edits a page.
import { defineOperation, type Z } from '../../operation.ts';
import { field } from '../../schema.ts';
import { secretDetector } from '../secrets/detector.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';
import { FACT_KINDS, FACT_ORIGINS, FACT_VISIBILITIES, PROTOCOL_VERSION } from './fact.ts';
import { ITEMS_MAX, rememberBatch } from './remember-batch.ts';
import { checkFact, rememberFact } from './remember-fact.ts';

/** Fields of one fact, alone and in a batch. */
const oneFact = (z: Z) => ({
  fact: z.string().optional(),
  provenance: z.string().optional(),
  ttl: z.string().optional(),
  entity: z.string().optional(),
  kind: z.enum(FACT_KINDS).optional(),
  visibility: z.enum(FACT_VISIBILITIES).optional(),
});

/** A batch item takes every field of a fact; only the ones above are listed. */
const itemShape = (z: Z) =>
  z.strictObject({
    ...oneFact(z),
    infer_entity: z.boolean().optional(),
    replaces: z.string().optional(),
    content_origin: z.enum(FACT_ORIGINS).optional(),
    valid_from: z.string().optional(),
    derived_from: z.array(z.string()).optional(),
  });

const line = (one: { id?: string | undefined; status: string; error?: { message: string } | undefined }): string =>
  one.error ? `failed      ${one.error.message}` : `${one.status.padEnd(10)}  fact ${one.id}`;

export default defineOperation({
  name: 'remember',
  title: 'Remember',
  summary: 'Saves a fact with its source, or up to 20; the same text again is the same fact.',
  requirement: 'facts/contract G.6, facts/engine E.1',
  scope: 'write',
  surface: 'verbs',
  where: 'brain',
  routesSource: true,
  protocolVersion: PROTOCOL_VERSION,
  mutating: true,
  idempotent: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({
    fact: z.string().describe('One statement that is true by itself').optional(),
    provenance: field(z.string().describe('Who or what says so; required'), { keepEmpty: true }).optional(),
    items: z.array(itemShape(z)).describe(`1 to ${ITEMS_MAX} facts instead of one`).optional(),
    ttl: z.string().describe('How long it holds: 30d, 12h, 45m or an ISO time').optional(),
    entity: z.string().describe('Name or slug that it is about').optional(),
    infer_entity: z.boolean().describe('Find the entity in the text').default(true),
    kind: z.enum(FACT_KINDS).describe('Kind of fact (default fact)').optional(),
    visibility: z.enum(FACT_VISIBILITIES).describe('Who may read it (default world)').optional(),
    replaces: field(z.string().describe('Id of the fact that it corrects'), { fullOnly: true }).optional(),
    content_origin: field(z.enum(FACT_ORIGINS).describe('Where the words come from'), { fullOnly: true }).optional(),
    valid_from: field(z.string().describe('Since when it holds (default now): ISO day or time'), {
      fullOnly: true,
    }).optional(),
    derived_from: field(z.array(z.string()).describe('Ids of facts that it was concluded from'), {
      fullOnly: true,
    }).optional(),
    request_id: z.string().describe('Your id of this write, for a safe repeat').optional(),
  }),
  output: (z) =>
    z.looseObject({
      protocol_version: z.literal(1),
      id: z.string().optional(),
      status: z.enum(['inserted', 'duplicate', 'superseded']).optional(),
      status_text: z.string().optional(),
      entity_slug: z.string().nullable().optional(),
      valid_until: z.string().nullable().optional(),
      request_id: z.string().optional(),
      items: z
        .array(
          z.object({
            index: z.number(),
            request_id: z.string(),
            status: z.enum(['inserted', 'duplicate', 'superseded', 'failed']),
            id: z.string().optional(),
            entity_slug: z.string().nullable().optional(),
            superseded_fact_id: z.string().optional(),
            warnings: z.array(z.string()).optional(),
            valid_until: z.string().nullable().optional(),
            error: z.object({ code: z.string(), message: z.string() }).optional(),
          }),
        )
        .optional(),
      saved: z.number().optional(),
      failed: z.number().optional(),
    }),
  errors: [...WRITE_ERRORS, 'provenance_required', 'not_found'],
  notices: ['degraded_dedup'],
  cli: {
    command: 'remember',
    group: 'Memory',
    isCommon: true,
    positionals: ['fact'],
    joinRest: true,
    stdin: 'fact',
    human: (reply) =>
      reply.items
        ? reply.items.map(line).join('\n')
        : `${reply.status_text} Fact ${reply.id}${reply.entity_slug ? `, about ${reply.entity_slug}` : ''}.`,
  },
  examples: [
    {
      title: 'A preference',
      input: { fact: 'Alice prefers green tea', provenance: 'Alice, in chat', kind: 'preference' },
    },
    {
      title: 'Two at once',
      input: {
        provenance: 'kick-off call',
        items: [{ fact: 'The pilot starts on 2026-12-01' }, { fact: 'Bob leads it' }],
      },
    },
  ],
  run: async (ctx, input) => {
    const { items, request_id, ...fact } = input;
    if (items === undefined) {
      const ready = checkFact(fact, ctx.now(), await secretDetector());
      const reply = await rememberFact(ctx, ready, request_id);
      // A person at a terminal reads what became of the fact; an agent is told once how far that goes.
      if (reply.degraded_dedup && ctx.caller.transport !== 'cli') ctx.notice('degraded_dedup');
      return { ...reply };
    }
    if (fact.fact !== undefined) {
      ctx.fail('invalid_params', {
        tool: 'remember',
        param: 'items',
        problem: 'shape',
        expected: 'left out beside `fact`',
      });
    }
    return { ...(await rememberBatch(ctx, items, { ...fact, ...(request_id !== undefined && { request_id }) })) };
  },
});
