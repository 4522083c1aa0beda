// Both dialects: what is sent for each kind of block, and what frames come to, with nothing invented.
import type { Block, Message, ModelResult } from '@gbrain/brain-protocol/message';
import { describe, expect, it } from 'vitest';
import { anthropicMessages } from './anthropic-messages.ts';
import { type Dialect, DialectError, type ResolvedRequest } from './dialect.ts';
import { openaiResponses } from './openai-responses.ts';

const tool = { name: 'add', description: 'Adds.', input_schema: { type: 'object' }, output_schema: {} };
const user = (...content: Block[]): Message => ({ role: 'user', content });
const hello = user({ type: 'text', text: 'hello' });

function send(dialect: Dialect, request: Partial<ResolvedRequest>) {
  const { body, ...rest } = dialect.build(
    { model: 'm', system: '', tools: [], messages: [hello], ...request },
    'key-1',
  );
  return { ...rest, body: JSON.parse(body) };
}

interface Heard {
  result: ModelResult;
  live: string[];
}

function receive(dialect: Dialect, frames: Record<string, unknown>[]): Heard {
  const live: string[] = [];
  const reader = dialect.createReader({
    onText: (index, text) => live.push(`text ${index} ${text}`),
    onRefusal: (index, text) => live.push(`refusal ${index} ${text}`),
    onToolCall: (index, id, name) => live.push(`tool ${index} ${id} ${name}`),
    onToolInput: (index, json) => live.push(`input ${index} ${json}`),
    onUsage: () => {},
  });
  for (const frame of frames) reader.push(String(frame.type), JSON.stringify(frame));
  expect(reader.done).toBe(true);
  return { result: reader.finish(), live };
}

const everything: Message[] = [
  user({ type: 'text', text: 'see' }, { type: 'image', url: 'https://x/i.png' }),
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'adding' },
      { type: 'tool_use', id: 'c1', name: 'add', input: { a: 1 } },
    ],
  },
  user({ type: 'tool_result', tool_use_id: 'c1', content: { sum: 1 }, is_error: true }),
];

describe('openai_responses', () => {
  it('sends items, tools and limits, and keeps nothing at the provider', () => {
    const sent = send(openaiResponses, {
      messages: everything,
      system: 'Be kind.',
      tools: [tool],
      max_output_tokens: 9,
      response_format: { type: 'json_object' },
      options: { temperature: 0 },
    });
    expect(sent.path).toBe('/responses');
    expect(sent.headers.authorization).toBe('Bearer key-1');
    expect(sent.body).toEqual({
      model: 'm',
      instructions: 'Be kind.',
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'see' },
            { type: 'input_image', image_url: 'https://x/i.png' },
          ],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'adding' }] },
        { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'c1', output: '{"sum":1}' },
      ],
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', name: 'add', description: 'Adds.', parameters: { type: 'object' }, strict: false }],
      text: { format: { type: 'json_object' } },
      max_output_tokens: 9,
      temperature: 0,
    });
  });

  it('gives reasoning back unchanged', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA=', z: 1, a: 2 };
    const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'four' }] };
    const response = { status: 'completed', output: [item, message], usage: { output_tokens: 3 } };
    const { result } = receive(openaiResponses, [{ type: 'response.completed', response }]);
    const again = send(openaiResponses, { messages: [hello, result.message] });
    expect(JSON.stringify(again.body.input[1])).toBe(JSON.stringify(item));
    expect(result.usage).toEqual({ output_tokens: 3 });
  });

  it('streams text, tool calls and refusals', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{"a":2}' };
    const { result, live } = receive(openaiResponses, [
      { type: 'response.output_text.delta', output_index: 0, delta: 'I ' },
      { type: 'response.refusal.delta', output_index: 0, delta: 'no' },
      { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a":2}' },
      { type: 'response.output_item.done', output_index: 1, item: call },
      { type: 'response.completed', response: { status: 'completed', output: [] } },
    ]);
    expect(live).toEqual(['text 0 I ', 'refusal 0 no', 'tool 1 c1 add', 'input 1 {"a":2}']);
    expect(result).toMatchObject({
      stop_reason: 'tool_use',
      message: { content: [{ type: 'tool_use', input: { a: 2 } }] },
      usage: {},
    });
  });

  it('refuses a tool call that the output limit cut, and a provider that failed', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{"a"' };
    const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [call] };
    const cut = () => receive(openaiResponses, [{ type: 'response.incomplete', response }]);
    expect(cut).toThrow(expect.objectContaining({ code: expect.stringMatching(/model_output_/) }));
    const failed = { error: { code: 'server_error', message: 'down' } };
    const fail = () => receive(openaiResponses, [{ type: 'response.failed', response: failed }]);
    expect(fail).toThrow(expect.objectContaining({ code: 'model_provider_failed', retryable: true }));
    const broken = () =>
      receive(openaiResponses, [{ type: 'response.completed', response: { status: 'completed', output: [call] } }]);
    expect(broken).toThrow(expect.objectContaining({ code: 'model_output_invalid' }));
  });

  it('compacts through its own path', () => {
    const sent = send(openaiResponses, { options: { operation: 'compact' } });
    expect(sent).toMatchObject({ path: '/responses/compact', stream: false });
    expect(sent.body).not.toHaveProperty('stream');
    expect(() => send(openaiResponses, { options: { seed: 1 } })).toThrow(/no option seed/);
  });
});

