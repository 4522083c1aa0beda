// The checks of the protocol pass on our own verbs, and each clause that is broken on purpose is named as broken.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AGENT, testHost } from '@gbrain/testkit/host';
import { openTestPglite, type TestStore } from '@gbrain/testkit/stores';
import { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ListedTool, ToolReply, ToolServer } from '../../host.ts';
import { connectionOf } from '../../render/connection.ts';
import { toolResult } from '../../render/mcp.ts';
import { toolDefinition } from '../../render/tools.ts';
import { connectTools } from '../../transports/mcp-client.ts';
import { CHECKS } from './checks.ts';
import { runChecks } from './run-checks.ts';
import { commandWords, parseTarget } from './target.ts';
import { VERBS } from './verb-contract.ts';

let store: TestStore;
let good: ToolServer;
let runs = 0;

beforeAll(async () => {
  store = await openTestPglite();
  const host = testHost(store.store);
  const connection = connectionOf(host, AGENT, { persistentInstall: false });
  good = {
    about: { name: 'in process', version: '1' },
    tools: async () =>
      host.registry.operations
        .filter(({ surface }) => surface === 'verbs')
        .map((one) => toolDefinition(one, { listFullOnly: false })) as unknown as ListedTool[],
    call: async (name, args) => toolResult(await host.call(name, args, AGENT), connection) as ToolReply,
    close: async () => undefined,
  };
});
afterAll(() => store.remove());

