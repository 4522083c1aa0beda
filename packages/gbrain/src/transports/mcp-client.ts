// A client of somebody else's MCP server, on a pipe or at an address, with the official SDK.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ListedTool, ToolReply, ToolServer, ToolTarget } from '../host.ts';

/** Longest wait for one answer; a verb with a model behind it takes tens of seconds. */
const ANSWER_MS = 180_000;
/** Start and handshake. */
const CONNECT_MS = 30_000;
/** Kept of what a server says on stderr, for the message when it does not start. */
const STDERR_KEPT = 500;

interface Opened {
  transport: StdioClientTransport | StreamableHTTPClientTransport;
  said(): string;
}

const definedOf = (env: NonNullable<Extract<ToolTarget, { argv: unknown }>['env']>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));

function open(target: ToolTarget): Opened {
  if ('url' in target) {
    const headers = target.token === undefined ? {} : { Authorization: `Bearer ${target.token}` };
    const transport = new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers } });
    return { transport, said: () => '' };
  }
  const [command = '', ...args] = target.argv;
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    ...(target.env && { env: definedOf(target.env) }),
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-STDERR_KEPT);
  });
  return { transport, said: () => said.trim().split('\n').at(-1) ?? '' };
}

/** Connects to a server. Rejects with what the server or the system says; nothing is left running then. */
export async function connectTools(target: ToolTarget, version: string, signal: AbortSignal): Promise<ToolServer> {
  const { transport, said } = open(target);
  const client = new Client({ name: 'gbrain', version }, { versionNegotiation: { mode: 'auto' } });
  try {
    await client.connect(transport, { timeout: CONNECT_MS, signal });
  } catch (error) {
    await client.close().catch(() => undefined);
    const line = said();
    throw new Error(line === '' ? (error as Error).message : `${(error as Error).message}: ${line}`, { cause: error });
  }
  const options = { timeout: ANSWER_MS, signal };
  const about = client.getServerVersion();
  return {
    about: { name: about?.name ?? 'unknown', version: about?.version ?? 'unknown' },
    tools: async () => (await client.listTools(undefined, options)).tools as unknown as ListedTool[],
    call: async (name, args) => (await client.callTool({ name, arguments: args }, options)) as unknown as ToolReply,
    close: () => client.close(),
  };
}
