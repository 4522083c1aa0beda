// The checks of protocol 1: one named clause each, over a tool server that somebody else runs. They keep no state of
// their own; what several clauses look at is asked for once.
import type { ListedTool, ToolReply, ToolServer } from '../../host.ts';
import {
  CLASSES,
  isKind,
  type Kind,
  kindName,
  LATENCY_MS,
  type Refusal,
  VERB_CODES,
  VERBS,
  type VerbContract,
} from './verb-contract.ts';

/** What a check is made on. */
export interface Subject {
  server: ToolServer;
  /** A word that no other run has used; the facts that are written hold it. */
  marker: string;
  nowMs(): number;
  /** Latency bounds are multiplied by this, for a far or slow server. */
  slack: number;
}

/** One clause. `run` gives why it does not hold, and nothing when it does. */
export interface Check {
  name: string;
  verb?: string;
  /** It writes to the server, or looks at what was written. */
  isWrite: boolean;
  run(at: Session): Promise<string | undefined>;
}

type Json = Record<string, unknown>;

/** A server during one run: what was listed and answered, so that a call is made once for all clauses about it. */
export class Session {
  readonly subject: Subject;
  readonly #replies = new Map<string, Promise<ToolReply>>();
  #tools: Promise<ListedTool[]> | undefined;

  constructor(subject: Subject) {
    this.subject = subject;
  }

  /** Listed tools by name. */
  async tool(name: string): Promise<ListedTool | undefined> {
    this.#tools ??= this.subject.server.tools();
    return (await this.#tools).find((one) => one.name === name);
  }

  /** The reply to a call; the same call under the same key is made once. */
  reply(verb: string, args: Json, key = JSON.stringify(args)): Promise<ToolReply> {
    const id = `${verb} ${key}`;
    const found = this.#replies.get(id) ?? this.subject.server.call(verb, args);
    this.#replies.set(id, found);
    return found;
  }

  /** The body of a reply that must be a success. Throws why it is none. */
  async body(verb: string, args: Json, key?: string): Promise<Json> {
    const reply = await this.reply(verb, args, key);
    const body = parsed(reply);
    if (reply.isError) throw new Error(`it was refused: ${String(body.code ?? body.error)}`);
    return body;
  }

  /** The fact that this run writes. */
  get fact(): Json {
    const { marker } = this.subject;
    return { fact: `The conformance mark is ${marker}`, provenance: 'protocol conformance' };
  }

  remembered = (): Promise<Json> => this.body('remember', this.fact, 'first');
  /** The same again, after the first. */
  async repeated(): Promise<Json> {
    await this.remembered();
    return this.body('remember', this.fact, 'again');
  }
  async recalled(): Promise<Json> {
    await this.repeated();
    return this.body('recall', { grep: this.subject.marker }, 'while it holds');
  }
  async forgotten(): Promise<Json> {
    const { id } = await this.remembered();
    await this.recalled();
    return this.body('forget', { id, reason: 'conformance is over' }, 'first');
  }
  async forgottenAgain(): Promise<Json> {
    const { id } = await this.remembered();
    await this.forgotten();
    return this.body('forget', { id }, 'again');
  }
}

function parsed({ content }: ToolReply): Json {
  const text = content[0]?.text;
  if (typeof text !== 'string') throw new Error('the first block of the reply is no text');
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Json;
  } catch {
    // Said below, alike for no JSON and for JSON that is no object.
  }
  throw new Error('the first block of the reply is no JSON object');
}

function missingKeys(value: Json, shape: Readonly<Record<string, Kind>>): string | undefined {
  for (const [key, kind] of Object.entries(shape)) {
    if (!isKind(value[key], kind)) {
      const found = key in value ? `is ${JSON.stringify(value[key])?.slice(0, 60)}` : 'is missing';
      return `\`${key}\` ${found}, and must be ${kindName(kind)}`;
    }
  }
  return undefined;
}

const versionFault = (body: Json): string | undefined =>
  body.protocol_version === 1 ? undefined : `\`protocol_version\` is ${JSON.stringify(body.protocol_version)}, not 1`;

/** A call of each verb that must succeed on any brain. */
function plainCall(at: Session, verb: string): Promise<Json> {
  const calls: Record<string, () => Promise<Json>> = {
    recall: () => at.body('recall', {}),
    remember: at.remembered,
    entity: () => at.body('entity', { name: `nobody called ${at.subject.marker}` }),
    forget: () => at.forgotten(),
    context_pack: () => at.body('context_pack', { entities: `nobody called ${at.subject.marker}` }),
    delta: () => at.body('delta', { since: '2000-01-01T00:00:00Z' }),
  };
  return calls[verb]!();
}