/** Names of the checks that fail on a server. The clock stands still, so no slow machine fails one. */
async function failing(server: ToolServer, more: { nowMs?: () => number; readOnly?: boolean } = {}): Promise<string[]> {
  const subject = { server, marker: `mark-${runs++}-${'x'.repeat(8)}`, nowMs: more.nowMs ?? (() => 0), slack: 1 };
  const results = await runChecks(subject, {
    readOnly: more.readOnly ?? false,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  expect(results).toHaveLength(CHECKS.length);
  return results
    .filter(({ status }) => status === 'fail')
    .map(({ name, why }) => `${name}${why ? '' : ' (no reason)'}`);
}

type Json = Record<string, unknown>;

/** The good server with the body of some replies changed. */
const broken = (change: (verb: string, body: Json, args: Json, reply: ToolReply) => Json | undefined): ToolServer => ({
  ...good,
  call: async (verb, args) => {
    const reply = await good.call(verb, args);
    const body = JSON.parse(reply.content[0]!.text!) as Json;
    const changed = change(verb, body, args, reply);
    return changed
      ? { ...reply, content: [{ type: 'text', text: JSON.stringify(changed) }, ...reply.content.slice(1)] }
      : reply;
  },
});

/** The good server with the definition of one verb changed. */
const listing = (verb: string, change: (tool: Json) => Json | undefined): ToolServer => ({
  ...good,
  tools: async () =>
    (await good.tools()).flatMap((tool) => {
      if (tool.name !== verb) return [tool];
      const changed = change(structuredClone(tool) as unknown as Json);
      return changed ? [changed as unknown as ListedTool] : [];
    }),
});

const without = (body: Json, key: string): Json =>
  Object.fromEntries(Object.entries(body).filter(([one]) => one !== key));

describe('conformance', () => {
  test('our own verbs pass every check', async () => {
    expect(await failing(good)).toEqual([]);
    expect(await failing(good, { readOnly: true })).toEqual([]);
  });

  test('every verb has its checks, each with a name of its own', () => {
    const names = CHECKS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { verb, refusals } of VERBS) {
      for (const clause of ['listed', 'arguments', 'annotations', 'reply', 'latency'])
        expect(names).toContain(`${verb}.${clause}`);
      expect(refusals.length).toBeGreaterThan(0);
    }
  });

  test.each(VERBS.map(({ verb }) => verb))('%s that is not listed', async (verb) => {
    const found = await failing(listing(verb, () => undefined));
    expect(found).toEqual(['listed', 'arguments', 'annotations'].map((clause) => `${verb}.${clause}`));
  });

  test.each([
    [
      'recall.arguments',
      'recall',
      (tool: Json) => ({ ...tool, inputSchema: { ...(tool.inputSchema as Json), properties: {} } }),
    ],
    [
      'recall.arguments',
      'recall',
      (tool: Json) => ({ ...tool, inputSchema: { ...(tool.inputSchema as Json), required: ['query'] } }),
    ],
    [
      'remember.arguments',
      'remember',
      (tool: Json) => {
        const { properties } = tool.inputSchema as { properties: Record<string, Json> };
        properties.kind!.enum = ['fact'];
        return tool;
      },
    ],
    [
      'forget.annotations',
      'forget',
      (tool: Json) => ({ ...tool, annotations: { ...(tool.annotations as Json), destructiveHint: false } }),
    ],
  ] as [string, string, (tool: Json) => Json][])('%s, changed in the list', async (clause, verb, change) => {
    expect(await failing(listing(verb, change))).toEqual([clause]);
  });

  test.each(
    VERBS.filter(({ verb }) => verb !== 'synthesize').flatMap(({ verb, reply }) =>
      ['protocol_version', ...Object.keys(reply)].map((key) => [verb, key] as const),
    ),
  )('%s without `%s` in its reply', async (verb, key) => {
    const found = await failing(
      broken((name, body, _, reply) => (name === verb && !reply.isError ? without(body, key) : undefined)),
    );
    expect(found).toContain(`${verb}.reply`);
  });

  test.each([
    ['remember.reply', 'remember', 'status', 'stored'],
    ['entity.reply', 'entity', 'found', 'no'],
    ['delta.reply', 'delta', 'has_more', 'maybe'],
    ['recall.rows', 'recall', 'facts', [{ fact: 'a row without its other keys' }]],
    ['recall.budget', 'recall', 'budget_packing', { policy: 'facts_first', applied: true, reason: 'because' }],
    ['entity.takes_names', 'entity', 'results', 'none'],
    ['delta.goes_on', 'delta', 'next_cursor', {}],
    ['forget.is_idempotent', 'forget', 'expired', true],
    ['remember.keeps_once', 'remember', 'status', 'inserted'],
  ])('%s, with another value', async (clause, verb, key, value) => {
    const found = await failing(
      broken((name, body, _, reply) =>
        name === verb && !reply.isError && key in body ? { ...body, [key]: value } : undefined,
      ),
    );
    expect(found).toContain(clause);
  });

  test('a forgotten fact that is told again', async () => {
    let kept: Json[] = [];
    const found = await failing(
      broken((name, body, args) => {
        if (name !== 'recall' || args.grep === undefined || !Array.isArray(body.facts)) return undefined;
        if (body.facts.length > 0) kept = body.facts as Json[];
        return { ...body, facts: kept };
      }),
    );
    expect(found).toContain('recall.leaves_out_what_is_forgotten');
  });

  test.each(['error', 'code', 'protocol_version', 'message', 'suggestion', 'class', 'retryable', 'contract_version'])(
    'refusals without `%s`',
    async (key) => {
      const found = await failing(broken((_, body, __, reply) => (reply.isError ? without(body, key) : undefined)));
      const refusals = VERBS.flatMap(({ verb, refusals: all }) => all.map(({ name }) => `${verb}.refuses.${name}`));
      expect(found).toEqual(
        expect.arrayContaining([...refusals, 'synthesize.reply', 'remember.respects_a_withdrawal']),
      );
      expect(found.includes('server.refuses_unknown_tools')).toBe(key === 'error' || key === 'code');
    },
  );

  test('refusals in two blocks, as successes, and not at all as JSON', async () => {
    const refused = VERBS.flatMap(({ verb, refusals }) => refusals.map(({ name }) => `${verb}.refuses.${name}`));
    const changed = (change: (reply: ToolReply) => ToolReply): ToolServer => ({
      ...good,
      call: async (verb, args) => {
        const reply = await good.call(verb, args);
        return reply.isError ? change(reply) : reply;
      },
    });
    const two = changed((reply) => ({ ...reply, content: [...reply.content, { type: 'text', text: 'note' }] }));
    const success = changed((reply) => ({ ...reply, isError: false }));
    const prose = changed((reply) => ({ ...reply, content: [{ type: 'text', text: 'Something went wrong' }] }));
    for (const server of [two, success, prose]) expect(await failing(server)).toEqual(expect.arrayContaining(refused));
  });

  test('a server that throws fails by name and stops nothing', async () => {
    const found = await failing({ ...good, call: () => Promise.reject(new Error('gone')) });
    expect(found.filter((name) => name.endsWith('.listed'))).toEqual([]);
    expect(found).toHaveLength(CHECKS.filter(({ name }) => !/\.(listed|arguments|annotations)$/.test(name)).length);
  });

  test('a slow server fails its latency class alone', async () => {
    let clock = 0;
    const nowMs = () => {
      clock += 1_500;
      return clock;
    };
    const found = await failing(good, { nowMs });
    expect(found).toEqual(
      VERBS.filter(({ latency }) => latency === 'interactive').map(({ verb }) => `${verb}.latency`),
    );
  });
});

describe('targets', () => {
  test('a command keeps its quoted words, an address its token', () => {
    expect(commandWords(`/opt/my\\ brain/gbrain serve --note "a \\"b\\" c" 'd e'`)).toEqual([
      '/opt/my brain/gbrain',
      'serve',
      '--note',
      'a "b" c',
      'd e',
    ]);
    expect(parseTarget('https://memory.example/mcp', 't')).toEqual({ url: 'https://memory.example/mcp', token: 't' });
  });

  test('an address is checked through the official client, with its token', async () => {
    await using endpoint = await serveHttp('right');
    const signal = new AbortController().signal;
    const server = await connectTools({ url: endpoint.url, token: 'right' }, '0', signal);
    expect(await failing(server, { readOnly: true })).toEqual([]);
    await server.close();
    const host = testHost(store.store, { connectTools: (target, at) => connectTools(target, '0', at) });
    const refused = await host.refused('protocol_conformance', { target: endpoint.url, token: 'wrong' });
    expect(refused).toMatchObject({ code: 'target_unreachable', reason: 'unauthorized' });
    const nobody = await host.refused('protocol_conformance', { target: 'http://127.0.0.1:9/mcp' });
    expect(nobody).toMatchObject({ code: 'target_unreachable', reason: 'unreachable' });
    const noCommand = await host.refused('protocol_conformance', { target: '/nowhere/memory serve' });
    expect(noCommand).toMatchObject({ code: 'target_unreachable', reason: 'not_started' });
  });
});

describe('schemas and stats', () => {
  test('schemas come from the live definitions', async () => {
    const host = testHost(store.store);
    type Schemas = { operations: { name: string; latency_class?: string; input_schema: Json }[] };
    const verbs = await host.ok<Schemas>('protocol_schemas');
    expect(verbs.operations.map(({ name }) => name).sort()).toEqual(VERBS.map(({ verb }) => verb).sort());
    expect(verbs.operations.every(({ latency_class }) => latency_class !== undefined)).toBe(true);
    const one = await host.ok<Schemas>('protocol_schemas', { operation: 'get_page' });
    expect(one.operations[0]!.input_schema).toMatchObject({ type: 'object', required: ['slug'] });
    const all = await host.ok<Schemas>('protocol_schemas', { all: true });
    expect(all.operations).toHaveLength(host.registry.operations.length);
    expect(await host.refused('protocol_schemas', { operation: 'recal' })).toMatchObject({ code: 'unknown_tool' });
  });

  test('stats count writes, withdrawals and facts', async () => {
    const fresh = await openTestPglite();
    const host = testHost(fresh.store);
    const saved = await host.ok<{ id: string }>(
      'remember',
      { fact: 'The pilot starts in May', provenance: 'call' },
      AGENT,
    );
    await host.ok('remember', { fact: 'Bob leads it', provenance: 'call' }, AGENT);
    await host.ok('forget', { id: saved.id }, AGENT);
    const stats = await host.ok<{ verbs: { verb: string; writes?: Json }[] }>('protocol_stats');
    expect(stats).toMatchObject({ facts: { active: 1, expired: 1, written: 2, withdrawn: 1 }, sessions: 0 });
    expect(stats.verbs.find(({ verb }) => verb === 'remember')).toMatchObject({ writes: { committed: 2 } });
    expect(stats.verbs.find(({ verb }) => verb === 'forget')).toMatchObject({ writes: { committed: 1 } });
    await fresh.remove();
  });
});

/** The good server at an address that wants a token. */
async function serveHttp(token: string): Promise<{ url: string } & AsyncDisposable> {
  const http: Server = createServer(async (request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    const mcp = new McpServer({ name: 'http', version: '1' }, { capabilities: { tools: {} } });
    mcp.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: (await good.tools()) as never }));
    mcp.setRequestHandler(
      CallToolRequestSchema,
      async ({ params }) => (await good.call(params.name, params.arguments ?? {})) as never,
    );
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined } as never);
    response.on('close', () => void transport.close());
    await mcp.connect(transport as never);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
}
