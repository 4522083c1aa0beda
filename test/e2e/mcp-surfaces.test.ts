// What a session lists and how arguments are taken: surfaces, access, schemas as they go on the wire, strictness,
// repair.
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import type { Envelope, ListedTool } from '@gbrain/testkit/mcp-clients';
import { McpPipe } from '@gbrain/testkit/mcp-pipe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let home: GbrainHome;
let owner: McpPipe;
beforeAll(async () => {
  home = await GbrainHome.withBrain();
  await home.json(['config', 'set', 'serve.share_local', 'true']);
  owner = await open();
  await owner.body('put_page', { slug: 'notes/one', content: '# One\n' });
});
afterAll(() => home[Symbol.asyncDispose]());

/** A session of its own; the first one opens the brain and the others share it. */
async function open(args: string[] = [], env: Record<string, string> = {}): Promise<McpPipe> {
  const pipe = new McpPipe(home.start(['serve', ...args], env));
  await pipe.initialize();
  return pipe;
}

async function toolsOf(pipe: McpPipe): Promise<ListedTool[]> {
  return ((await pipe.result('tools/list')) as { tools: ListedTool[] }).tools;
}

const envelope = async (pipe: McpPipe, name: string, args: object = {}): Promise<Envelope> =>
  (await pipe.envelope(name, args)) as unknown as Envelope;

/** Every schema below a schema, itself included, with its path. */
function* schemasIn(node: Record<string, unknown>, path: string): Generator<[string, Record<string, unknown>]> {
  yield [path, node];
  const properties = (node.properties ?? {}) as Record<string, Record<string, unknown>>;
  for (const [key, inner] of Object.entries(properties)) yield* schemasIn(inner, `${path}.${key}`);
  if (node.items) yield* schemasIn(node.items as Record<string, unknown>, `${path}[]`);
}

/** Keys of the plain dialect, which every client reads alike. */
const PLAIN = new Set([
  'type',
  'description',
  'enum',
  'default',
  'minimum',
  'maximum',
  'items',
  'properties',
  'required',
]);

function lint(tool: ListedTool): string[] {
  const faults: string[] = [];
  if (!/^[a-z][a-z0-9_]{1,47}$/.test(tool.name)) faults.push(`${tool.name}: no short plain name`);
  if ((tool.description ?? '').length === 0 || tool.description!.length > 200) faults.push(`${tool.name}: description`);
  if (!tool.title || tool.title.length > 40) faults.push(`${tool.name}: title`);
  if (tool.inputSchema.type !== 'object') faults.push(`${tool.name}: its root is no object`);
  for (const [path, schema] of schemasIn(tool.inputSchema, tool.name)) {
    if (typeof schema.type !== 'string') faults.push(`${path}: no single type`);
    if (schema.type === 'array' && !schema.items) faults.push(`${path}: a list without items`);
    const foreign = Object.keys(schema).filter((key) => !PLAIN.has(key) && key !== 'additionalProperties');
    if (foreign.length > 0) faults.push(`${path}: ${foreign.join()}`);
    if ('additionalProperties' in schema && schema.additionalProperties !== false) faults.push(`${path}: open object`);
  }
  return faults;
}

describe('surfaces', () => {
  test('grow from verbs over starter to full, each in the plain dialect and within its size', async () => {
    const lists: Record<string, ListedTool[]> = {};
    for (const surface of ['verbs', 'starter', 'full']) {
      const pipe = await open(['--surface', surface]);
      lists[surface] = await toolsOf(pipe);
      await pipe.close();
    }
    const names = (surface: string) => lists[surface]!.map(({ name }) => name);
    expect(new Set(names('full')).size).toBe(names('full').length);
    expect(names('starter').filter((name) => !names('full').includes(name))).toEqual([]);
    expect(names('verbs').filter((name) => !names('starter').includes(name))).toEqual([]);
    expect(names('full').length).toBeGreaterThan(names('starter').length);
    expect(Object.values(lists).flat().flatMap(lint)).toEqual([]);
    expect(JSON.stringify(lists.starter).length).toBeLessThanOrEqual(25_000);
    for (const tool of lists.full!) expect(JSON.stringify(tool).length, tool.name).toBeLessThanOrEqual(4_000);
  });

  test('say whether a tool only reads', async () => {
    const tools = await toolsOf(owner);
    const of = (name: string) => tools.find((tool) => tool.name === name)?.annotations;
    expect(of('get_page')).toEqual({ readOnlyHint: true, openWorldHint: false });
    expect(of('put_page')).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: true });
    for (const { name, annotations } of tools) {
      expect(annotations, name).toMatchObject({ readOnlyHint: expect.any(Boolean), openWorldHint: false });
    }
  });

  test('the verbs surface lists the verbs alone, and its refusals name the command', async () => {
    const pipe = new McpPipe(home.start(['serve', '--surface', 'verbs']));
    await pipe.initialize();
    const verbs = ['context_pack', 'delta', 'entity', 'forget', 'recall', 'remember', 'synthesize'];
    const names = await pipe.toolNames();
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !verbs.includes(name))).toEqual([]);
    const refused = await envelope(pipe, 'get_page', { slug: 'notes/one' });
    expect(refused).toMatchObject({ code: 'unknown_tool', fix: { next: 'tell_user_to_run', actor: 'user' } });
    expect(refused.fix!.command).toBe('gbrain get --brain host --source default -- notes/one');
    expect(refused.fix!.mcp).toBeUndefined();
    expect(refused.fix!.why).toContain('GBRAIN_SURFACE=full');
    const shown = await home.run(refused.fix!.argv!.slice(1));
    expect(shown).toMatchObject({ exit: 0, stdout: '# One\n' });
    await pipe.close();
  });

  test('come from the environment, then the flag, then the setting', async () => {
    const byEnv = await open(['--surface', 'full'], { GBRAIN_SURFACE: 'starter' });
    const facts = async (pipe: McpPipe) => {
      const { contents } = (await pipe.result('resources/read', { uri: 'gbrain://capabilities' })) as {
        contents: { text: string }[];
      };
      return JSON.parse(contents[0]!.text) as Record<string, unknown>;
    };
    expect(await facts(byEnv)).toMatchObject({ surface: 'starter', surface_source: 'env' });
    await byEnv.close();
    const bad = await open([], { GBRAIN_SURFACE: 'everything' });
    expect(await facts(bad)).toMatchObject({ surface: 'full', surface_source: 'default' });
    const noticed = await bad.call('list_pages');
    expect(noticed.content[1]!.text).toMatch(/^\[gbrain notice surface_env_invalid kind=info\]\n/);
    expect((await bad.call('list_pages')).content.map(({ text }) => text).join()).not.toContain('surface_env_invalid');
    await bad.close();
  });
});