function argumentsFault(tool: ListedTool, { args, required }: VerbContract): string | undefined {
  const schema = tool.inputSchema as { properties?: Record<string, Json>; required?: string[] };
  for (const [name, kind] of Object.entries(args)) {
    const property = schema.properties?.[name];
    if (!property) return `it takes no \`${name}\``;
    const type = kind === 'text' ? 'string' : kind === 'list' ? 'array' : kind;
    const found = property.type === 'integer' ? 'number' : property.type;
    if (typeof type === 'string' && found !== type) return `\`${name}\` is of type ${String(found)}, not ${type}`;
    const choices = (property.enum ?? []) as unknown[];
    const lacking = typeof kind === 'string' ? undefined : kind.find((one) => !choices.includes(one));
    if (lacking !== undefined) return `\`${name}\` does not take ${JSON.stringify(lacking)}`;
  }
  const extra = (schema.required ?? []).find((name) => !required.includes(name));
  return extra === undefined ? undefined : `it insists on \`${extra}\``;
}

function refusalFault(reply: ToolReply, code: Refusal['code']): string | undefined {
  if (!reply.isError) return 'it was not refused';
  if (reply.content.length !== 1) return `the error has ${reply.content.length} blocks, not 1`;
  const body = parsed(reply);
  if (body.error !== code) return `\`error\` is ${JSON.stringify(body.error)}, not ${code}`;
  if (body.code !== code) return `\`code\` is ${JSON.stringify(body.code)}, not ${code}`;
  if (!VERB_CODES.includes(body.code as Refusal['code'])) return `${String(body.code)} is no code of the protocol`;
  const shape = { message: 'text', suggestion: 'text', class: CLASSES, retryable: 'boolean', contract_version: [1] };
  return versionFault(body) ?? missingKeys(body, shape as Readonly<Record<string, Kind>>);
}

const RUNS = 5;

async function latencyFault(at: Session, { verb, latency }: VerbContract): Promise<string | undefined> {
  const times: number[] = [];
  const args = verb === 'remember' ? { fact: '', provenance: 'timing' } : verb === 'forget' ? { id: '0' } : undefined;
  for (let run = 0; run < RUNS; run++) {
    const started = at.subject.nowMs();
    // A write is timed to its refusal: nothing is written five times for a stopwatch.
    if (args) await at.subject.server.call(verb, args);
    else if (verb === 'synthesize') await at.reply(verb, { question: 'What is known here?' });
    else await plainCallOnce(at, verb);
    times.push(at.subject.nowMs() - started);
    if (latency === 'model') break;
  }
  const median = times.sort((a, b) => a - b)[times.length >> 1]!;
  const bound = LATENCY_MS[latency] * at.subject.slack;
  return median <= bound
    ? undefined
    : `half of its answers take more than ${Math.round(median)} ms, of ${bound} allowed`;
}

/** The same read again, not the remembered reply. */
function plainCallOnce(at: Session, verb: string): Promise<ToolReply> {
  const name = `nobody called ${at.subject.marker}`;
  const args: Record<string, Json> = {
    recall: {},
    entity: { name },
    context_pack: { entities: name },
    delta: { since: '2000-01-01T00:00:00Z' },
  };
  return at.subject.server.call(verb, args[verb]!);
}

/** A model may be missing, which is an answer of the protocol; anything else must be the shape. */
async function synthesizeFault(at: Session, contract: VerbContract): Promise<string | undefined> {
  const reply = await at.reply('synthesize', { question: 'What is known here?' });
  if (reply.isError) return refusalFault(reply, 'unavailable');
  const body = parsed(reply);
  return versionFault(body) ?? missingKeys(body, contract.reply);
}

function replyCheck(contract: VerbContract): Check {
  const { verb, reply, rows = {}, isWrite } = contract;
  return {
    name: `${verb}.reply`,
    verb,
    isWrite,
    run: async (at) => {
      if (verb === 'synthesize') return synthesizeFault(at, contract);
      const body = await plainCall(at, verb);
      const fault = versionFault(body) ?? missingKeys(body, reply);
      if (fault) return fault;
      for (const [key, shape] of Object.entries(rows)) {
        for (const row of body[key] as Json[]) {
          const flaw = missingKeys(row, shape);
          if (flaw) return `a row of \`${key}\`: ${flaw}`;
        }
      }
      return undefined;
    },
  };
}

function verbChecks(contract: VerbContract): Check[] {
  const { verb, annotations, isWrite, refusals } = contract;
  const onTool = (name: string, look: (tool: ListedTool) => string | undefined): Check => ({
    name: `${verb}.${name}`,
    verb,
    isWrite: false,
    run: async (at) => {
      const tool = await at.tool(verb);
      return tool ? look(tool) : 'it is not listed';
    },
  });
  return [
    onTool('listed', () => undefined),
    onTool('arguments', (tool) => argumentsFault(tool, contract)),
    onTool('annotations', (tool) => missingKeys(tool.annotations ?? {}, kindsOf(annotations))),
    replyCheck(contract),
    ...refusals.map(
      ({ name, args, code }): Check => ({
        name: `${verb}.refuses.${name}`,
        verb,
        isWrite,
        run: async (at) => refusalFault(await at.reply(verb, args), code),
      }),
    ),
    { name: `${verb}.latency`, verb, isWrite: false, run: (at) => latencyFault(at, contract) },
  ];
}

const kindsOf = (values: Readonly<Record<string, boolean>>): Record<string, Kind> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, [value]]));

