// MCP on the process' pipe with the official SDK: handshake, lists, calls, cancel, and an end when the client ends.

import type { Readable, Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { worstOf } from '../areas/health/readiness.ts';
import type { SessionSurface } from '../context.ts';
import type { Host, ServeOptions } from '../host.ts';
import { instructionsText } from '../render/instructions.ts';
import { BrainLink } from './brain-link.ts';
import { PendingTransport } from './mcp-pending.ts';
import { ELECTION_MS, McpSession, type SessionOptions } from './mcp-session.ts';
import type { ProcessBrain } from './process-brain.ts';

/** The streams of a server: the protocol's own, and a line for the operator. */
export interface ServePipe {
  stdin: Readable;
  /** The real stdout; everything else of the process was pointed at stderr before. */
  protocol: Writable;
  log(line: string): void;
}

/** Longest time that calls in hand are waited for when the client is gone. */
const ANSWERS_MS = 10_000;

const SURFACES: readonly SessionSurface[] = ['verbs', 'starter', 'full'];

const isSurface = (value: unknown): value is SessionSurface => SURFACES.includes(value as SessionSurface);

/** Surface of a session: environment, flag, setting, else `full`. Source: facts/contract G.1. */
export async function resolveSurface(
  host: Host,
  flag: SessionSurface | undefined,
): Promise<Pick<SessionOptions, 'surface' | 'surfaceSource' | 'badSurface'>> {
  const named = host.env.GBRAIN_SURFACE;
  if (isSurface(named)) return { surface: named, surfaceSource: 'env' };
  const bad = named ? { badSurface: named } : {};
  if (flag) return { surface: flag, surfaceSource: 'flag', ...bad };
  const setting = await host.setting('mcp_surface').catch(() => undefined);
  if (isSurface(setting?.value)) return { surface: setting.value, surfaceSource: 'config', ...bad };
  return { surface: 'full', surfaceSource: 'default', ...bad };
}

/** A reader of the resource waits this long for rows that are not known yet; a handshake hardly at all. */
const READINESS_MS = 2_000;
/** Source: facts/contract K.2. */
const HANDSHAKE_MS = 250;

const CAPABILITIES_URI = 'gbrain://capabilities';

/** Body of `gbrain://capabilities`. Source: facts/contract G.10. */
async function capabilitiesBody(host: Host, session: McpSession): Promise<object> {
  // A reader of the resource has asked for what is known, and the brain may still be opening.
  await session.settled(READINESS_MS);
  const { caller } = session;
  const facts = {
    transport: caller.transport,
    scopes: caller.scopes,
    surface: caller.surface,
    surface_source: caller.surfaceSource,
    access: caller.access,
    source_id: host.ambient.source ?? 'default',
    available_operations: session.callable().map((one) => one.name),
    readiness: session.isDown ? [] : await session.readiness(READINESS_MS),
    administration: 'The owner of this machine administers the brain with the gbrain command line.',
  };
  if (!session.isDown) return facts;
  const status = await session.call(
    'gbrain_status',
    {},
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return { ...facts, status_only: JSON.parse(status.content[0]!.text) };
}

async function instructionsOf(host: Host, session: McpSession): Promise<string> {
  const writeback = await host.setting('memory.auto_writeback').catch(() => undefined);
  const isWriter = session.caller.access === 'full';
  return instructionsText({
    callable: new Set(session.callable().map((one) => one.name)),
    isDown: session.isDown,
    worst: session.isDown ? [] : worstOf(await session.readiness(HANDSHAKE_MS).catch(() => []), 2),
    ...(isWriter && typeof writeback?.value === 'string' && { writeback: writeback.value }),
    ...(host.env.GBRAIN_MCP_INSTRUCTIONS && { identity: host.env.GBRAIN_MCP_INSTRUCTIONS }),
  });
}

function makeServer(host: Host, session: McpSession, instructions: string): Server {
  const server = new Server(
    { name: 'gbrain', version: host.version },
    { capabilities: { tools: { listChanged: true }, resources: {} }, instructions },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: (await session.list()) as never }));
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const token = params._meta?.progressToken;
    const progress = (value: { what: string; done: number; total?: number }) => {
      if (token === undefined) return;
      const { what: message, done, total } = value;
      const body = { progressToken: token, progress: done, message, ...(total !== undefined && { total }) };
      void ctx.mcpReq.notify({ method: 'notifications/progress', params: body }).catch(() => undefined);
    };
    return session.call(params.name, params.arguments ?? {}, { signal: ctx.mcpReq.signal, progress });
  });
  server.setRequestHandler('resources/list', async () => ({
    resources: [{ uri: CAPABILITIES_URI, name: 'GBrain capabilities', mimeType: 'application/json' }],
  }));
  server.setRequestHandler('resources/read', async ({ params }) => {
    if (params.uri !== CAPABILITIES_URI) throw resourceNotFound(params.uri);
    const text = JSON.stringify(await capabilitiesBody(host, session));
    return { contents: [{ uri: CAPABILITIES_URI, mimeType: 'application/json', text }] };
  });
  return server;
}

