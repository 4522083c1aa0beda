// A model provider on loopback that speaks the interfaces of every family gbrain knows: embeddings, chat, reranks.
// A test scripts its answers; without a script it embeds by words, so that texts that share words are near each other.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer. Left out parts are those of a provider that works. */
export type ProviderAnswer =
  /** What a chat model says; `refused` as its filter would. */
  | { text: string; inputTokens?: number; outputTokens?: number; refused?: boolean }
  /** Vectors as they are, one a text; fewer, more or broken ones are a fault of the provider. */
  | { vectors: readonly (readonly unknown[])[]; indexes?: readonly number[]; tokens?: number }
  /** Scores by place of the document. */
  | { scores: readonly number[]; tokens?: number }
  | { status: number; body?: string; headers?: Record<string, string> }
  /** Takes the request and cuts the connection. */
  | { cut: true }
  /** Takes the request and never answers. */
  | { silent: true }
  /** This text with status 200. */
  | { raw: string };

/** A request as the provider saw it. */
export interface ProviderHit {
  job: 'embedding' | 'chat' | 'rerank';
  path: string;
  key: string | undefined;
  body: Record<string, unknown>;
  /** The texts that were to be embedded, or the documents to rank. */
  texts: string[];
  /** Size of the vectors that was asked for. */
  dimensions: number | undefined;
}

/** The running provider. */
export interface ScriptedProvider {
  /** Without a version: families append theirs. */
  origin: string;
  /** `<family>_base_url` and `<family>_api_key` of every family, pointing here. */
  settings: Record<string, string>;
  hits: ProviderHit[];
  close(): Promise<void>;
}

/** Decides each answer; undefined is the usual one. The number of earlier hits is given too. */
export type ProviderScript = (hit: ProviderHit, index: number) => ProviderAnswer | undefined;

const VERSIONS: Record<string, string> = {
  openai: '/openai/v1',
  anthropic: '/anthropic/v1',
  google: '/google/v1beta',
  voyage: '/voyage/v1',
  mistral: '/mistral/v1',
  cohere: '/cohere/v2',
  ollama: '/ollama/v1',
  llama_server: '/llama_server/v1',
  lm_studio: '/lm_studio/v1',
  compatible: '/compatible/v1',
};

/** A vector of a text by its words: texts that share words have a high cosine, others none to speak of. */
export function wordVector(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const hash = createHash('sha256').update(word).digest();
    for (let i = 0; i < 4; i++) {
      const at = hash.readUInt32LE(i * 4) % dimensions;
      vector[at] = vector[at]! + (hash[16 + i]! % 2 === 0 ? 1 : -1);
    }
  }
  if (!vector.some((value) => value !== 0)) vector[0] = 1;
  return vector;
}

/** Settings that point every family at an origin, each with a key of its own. */
export const familySettings = (origin: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(VERSIONS).flatMap(([family, path]) => [
      [`${family}_base_url`, `${origin}${path}`],
      [`${family}_api_key`, `key-of-${family}`],
    ]),
  );