const idsOf = (body: Json): unknown[] => ((body.facts ?? []) as Json[]).map((row) => row.fact_id);

/** What the verbs do together: a fact is kept once, found, withdrawn, and then stays away. */
const BEHAVIOURS: readonly Check[] = [
  {
    name: 'remember.keeps_once',
    verb: 'remember',
    isWrite: true,
    run: async (at) => {
      const [first, again] = [await at.remembered(), await at.repeated()];
      if (first.status !== 'inserted') return `a new fact is \`${String(first.status)}\`, not inserted`;
      if (again.status !== 'duplicate') return `the same fact again is \`${String(again.status)}\`, not duplicate`;
      return again.id === first.id ? undefined : 'the same fact again has another id';
    },
  },
  {
    name: 'recall.finds_it',
    verb: 'recall',
    isWrite: true,
    run: async (at) => {
      const [{ id }, body] = [await at.remembered(), await at.recalled()];
      const found = idsOf(body).filter((one) => one === id).length;
      return found === 1 ? undefined : `the remembered fact is there ${found} times`;
    },
  },
  {
    name: 'recall.rows',
    verb: 'recall',
    isWrite: true,
    run: async (at) => {
      const shape = VERBS.find(({ verb }) => verb === 'recall')!.rows!.facts!;
      const rows = ((await at.recalled()).facts ?? []) as Json[];
      return rows.length === 0 ? 'the remembered fact is not there' : missingKeys(rows[0]!, shape);
    },
  },
  {
    name: 'recall.budget',
    verb: 'recall',
    isWrite: false,
    run: async (at) => {
      const args = { query: at.subject.marker, budget_tokens: 100, budget_policy: 'facts_first' };
      const body = await at.body('recall', args);
      const fault = missingKeys(body, { budget_tokens: 'number', budget_used: 'number', dropped_count: 'number' });
      if (fault) return fault;
      const packing = (body.budget_packing ?? {}) as Json;
      const reasons = ['no_query', 'no_positive_finite_budget', 'budget_below_one', 'no_candidates'];
      return missingKeys(packing, {
        policy: ['facts_first', 'query_first'],
        applied: 'boolean',
        reason: [...reasons, 'first_items_exceed_budget', 'packed'],
      });
    },
  },
  {
    name: 'entity.misses_without_error',
    verb: 'entity',
    isWrite: false,
    run: async (at) => ((await plainCall(at, 'entity')).found === false ? undefined : 'a made-up name was found'),
  },
  {
    name: 'entity.takes_names',
    verb: 'entity',
    isWrite: false,
    run: async (at) => {
      const name = `nobody called ${at.subject.marker}`;
      const body = await at.body('entity', { names: [name] });
      return missingKeys(body, { found: 'number', missing: 'number', results: 'list' });
    },
  },
  {
    name: 'delta.goes_on',
    verb: 'delta',
    isWrite: false,
    run: async (at) => {
      const { next_cursor } = await plainCall(at, 'delta');
      const fault = missingKeys((next_cursor ?? {}) as Json, { since: 'text', slug: 'text', cursor: 'text' });
      if (fault) return `\`next_cursor\`: ${fault}`;
      const body = await at.body('delta', { cursor: (next_cursor as Json).cursor });
      return versionFault(body) ?? missingKeys(body, { next_cursor: 'object', has_more: 'boolean' });
    },
  },
  {
    name: 'forget.is_idempotent',
    verb: 'forget',
    isWrite: true,
    run: async (at) => {
      const [first, again] = [await at.forgotten(), await at.forgottenAgain()];
      if (first.expired !== true) return 'a fact that holds was not expired';
      return again.expired === false ? undefined : 'forgetting it again does not say `expired: false`';
    },
  },
  {
    name: 'recall.leaves_out_what_is_forgotten',
    verb: 'recall',
    isWrite: true,
    run: async (at) => {
      const { id } = await at.remembered();
      await at.forgotten();
      const body = await at.body('recall', { grep: at.subject.marker }, 'after it was forgotten');
      return idsOf(body).includes(id) ? 'the forgotten fact is still told' : undefined;
    },
  },
  {
    name: 'remember.respects_a_withdrawal',
    verb: 'remember',
    isWrite: true,
    run: async (at) => {
      await at.forgotten();
      return refusalFault(await at.reply('remember', at.fact, 'after it was forgotten'), 'invalid_params');
    },
  },
  {
    name: 'server.refuses_unknown_tools',
    isWrite: false,
    run: async (at) => {
      const reply = await at.reply('no_such_tool_of_any_server', {});
      if (!reply.isError) return 'it was not refused';
      const { error, code } = parsed(reply);
      // The older spelling stays where it has always been sent.
      if (error !== 'unknown_operation' && error !== 'unknown_tool') return `\`error\` is ${JSON.stringify(error)}`;
      return code === 'unknown_tool' ? undefined : `\`code\` is ${JSON.stringify(code)}, not unknown_tool`;
    },
  },
];

/** Every clause, in the order in which it is told. */
export const CHECKS: readonly Check[] = [...VERBS.flatMap(verbChecks), ...BEHAVIOURS];
