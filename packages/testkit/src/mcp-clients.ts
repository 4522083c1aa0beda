// The official MCP clients over a spawned server, one face for every revision that gbrain speaks.
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type JSONRPCMessage, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { GbrainHome } from './gbrain-home.ts';
import type { ToolReply } from './mcp-pipe.ts';

/** Revisions of MCP. The first two are spoken by the SDK's first major version, the last by the second. */
export const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;

/** One of them. */
export type Revision = (typeof REVISIONS)[number];

/** A tool as a client lists it. */
export interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

/** How a call is made. */
export interface CallOptions {
  signal?: AbortSignal;
  onprogress?(value: { progress: number }): void;
}

/** A connected client. */
export interface TestClient {
  readonly revision: Revision;
  /** Notifications of a changed tool list so far. */
  readonly listChanges: () => number;
  /** Resolves with the next change of the tool list after `from` of them. */
  changed(from: number): Promise<void>;
  tools(): Promise<ListedTool[]>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolReply>;
  read(uri: string): Promise<string>;
  instructions(): string | undefined;
  serverInfo(): unknown;
  readonly pid: () => number | null;
  close(): Promise<void>;
}

/** The first handshake message of the SDK names its newest revision; this one names the wanted revision. */
class PinnedTransport extends LegacyTransport {
  revision: string = '';
  override send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message) || message.method !== 'initialize') return super.send(message);
    return super.send({ ...message, params: { ...message.params, protocolVersion: this.revision } });
  }
}

class Changes {
  count = 0;
  readonly #waiting = new Set<() => void>();
  seen(): void {
    this.count += 1;
    for (const look of this.#waiting) look();
  }
  after(from: number): Promise<void> {
    if (this.count > from) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (this.count <= from) return;
      this.#waiting.delete(look);
      resolve();
    };
    this.#waiting.add(look);
    return promise;
  }
}

const INFO = { name: 'testkit', version: '1.0.0' };

/** Starts `gbrain serve` in a home and connects the official client of a revision to it. */
export async function connectClient(
  home: GbrainHome,
  revision: Revision,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<TestClient> {
  const server = { command: home.launcher, args: ['serve', ...args], env: { ...home.env, ...env }, cwd: home.folder };
  return revision === '2026-07-28' ? connectModern(revision, server) : connectLegacy(revision, server);
}

interface ServerCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
}

async function connectLegacy(revision: Revision, server: ServerCommand): Promise<TestClient> {
  const transport = new PinnedTransport({ ...server, stderr: 'ignore' });
  transport.revision = revision;
  const client = new LegacyClient(INFO);
  const changes = new Changes();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changes.seen());
  await client.connect(transport);
  return {
    revision,
    listChanges: () => changes.count,
    changed: (from) => changes.after(from),
    tools: async () => (await client.listTools()).tools as ListedTool[],
    call: async (name, input = {}, options = {}) =>
      (await client.callTool({ name, arguments: input }, undefined, options)) as unknown as ToolReply,
    read: async (uri) =>
      (await client.readResource({ uri })).contents.map((one) => ('text' in one ? one.text : '')).join(),
    instructions: () => client.getInstructions(),
    serverInfo: () => client.getServerVersion(),
    pid: () => transport.pid,
    close: () => client.close(),
  };
}

async function connectModern(revision: Revision, server: ServerCommand): Promise<TestClient> {
  const transport = new ModernTransport({ ...server, stderr: 'ignore' });
  const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: revision } } });
  const changes = new Changes();
  client.setNotificationHandler('notifications/tools/list_changed', () => changes.seen());
  await client.connect(transport);
  return {
    revision,
    listChanges: () => changes.count,
    changed: (from) => changes.after(from),
    tools: async () => (await client.listTools()).tools as ListedTool[],
    call: async (name, input = {}, options = {}) =>
      (await client.callTool({ name, arguments: input }, options)) as unknown as ToolReply,
    read: async (uri) =>
      (await client.readResource({ uri })).contents.map((one) => ('text' in one ? one.text : '')).join(),
    instructions: () => client.getInstructions(),
    serverInfo: () => client.getServerVersion(),
    pid: () => transport.pid,
    close: () => client.close(),
  };
}

/** The one body of a reply that must be a success. */
export function bodyOf<T = Record<string, unknown>>(reply: ToolReply): T {
  if (reply.isError) throw new Error(`the call failed: ${reply.content[0]?.text}`);
  return JSON.parse(reply.content[0]!.text) as T;
}

/** An envelope, as far as tests look at it. */
export interface Envelope {
  error: string;
  code: string;
  message: string;
  suggestion: string;
  reason?: string;
  class: string;
  retryable: boolean;
  fix?: {
    argv?: string[];
    command?: string;
    mcp?: { tool: string; arguments: Record<string, unknown> };
    consent: string[];
    actor: string;
    next: string;
    why: string;
    inputs?: { name: string; how: string }[];
  };
}

/** The envelope of a reply that must be an error of exactly one block. */
export function envelopeOf(reply: ToolReply): Envelope {
  if (!reply.isError) throw new Error(`the call succeeded: ${reply.content[0]?.text.slice(0, 300)}`);
  if (reply.content.length !== 1) throw new Error(`an error of ${reply.content.length} blocks`);
  return JSON.parse(reply.content[0]!.text) as Envelope;
}
