// Values that several examples share, so that the examples of one page tell one story.
import { HOST, TIME_MS } from './entry.ts';

/** The user's message. */
export const userMessage = { role: 'user', content: [{ type: 'text', text: 'What is the weather in Oslo?' }] };

/** The model asks for the tool. */
export const toolUseMessage = {
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } }],
};

/** The tool's answer, as the model reads it. */
export const toolResultMessage = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'call_1', content: { celsius: 4 }, is_error: false }],
};

/** The model's last word. */
export const answerMessage = { role: 'assistant', content: [{ type: 'text', text: 'It is 4 degrees in Oslo.' }] };

/** The tool's input. */
export const citySchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** The tool's output. */
export const weatherSchema = { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] };

/** The tool as a session declares it. */
export const tool = {
  name: 'weather',
  description: 'Current weather of a city.',
  input_schema: citySchema,
  output_schema: weatherSchema,
  placements: { laptop: {} },
};

/** The tool as a model sees it. */
export const modelTool = {
  name: 'weather',
  description: 'Current weather of a city.',
  input_schema: citySchema,
  output_schema: weatherSchema,
};

/** The tool as a loop sees it. */
export const toolView = { ...modelTool, environments: ['laptop'] };

/** The environment that runs the tool. */
export const environment = { name: 'laptop', driver: 'host', host_id: HOST };

/** Its first incarnation. */
export const reference = { name: 'laptop', sequence: 1 };

/** What a session was created with. */
export const configuration = {
  agentloop: { name: 'default', configuration: {} },
  model: { provider: 'openai', name: 'gpt-5' },
  system: 'Answer in one sentence.',
  tools: [tool],
  environments: [environment],
};

/** One tool call. */
export const invocation = { call_id: 'call_1', name: 'weather', environment: 'laptop', input: { city: 'Oslo' } };

/** A model's answer with its counters; those that the provider left out are absent. */
export const modelResult = {
  message: answerMessage,
  stop_reason: 'end_turn',
  usage: { input_tokens: 61, output_tokens: 9 },
};

/** A failure that nobody caused by a bad request. */
export const failure = { code: 'interrupted', message: 'The server stopped.', retryable: false, ambiguous: false };

/** An event of the loop's own. */
export const outputEvent = {
  sequence: 14,
  recorded_at_ms: TIME_MS,
  event_type: 'output_emitted',
  data: { type: 'assistant_message', message: answerMessage },
  origin: { kind: 'agentloop', sequence: 4 },
};

/** The ending of the tool call. */
export const toolEndedEvent = {
  sequence: 10,
  recorded_at_ms: TIME_MS,
  event_type: 'tool_call_ended',
  data: { sequence: 8, outcome: { status: 'ok', value: null } },
};

/** An environment as the control service shows it. */
export const environmentView = {
  reference,
  lifecycle: 'automatic',
  state: 'ready',
  configuration: null,
  methods: [],
  tools: ['weather'],
};