describe('mcp.advertised_surface', () => {
  test('narrows the list alone, until a session asks for more itself', async () => {
    expect((await home.run(['config', 'set', 'mcp.advertised_surface', 'verbs'])).exit).toBe(0);
    const pipe = await open([]);
    const names = await pipe.toolNames();
    expect(names).toContain('recall');
    expect(names).not.toContain('list_pages');
    // What is not shown is called all the same, and is named by fixes.
    expect(await pipe.body('list_pages')).toBeInstanceOf(Array);
    expect((await pipe.envelope('list_pages', { sort: 'bogus' })).fix).toMatchObject({ mcp: { tool: 'list_pages' } });
    await pipe.close();
    const asked = await open(['--surface', 'starter']);
    await asked.body('request_tools', { surface: 'full' });
    expect(await asked.toolNames()).toContain('get_stats');
    await asked.close();
    expect((await home.run(['config', 'unset', 'mcp.advertised_surface'])).exit).toBe(0);
  });
});

describe('--access read-only', () => {
  let pipe: McpPipe;
  beforeAll(async () => {
    pipe = await open(['--access', 'read-only']);
  });
  afterAll(() => pipe.close());

  test('lists reading tools only', async () => {
    const tools = await toolsOf(pipe);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    const names = tools.map(({ name }) => name);
    expect(names).toContain('get_page');
    for (const name of ['put_page', 'request_tools', 'mute_notice', 'call_tool']) expect(names).not.toContain(name);
  });

  test('refuses what writes, and names the command that the user can run', async () => {
    const refused = await envelope(pipe, 'put_page', { slug: 'notes/two', content: '# Two\n' });
    expect(refused).toMatchObject({ code: 'unknown_tool', fix: { next: 'tell_user_to_run' } });
    expect(refused.fix!.argv!.slice(0, 2)).toEqual(['gbrain', 'put']);
    expect((await envelope(owner, 'get_page', { slug: 'notes/two' })).code).toBe('page_not_found');
    expect((await envelope(pipe, 'request_tools', { surface: 'full' })).code).toBe('unknown_tool');
  });

  test('reads', async () => {
    expect(await pipe.body('get_page', { slug: 'notes/one', content_only: true })).toMatchObject({
      content: '# One\n',
    });
  });
});

describe('a session that may not widen', () => {
  test('is told the command instead, and the setting that stands in the way', async () => {
    await home.json(['config', 'set', 'mcp.allow_session_widen', 'false']);
    const pipe = await open(['--surface', 'starter']);
    const denied = await envelope(pipe, 'request_tools', { surface: 'full' });
    expect(denied).toMatchObject({ code: 'permission_denied', class: 'host_only', fix: { next: 'tell_user_to_run' } });
    const hidden = await envelope(pipe, 'delete_page', { slug: 'notes/none' });
    expect(hidden).toMatchObject({ code: 'unknown_tool', fix: { next: 'tell_user_to_run' } });
    expect(hidden.fix!.argv).toEqual('gbrain delete --brain host --source default -- notes/none'.split(' '));
    await home.json(['config', 'unset', 'mcp.allow_session_widen']);
    expect(await pipe.body('request_tools', { surface: 'full' })).toMatchObject({ widened: true, surface: 'full' });
    await pipe.close();
  });
});