describe('anthropic_messages', () => {
  it('sends blocks, and the limit that the wire wants', () => {
    const sent = send(anthropicMessages, {
      messages: everything,
      system: 'Be kind.',
      tools: [tool],
      modelMaxOutputTokens: 77,
    });
    expect(sent.headers).toMatchObject({ 'x-api-key': 'key-1', 'anthropic-version': '2023-06-01' });
    expect(sent.body).toEqual({
      model: 'm',
      max_tokens: 77,
      stream: true,
      system: 'Be kind.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image', source: { type: 'url', url: 'https://x/i.png' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'adding' },
            { type: 'tool_use', id: 'c1', name: 'add', input: { a: 1 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '{"sum":1}', is_error: true }] },
      ],
      tools: [{ name: 'add', description: 'Adds.', input_schema: { type: 'object' } }],
    });
    expect(() => send(anthropicMessages, { messages: [{ role: 'developer', content: [] }] })).toThrow(/developer/);
  });

  it('builds blocks from deltas and gives thinking back unchanged', () => {
    const { result, live } = receive(anthropicMessages, [
      {
        type: 'message_start',
        message: { usage: { input_tokens: 5, cache_read_input_tokens: 2, cache_creation_input_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'yes' } },
      { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c1', name: 'add', input: {} } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '3}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 8 } },
      { type: 'message_stop' },
    ]);
    expect(live).toEqual(['text 1 yes', 'tool 2 c1 add', 'input 2 {"a":', 'input 2 3}']);
    const thinking = { type: 'thinking', thinking: 'hm', signature: 'sig' };
    expect(result.message.content).toEqual([
      { type: 'native', format: 'anthropic.messages.v1', data: thinking },
      { type: 'text', text: 'yes' },
      { type: 'tool_use', id: 'c1', name: 'add', input: { a: 3 } },
    ]);
    expect(result.usage).toEqual({
      input_tokens: 5,
      output_tokens: 8,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 1,
      total_input_tokens: 8,
    });
    const again = send(anthropicMessages, { messages: [hello, result.message] });
    expect(JSON.stringify(again.body.messages[1].content[0])).toBe(JSON.stringify(thinking));
  });

  it('makes no total of counters that were not all reported', () => {
    const { result } = receive(anthropicMessages, [
      { type: 'message_start', message: { usage: { input_tokens: 5 } } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
      { type: 'message_stop' },
    ]);
    expect(result.usage).toEqual({ input_tokens: 5 });
  });

  it('reports an overloaded provider, and refuses native blocks of another one', () => {
    const fail = () =>
      receive(anthropicMessages, [{ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }]);
    expect(fail).toThrow(DialectError);
    const native: Block = { type: 'native', format: 'openai.responses.v1', data: {} };
    expect(() => send(anthropicMessages, { messages: [user(native)] })).toThrow(/cannot be given/);
  });
});
