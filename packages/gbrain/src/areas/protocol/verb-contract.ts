// Protocol 1 of the seven memory verbs as frozen: arguments, replies, refusals, latency. Written out as literals and
// not read from the registry, so that a change of the product shows against it. Source: facts/contract A.1, G.6.

/** What a value may be; a list of texts is an enumeration. */
export type Kind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'list'
  | 'object'
  | 'text?'
  | 'number?'
  | 'any'
  | readonly (string | number | boolean)[];

/** How soon a verb answers: `interactive` is inside an agent's turn, `model` waits for a model. */
export type LatencyClass = 'interactive' | 'model';

/** Upper bound of the median answer by class, in milliseconds. */
export const LATENCY_MS: Readonly<Record<LatencyClass, number>> = { interactive: 1_000, model: 120_000 };

/** Codes that a verb may answer with, the same in `error` and `code`. */
export const VERB_CODES = [
  'invalid_params',
  'provenance_required',
  'not_found',
  'scope_denied',
  'unavailable',
  'budget_unsatisfiable',
  'internal',
] as const;

/** Classes of a refusal. */
export const CLASSES = ['caller', 'consent', 'retryable', 'unavailable', 'server', 'host_only'] as const;

/** A call that must be refused. */
export interface Refusal {
  name: string;
  args: Readonly<Record<string, unknown>>;
  code: (typeof VERB_CODES)[number];
}

/** The contract of one verb. */
export interface VerbContract {
  verb: string;
  latency: LatencyClass;
  /** Writes, so its checks are left out of a run that only reads. */
  isWrite: boolean;
  annotations: Readonly<Record<string, boolean>>;
  /** Arguments that it takes, by name. */
  args: Readonly<Record<string, Kind>>;
  /** The only arguments that it may insist on. */
  required: readonly string[];
  /** Keys of every reply, beside `protocol_version`. */
  reply: Readonly<Record<string, Kind>>;
  /** Keys of each row of a list in the reply. */
  rows?: Readonly<Record<string, Readonly<Record<string, Kind>>>>;
  refusals: readonly Refusal[];
}

const FACT_KINDS = ['event', 'preference', 'commitment', 'belief', 'fact'] as const;
const NOBODY = 'nobody-of-this-name-0000';

const FACT_ROW: Readonly<Record<string, Kind>> = {
  fact: 'text',
  fact_id: 'text',
  kind: FACT_KINDS,
  entity_slug: 'text?',
  provenance: 'text',
  confidence: 'number',
};