function resourceNotFound(uri: string): Error {
  return Object.assign(new Error(`There is no resource ${uri.slice(0, 200)}`), { code: -32002 });
}

/** Resolves when the client is gone: end of input, a closed pipe, a signal, or another parent process. */
function clientGone(pipe: ServePipe, signal: AbortSignal, parentPid: number): Promise<string> {
  return new Promise((resolve) => {
    pipe.stdin.once('end', () => resolve('end of input'));
    pipe.stdin.once('close', () => resolve('closed input'));
    pipe.protocol.once('error', () => resolve('closed output'));
    if (signal.aborted) resolve(String(signal.reason));
    signal.addEventListener('abort', () => resolve(String(signal.reason)), { once: true });
    // Some clients leave the pipe open when they die; their child is then given to another parent.
    const watch = setInterval(() => {
      if (process.ppid !== parentPid) resolve('another parent');
    }, 2_000);
    watch.unref();
  });
}

/** Serves one MCP session on a pipe. Resolves when the client is gone and the brain is closed. */
export async function serveMcpStdio(
  host: Host,
  brain: ProcessBrain,
  pipe: ServePipe,
  options: ServeOptions,
): Promise<void> {
  const stop = new AbortController();
  const resolved = await resolveSurface(host, options.surface);
  let session: McpSession | undefined;
  const link = new BrainLink({
    host,
    brain,
    identity: { version: host.version, transport: 'stdio', serve: true },
    signal: stop.signal,
    nowMs: () => performance.now(),
    shareLocal: async () => (await host.setting('serve.share_local').catch(() => undefined))?.value === true,
    onChange: (state) => {
      if (stop.signal.aborted) return;
      if (state.kind === 'down') pipe.log(`[gbrain] no brain is open (${state.reason}); only gbrain_status works`);
      session?.onListChanged();
    },
  });
  session = new McpSession({ host, link, ...resolved, access: options.access });
  const opening = link.start();
  const opened = session;
  let current: Server | undefined;
  opened.onListChanged = () => void current?.sendToolListChanged().catch(() => undefined);
  const transport = new PendingTransport(pipe.stdin, pipe.protocol);
  const served = serveStdio(
    async ({ era }) => {
      opened.listIsFixed = era === 'modern';
      await link.elected(ELECTION_MS);
      current = makeServer(host, opened, await instructionsOf(host, opened));
      return current;
    },
    {
      transport,
      onerror: (error) => pipe.log(`[gbrain] ${error.message}`),
    },
  );
  await clientGone(pipe, options.signal, process.ppid);
  // What the client asked for before it hung up is done, and answered in case it still reads.
  await transport.answered(ANSWERS_MS);
  await session.end();
  stop.abort('shutdown');
  await opening.catch(() => undefined);
  await link.close();
  await served.close();
}