describe('request_tools', () => {
  test('gives the catalogue by area, schemas by name, and near names for wrong ones', async () => {
    const { catalog, total_tools } = (await owner.body('request_tools')) as {
      catalog: { area: string; tools: { name: string; one_line: string }[] }[];
      total_tools: number;
    };
    expect(catalog.map(({ area }) => area)).toEqual(catalog.map(({ area }) => area).toSorted());
    expect(catalog.flatMap(({ tools }) => tools)).toHaveLength(total_tools);
    for (const { one_line } of catalog.flatMap(({ tools }) => tools)) expect(one_line.length).toBeLessThanOrEqual(160);
    const { tools } = (await owner.body('request_tools', { tools: ['get_page', 'nothing_such'] })) as {
      tools: ListedTool[];
    };
    expect(tools.map(({ name }) => name)).toEqual(['get_page']);
    expect(await owner.body('request_tools', { tools: ['get_pag'] })).toMatchObject({ did_you_mean: ['get_page'] });
    expect(await envelope(owner, 'request_tools', { tools: ['get_page'], surface: 'full' })).toMatchObject({
      code: 'invalid_params',
    });
    expect(await owner.body('request_tools', { surface: 'full' })).toMatchObject({ widened: false });
  });
});

describe('arguments', () => {
  test('are repaired where nothing is lost, and refused with a corrected call where something would be', async () => {
    expect(await owner.body('list_pages', { limit: '3' })).toHaveLength(1);
    const edits = JSON.stringify([{ old_text: 'One', new_text: 'Eins' }]);
    const { revision } = await owner.body('get_page', { slug: 'notes/one' });
    const edited = await owner.body('edit_page', { slug: 'notes/one', expected_revision: revision, edits });
    expect(edited).toMatchObject({ state: 'committed' });
    const back = [{ old_text: 'Eins', new_text: 'One' }];
    await owner.body('edit_page', { slug: 'notes/one', expected_revision: edited.revision, edits: back });
    const refused = await envelope(owner, 'list_pages', { limit: 'abc', tag: 'travel' });
    expect(refused).toMatchObject({ code: 'invalid_params', class: 'caller', fix: { next: 'run' } });
    expect(refused.fix!.mcp!.arguments).toEqual({ limit: 50, tag: 'travel' });
    expect(refused.message).not.toContain('abc');
    expect(await owner.body('list_pages', refused.fix!.mcp!.arguments)).toEqual([]);
  });

  test('an undeclared one is left out with a notice, and refused where the setting says so', async () => {
    const warned = await owner.call('list_pages', { lmit: 5, _meta: { session_id: 'x' }, dry_run: true });
    expect(warned.content[1]!.text).toMatch(/^\[gbrain notice unknown_param kind=info\]\nwhy: .*`lmit`.*`limit`/);
    expect(warned.content).toHaveLength(2);
    expect(warned._meta?.warnings).toEqual([{ code: 'unknown_param', param: 'lmit', suggestion: 'limit' }]);
    await home.json(['config', 'set', 'mcp.strict_params', 'reject']);
    const refused = await envelope(owner, 'list_pages', { lmit: 5 });
    expect(refused).toMatchObject({ code: 'invalid_params', suggestion: expect.stringContaining('`limit`') });
    const [listed] = (await toolsOf(owner)).filter(({ name }) => name === 'list_pages');
    const { properties, additionalProperties } = listed!.inputSchema as {
      properties: object;
      additionalProperties: unknown;
    };
    expect(additionalProperties).toBe(false);
    expect(properties).toMatchObject({ _meta: { type: 'object' }, dry_run: { type: 'boolean' } });
    await home.json(['config', 'unset', 'mcp.strict_params']);
  });

  test('a number beyond a documented cap is brought back to it, with a notice', async () => {
    const clamped = await owner.call('list_pages', { limit: 100_000 });
    expect(clamped.content[1]!.text).toMatch(/^\[gbrain notice param_clamped kind=info\]/);
    expect((await envelope(owner, 'get_page', { slug: 'notes/one', offset: -1 })).code).toBe('invalid_params');
  });
});

describe('mute_notice', () => {
  test('puts a notice away for every stdio session, until the owner shows it again', async () => {
    const muted = await owner.body('mute_notice', { code: 'unknown_param' });
    expect(muted).toMatchObject({ code: 'unknown_param', muted: true, scope: 'owner' });
    const other = await open();
    expect((await other.call('list_pages', { lmit: 1 })).content).toHaveLength(1);
    expect(
      (await home.json<{ notices: { code: string; muted: boolean }[] }>(['notices', 'list'])).notices,
    ).toContainEqual(expect.objectContaining({ code: 'unknown_param', muted: true }));
    await home.json(['notices', 'unmute', 'unknown_param']);
    const shown = await other.call('list_pages', { lmit: 1 });
    expect(shown.content.map(({ text }) => text.split('\n')[0])).toContain('[gbrain notice unknown_param kind=info]');
    await other.close();
  });

  test('does not mute what always shows, and lists what it can mute', async () => {
    const refused = await envelope(owner, 'mute_notice', { code: 'behavior_changes' });
    expect(refused).toMatchObject({ code: 'invalid_params' });
    expect(refused.message).toContain('listing_truncated');
  });
});
