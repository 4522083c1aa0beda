// Starts the server that an agent app is registered with, as the app would, and makes one read through it.
import { spawn } from 'node:child_process';
import { createJsonLineDecoder, encodeJsonLine } from '@gbrain/wire/json-lines';
import { createPeer, type Peer } from '@gbrain/wire/json-rpc';

/** What came of the attempt. */
export type Smoke =
  | { kind: 'answered'; tools: number; tool: string; elapsedMs: number }
  /** The server runs without a brain; what its gbrain_status says. */
  | { kind: 'status_only'; reason: string; why: string }
  | { kind: 'failed'; stage: 'start' | 'initialize' | 'tools/list' | 'tools/call'; why: string };

/** How a registered server is started. */
export interface SmokeServer {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
}

/** Revision of the protocol that every client of the last years speaks. */
const REVISION = '2025-06-18';
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const STDERR_KEPT = 2_000;
/** How long an orderly end is waited for after the pipe was closed. */
const END_MS = 2_000;

/** Reads that prove that memory answers, best first. Source: AGENT_OPERATOR v1, First run. */
const READS: readonly [tool: string, args: Record<string, unknown>][] = [
  ['recall', { query: 'gbrain install check', limit: 1 }],
  ['search', { query: 'gbrain install check', limit: 1 }],
  ['list_pages', { limit: 1 }],
];

interface ToolReply {
  content?: { text?: string }[];
  isError?: boolean;
}

const textOf = (reply: unknown): string => String((reply as ToolReply).content?.[0]?.text ?? '');

/** The handshake, the list and the read, each told by its stage when it fails. */
async function converse(peer: Peer, signal: AbortSignal): Promise<Smoke> {
  const startedMs = performance.now();
  let stage: Extract<Smoke, { kind: 'failed' }>['stage'] = 'initialize';
  try {
    const clientInfo = { name: 'gbrain-doctor', version: '1' };
    await peer.request('initialize', { protocolVersion: REVISION, capabilities: {}, clientInfo }, { signal });
    peer.notify('notifications/initialized');
    stage = 'tools/list';
    const listed = (await peer.request('tools/list', {}, { signal })) as { tools: { name: string }[] };
    const names = listed.tools.map(({ name }) => name);
    stage = 'tools/call';
    if (names.length === 1 && names[0] === 'gbrain_status') return await downOf(peer, signal);
    const read = READS.find(([tool]) => names.includes(tool));
    if (!read) return { kind: 'failed', stage: 'tools/list', why: 'it lists no tool that reads' };
    const [tool, args] = read;
    const reply = (await peer.request('tools/call', { name: tool, arguments: args }, { signal })) as ToolReply;
    if (reply.isError) return { kind: 'failed', stage, why: messageOf(textOf(reply)) };
    return { kind: 'answered', tools: names.length, tool, elapsedMs: Math.round(performance.now() - startedMs) };
  } catch (error) {
    const why = signal.aborted ? 'it did not answer in time' : (error as Error).message;
    return { kind: 'failed', stage, why };
  }
}

function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? text).slice(0, 300);
  } catch {
    return text.slice(0, 300);
  }
}

async function downOf(peer: Peer, signal: AbortSignal): Promise<Smoke> {
  const reply = await peer.request('tools/call', { name: 'gbrain_status', arguments: {} }, { signal });
  const { reason, why } = JSON.parse(textOf(reply)) as { reason?: string; why?: string };
  return { kind: 'status_only', reason: reason ?? 'unavailable', why: why ?? 'it has no brain open' };
}

/** Starts a registered server, reads once through it and ends it. Never rejects; the server is gone afterwards. */
export async function smokeTest({ argv, env, signal }: SmokeServer): Promise<Smoke> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = Promise.withResolvers<string>();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-STDERR_KEPT);
  });
  child.once('error', (error) => ended.resolve((error as NodeJS.ErrnoException).code ?? error.message));
  child.once('close', (code) => ended.resolve(`it ended with status ${code}`));
  child.stdin.on('error', () => undefined);
  const peer = createPeer({ send: (message) => void child.stdin.write(encodeJsonLine(message)) });
  const decoder = createJsonLineDecoder({ maxLineBytes: LINE_BYTES_MAX });
  child.stdout.on('data', (chunk: Buffer) => {
    for (const message of decoder.push(chunk).items) peer.receive(message);
  });
  void ended.promise.then((why) => peer.close(new Error(why)));
  try {
    const smoke = await converse(peer, signal);
    if (smoke.kind !== 'failed' || !peer.closed) return smoke;
    const said = stderr.trim().split('\n').at(-1);
    const why = await ended.promise;
    return { kind: 'failed', stage: 'start', why: said ? `${why}: ${said.slice(0, 300)}` : why };
  } finally {
    peer.close();
    child.stdin.end();
    const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await ended.promise;
    clearTimeout(late);
  }
}