/** Starts a provider on a free loopback port. */
export async function startScriptedProvider(script: ProviderScript = () => undefined): Promise<ScriptedProvider> {
  const hits: ProviderHit[] = [];
  const server = createServer((request, response) => void handle(request, response, hits, script));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    settings: familySettings(origin),
    hits,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Body = Record<string, unknown>;

const textsOf = (body: Body): string[] => {
  const requests = body.requests as { content: { parts: { text: string }[] } }[] | undefined;
  const single = body.content as { parts: { text: string }[] } | undefined;
  if (requests) return requests.map(({ content }) => content.parts[0]!.text);
  if (single) return [single.parts[0]!.text];
  return [body.input ?? body.texts ?? body.documents ?? []].flat() as string[];
};

function hitOf(path: string, request: IncomingMessage, body: Body): ProviderHit {
  const job = /embed/i.test(path) ? 'embedding' : /rerank/.test(path) ? 'rerank' : 'chat';
  const first = (body.requests as Body[] | undefined)?.[0] ?? body;
  const size = first.dimensions ?? first.output_dimension ?? first.outputDimensionality;
  const header = (name: string) => request.headers[name] as string | undefined;
  return {
    job,
    path,
    key: header('authorization')?.replace('Bearer ', '') ?? header('x-api-key') ?? header('x-goog-api-key'),
    body,
    texts: job === 'chat' ? [] : textsOf(body),
    dimensions: typeof size === 'number' ? size : undefined,
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  hits: ProviderHit[],
  script: ProviderScript,
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const hit = hitOf(request.url ?? '', request, JSON.parse(Buffer.concat(pieces).toString('utf8')) as Body);
  hits.push(hit);
  const answer = script(hit, hits.length - 1) ?? usual(hit);
  if ('silent' in answer) return;
  if ('cut' in answer) {
    request.socket.destroy();
    return;
  }
  const status = 'status' in answer ? answer.status : 200;
  const headers = 'headers' in answer ? answer.headers : {};
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  if ('raw' in answer) response.end(answer.raw);
  else if ('status' in answer)
    response.end(answer.body ?? JSON.stringify({ error: { message: `scripted ${status}` } }));
  else response.end(JSON.stringify(bodyOf(hit, answer)));
}

/** Size of the vectors of models that are not asked for one. */
const OWN_SIZES: Record<string, number> = { 'nomic-embed-text': 768 };

function usual(hit: ProviderHit): ProviderAnswer {
  if (hit.job === 'chat') return { text: 'A scripted answer.' };
  if (hit.job === 'embedding') {
    const size = hit.dimensions ?? OWN_SIZES[String(hit.body.model)] ?? 64;
    return { vectors: hit.texts.map((text) => wordVector(text, size)) };
  }
  const query = new Set(
    String(hit.body.query)
      .toLowerCase()
      .match(/\p{L}+/gu),
  );
  const shared = (text: string) =>
    (text.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => query.has(word)).length;
  return { scores: hit.texts.map((text) => shared(text) / Math.max(query.size, 1)) };
}

type Good = Extract<ProviderAnswer, { text: string } | { vectors: unknown } | { scores: unknown }>;

function bodyOf(hit: ProviderHit, answer: Good): unknown {
  if ('text' in answer) return chatBody(hit, answer);
  const tokens = answer.tokens ?? hit.texts.join(' ').split(/\s+/).length;
  if ('scores' in answer) return rerankBody(hit, answer.scores, tokens);
  const { vectors } = answer;
  if (hit.path.startsWith('/google')) {
    return hit.path.endsWith(':embedContent')
      ? { embedding: { values: vectors[0] } }
      : { embeddings: vectors.map((values) => ({ values })) };
  }
  if (hit.path.startsWith('/cohere')) {
    return { id: 'e', embeddings: { float: vectors }, meta: { billed_units: { input_tokens: tokens } } };
  }
  const data = vectors.map((embedding, i) => ({ object: 'embedding', index: answer.indexes?.[i] ?? i, embedding }));
  return { object: 'list', data, model: hit.body.model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

function rerankBody(hit: ProviderHit, scores: readonly number[], tokens: number): unknown {
  const ranked = scores.map((relevance_score, index) => ({ index, relevance_score }));
  ranked.sort((a, b) => b.relevance_score - a.relevance_score);
  if (hit.path.startsWith('/voyage')) return { object: 'list', data: ranked, usage: { total_tokens: tokens } };
  return { id: 'r', results: ranked, usage: { prompt_tokens: tokens, total_tokens: tokens }, meta: {} };
}

function chatBody(hit: ProviderHit, answer: Extract<ProviderAnswer, { text: string }>): unknown {
  const { text, refused = false, inputTokens = 100, outputTokens = 20 } = answer;
  const model = hit.body.model;
  if (hit.path.startsWith('/anthropic')) {
    const usage = { input_tokens: inputTokens, output_tokens: outputTokens };
    const content = [{ type: 'text', text }];
    return {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model,
      content,
      usage,
      stop_reason: refused ? 'refusal' : 'end_turn',
      stop_sequence: null,
    };
  }
  if (hit.path.endsWith('/responses')) {
    const item = {
      type: 'message',
      id: 'msg',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    };
    const usage = { input_tokens: inputTokens, output_tokens: outputTokens };
    const incomplete = refused ? { incomplete_details: { reason: 'content_filter' } } : {};
    return { id: 'r', created_at: 1_767_225_600, model, output: [item], usage, ...incomplete };
  }
  if (hit.path.startsWith('/google')) {
    const usageMetadata = { promptTokenCount: inputTokens, candidatesTokenCount: outputTokens };
    const finishReason = refused ? 'SAFETY' : 'STOP';
    return { candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason }], usageMetadata };
  }
  if (hit.path.startsWith('/cohere')) {
    const message = { role: 'assistant', content: [{ type: 'text', text }] };
    const usage = { tokens: { input_tokens: inputTokens, output_tokens: outputTokens } };
    return { id: 'c', finish_reason: refused ? 'ERROR_TOXIC' : 'COMPLETE', message, usage };
  }
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  const message = { role: 'assistant', content: text };
  const finish_reason = refused ? 'content_filter' : 'stop';
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1_767_225_600,
    model,
    choices: [{ index: 0, message, finish_reason }],
    usage,
  };
}