/** The seven verbs. */
export const VERBS: readonly VerbContract[] = [
  {
    verb: 'recall',
    latency: 'interactive',
    isWrite: false,
    annotations: { readOnlyHint: true },
    args: {
      entity: 'text',
      query: 'text',
      since: 'text',
      session_id: 'text',
      grep: 'text',
      limit: 'number',
      budget_tokens: 'number',
      budget_policy: ['facts_first', 'query_first'],
      include_expired: 'boolean',
      supersessions: 'boolean',
    },
    required: [],
    reply: { facts: 'list', total: 'number' },
    rows: {
      facts: { ...FACT_ROW, id: 'number', source_id: 'text', visibility: ['world', 'private'], created_at: 'text' },
    },
    refusals: [
      { name: 'limit_is_text', args: { query: 'x', limit: 'abc' }, code: 'invalid_params' },
      { name: 'since_is_no_time', args: { since: 'when the moon was blue' }, code: 'invalid_params' },
      { name: 'policy_is_unknown', args: { query: 'x', budget_policy: 'random' }, code: 'invalid_params' },
    ],
  },
  {
    verb: 'remember',
    latency: 'interactive',
    isWrite: true,
    annotations: { readOnlyHint: false, idempotentHint: true },
    args: {
      fact: 'text',
      provenance: 'text',
      ttl: 'text',
      entity: 'text',
      infer_entity: 'boolean',
      kind: FACT_KINDS,
      visibility: ['world', 'private'],
      request_id: 'text',
    },
    required: ['fact', 'provenance'],
    reply: {
      id: 'text',
      status: ['inserted', 'duplicate', 'superseded'],
      status_text: 'text',
      entity_slug: 'text?',
      valid_until: 'text?',
    },
    refusals: [
      { name: 'no_provenance', args: { fact: 'Water is wet' }, code: 'provenance_required' },
      { name: 'blank_provenance', args: { fact: 'Water is wet', provenance: '  ' }, code: 'provenance_required' },
      { name: 'no_fact', args: { provenance: 'conformance' }, code: 'invalid_params' },
      { name: 'iso_duration', args: { fact: 'a', provenance: 'conformance', ttl: 'P30D' }, code: 'invalid_params' },
      { name: 'past_ttl', args: { fact: 'a', provenance: 'conformance', ttl: '2001-01-01' }, code: 'invalid_params' },
      { name: 'unknown_kind', args: { fact: 'a', provenance: 'conformance', kind: 'rumour' }, code: 'invalid_params' },
      { name: 'huge_fact', args: { fact: 'x'.repeat(100_000), provenance: 'conformance' }, code: 'invalid_params' },
      {
        name: 'replaces_is_a_slug',
        args: { fact: 'a', provenance: 'conformance', replaces: 'people/alice' },
        code: 'invalid_params',
      },
    ],
  },
  {
    verb: 'entity',
    latency: 'interactive',
    isWrite: false,
    annotations: { readOnlyHint: true },
    args: { name: 'text', names: 'list' },
    required: ['name'],
    reply: { found: [true, false], latency_ms: 'number' },
    refusals: [
      { name: 'no_name', args: {}, code: 'invalid_params' },
      { name: 'name_and_names', args: { name: NOBODY, names: [NOBODY] }, code: 'invalid_params' },
    ],
  },
  {
    verb: 'synthesize',
    latency: 'model',
    isWrite: false,
    annotations: { readOnlyHint: true },
    args: { question: 'text', since: 'text', until: 'text' },
    required: ['question'],
    reply: {
      answer: 'text',
      sources: 'list',
      gaps: 'list',
      cost: 'object',
      synthesis_status: ['ok', 'extractive_fallback'],
      pages_gathered: 'number',
      takes_gathered: 'number',
      warnings: 'list',
    },
    refusals: [{ name: 'no_question', args: {}, code: 'invalid_params' }],
  },
  {
    verb: 'forget',
    latency: 'interactive',
    isWrite: true,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    args: { id: 'text', reason: 'text' },
    required: ['id'],
    reply: { id: 'text', expired: [true, false], reason: 'text?' },
    refusals: [
      { name: 'no_id', args: {}, code: 'invalid_params' },
      { name: 'id_is_a_slug', args: { id: 'people/alice' }, code: 'invalid_params' },
      { name: 'unknown_id', args: { id: '999999999999' }, code: 'not_found' },
    ],
  },
  {
    verb: 'context_pack',
    latency: 'interactive',
    isWrite: false,
    annotations: { readOnlyHint: true },
    args: { entities: 'text', budget_tokens: 'number', since: 'text', session_id: 'text' },
    required: ['entities'],
    reply: { entities: 'list', cards: 'list', open_threads: 'list', facts: 'list', text: 'text' },
    refusals: [
      {
        name: 'nine_entities',
        args: { entities: Array.from({ length: 9 }, (_, i) => `${NOBODY}${i}`).join(',') },
        code: 'invalid_params',
      },
    ],
  },
  {
    verb: 'delta',
    latency: 'interactive',
    isWrite: false,
    annotations: { readOnlyHint: true },
    args: { since: 'text', cursor: 'text', session_id: 'text', entities: 'text', budget_tokens: 'number' },
    required: [],
    reply: {
      since: 'text?',
      pages: 'list',
      facts: 'list',
      threads: 'list',
      text: 'text',
      has_more: [true, false],
      next_cursor: 'object',
    },
    refusals: [
      { name: 'neither_since_nor_session', args: {}, code: 'invalid_params' },
      { name: 'since_is_no_time', args: { since: 'when the moon was blue' }, code: 'invalid_params' },
      { name: 'cursor_is_made_up', args: { cursor: 'not-a-cursor' }, code: 'invalid_params' },
    ],
  },
];

/** True when a value is of a kind. */
export function isKind(value: unknown, kind: Kind): boolean {
  if (typeof kind !== 'string') return kind.includes(value as string);
  if (kind === 'any') return value !== undefined;
  if (kind.endsWith('?')) return value === null || isKind(value, kind.slice(0, -1) as Kind);
  if (kind === 'list') return Array.isArray(value);
  if (kind === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (kind === 'number') return typeof value === 'number' && Number.isFinite(value);
  return kind === 'text' ? typeof value === 'string' : typeof value === kind;
}

/** What a kind is called in a message. */
export const kindName = (kind: Kind): string => (typeof kind === 'string' ? kind : kind.join(' | '));
