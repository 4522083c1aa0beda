// A model provider on loopback whose answers a test writes: Responses and Anthropic wires, and a count of every hit.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of the model. */
export type ScriptedAnswer =
  /** `pieceMs` is the pause before each frame of the stream. */
  | { text: string; delayMs?: number; pieceMs?: number }
  | { toolCalls: { id: string; name: string; input: unknown }[] }
  /** Refuses with a status. */
  | { status: number; body?: string }
  /** Takes the request and cuts the connection: before any answer, or in the middle of the stream. */
  | { cut: 'before' | 'middle' }
  /** Takes the request and never answers. */
  | { silent: true }
  /** Frames as they are. */
  | { frames: { event: string; data: unknown }[] };

/** A request as the provider saw it. */
export interface ModelHit {
  path: string;
  authorization: string | undefined;
  body: { model: string; input?: unknown[]; messages?: unknown[]; tools?: unknown[]; [key: string]: unknown };
}

/** The running provider. */
export interface ScriptedModel {
  /** With `/v1`; for `BRAIN_OPENAI_BASE_URL` and `BRAIN_ANTHROPIC_BASE_URL` alike. */
  baseUrl: string;
  hits: ModelHit[];
  close(): Promise<void>;
}

/** Decides each answer; the number of earlier hits is given too. */
export type Script = (hit: ModelHit, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** Starts a provider on a free loopback port. */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  const hits: ModelHit[] = [];
  const server = createServer((request, response) => {
    void handle(request, response, hits, script);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    hits,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  hits: ModelHit[],
  script: Script,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = request.url ?? '';
  const authorization = request.headers.authorization ?? (request.headers['x-api-key'] as string | undefined);
  const hit: ModelHit = { path, authorization, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  hits.push(hit);
  const answer = await script(hit, hits.length - 1);
  if ('silent' in answer) return;
  if ('status' in answer) {
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.body ?? JSON.stringify({ error: { message: `scripted ${answer.status}` } }));
    return;
  }
  if ('cut' in answer && answer.cut === 'before') {
    request.socket.destroy();
    return;
  }
  if ('delayMs' in answer && answer.delayMs) await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const anthropic = path.endsWith('/messages');
  const frames = 'frames' in answer ? answer.frames : anthropic ? anthropicFrames(answer) : responsesFrames(answer);
  const pieceMs = 'pieceMs' in answer ? (answer.pieceMs ?? 0) : 0;
  for (const { event, data } of frames) {
    if (pieceMs > 0) await new Promise((resolve) => setTimeout(resolve, pieceMs));
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
  if ('cut' in answer) setTimeout(() => request.socket.destroy(), 20);
  else response.end();
}

type Frame = { event: string; data: Record<string, unknown> };

function frame(data: Record<string, unknown>): Frame {
  return { event: String(data.type), data };
}

function responsesFrames(answer: ScriptedAnswer): Frame[] {
  if ('cut' in answer) return [frame({ type: 'response.output_text.delta', output_index: 0, delta: 'Half of' })];
  const frames: Frame[] = [];
  const output: unknown[] = [];
  if ('text' in answer) {
    const item = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: answer.text }],
    };
    output.push(item);
    frames.push(frame({ type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg_1' } }));
    for (const part of answer.text.match(/.{1,8}/gs) ?? []) {
      frames.push(frame({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: part }));
    }
    frames.push(frame({ type: 'response.output_item.done', output_index: 0, item }));
  }
  for (const [index, call] of ('toolCalls' in answer ? answer.toolCalls : []).entries()) {
    const item = { type: 'function_call', call_id: call.id, name: call.name, arguments: JSON.stringify(call.input) };
    output.push(item);
    frames.push(frame({ type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '' } }));
    frames.push(frame({ type: 'response.function_call_arguments.delta', output_index: index, delta: item.arguments }));
    frames.push(frame({ type: 'response.output_item.done', output_index: index, item }));
  }
  const response = { status: 'completed', output, usage: { input_tokens: 10, output_tokens: 5 } };
  return [...frames, frame({ type: 'response.completed', response })];
}

function anthropicFrames(answer: ScriptedAnswer): Frame[] {
  const frames = [frame({ type: 'message_start', message: { usage: { input_tokens: 10 } } })];
  if ('text' in answer) {
    frames.push(frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }));
    frames.push(frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: answer.text } }));
    frames.push(frame({ type: 'content_block_stop', index: 0 }));
  }
  const calls = 'toolCalls' in answer ? answer.toolCalls : [];
  for (const [index, { id, name, input }] of calls.entries()) {
    const partial_json = JSON.stringify(input);
    frames.push(
      frame({ type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } }),
    );
    frames.push(frame({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }));
    frames.push(frame({ type: 'content_block_stop', index }));
  }
  if ('cut' in answer) return frames;
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn';
  return [
    ...frames,
    frame({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 5 } }),
    frame({ type: 'message_stop' }),
  ];
}
