// request_tools: what else there is, the schemas of named tools, or a wider surface for this session.
import { closest } from '@gbrain/wire/did-you-mean';
import type { Context } from '../../context.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { denialOf } from '../../pipeline/access.ts';
import { toolDefinition } from '../../render/tools.ts';

const ONE_LINE_MAX = 160;

const oneLine = (operation: Operation): string => operation.summary.split(/(?<=\.)\s/)[0]!.slice(0, ONE_LINE_MAX);

/** A tool of its own, not another way to one. */
const isListed = (one: Operation): boolean => one.surface !== 'cli' && !one.statusOnly && one.name !== 'call_tool';

/** Tools that this caller could call on the full surface. */
function reachable(ctx: Context<string>): Operation[] {
  const full = { ...ctx.caller, surface: 'full' as const };
  return ctx.host.registry.operations.filter((one) => isListed(one) && denialOf(one, full) === undefined);
}

function catalogue(ctx: Context<string>, tools: readonly Operation[]) {
  const areas = new Map<string, { name: string; one_line: string }[]>();
  for (const one of tools) {
    const area = ctx.host.registry.areaOf(one.name);
    areas.set(area, [...(areas.get(area) ?? []), { name: one.name, one_line: oneLine(one) }]);
  }
  return [...areas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([area, list]) => ({ area, tools: list }));
}

const defined = (tools: readonly Operation[]) => tools.map((one) => toolDefinition(one, { listFullOnly: true }));

async function widen(ctx: Context<string>, surface: 'verbs' | 'starter' | 'full') {
  const { session } = ctx;
  const previous = ctx.caller.surface;
  if (!session || (await ctx.host.setting('mcp.allow_session_widen')).value === false) {
    return ctx.fail('permission_denied', { detail: 'config_key=mcp.allow_session_widen', tool: 'request_tools' });
  }
  if (!session.listIsFixed) session.widen(surface);
  const after = { ...ctx.caller, surface };
  const isNew = (one: Operation) => denialOf(one, ctx.caller) !== undefined && denialOf(one, after) === undefined;
  const tools = ctx.host.registry.operations.filter((one) => isListed(one) && isNew(one));
  const note = session.listIsFixed
    ? 'This revision keeps the tool list; call these with call_tool.'
    : 'Call these by name. The session alone is wider; nothing was stored.';
  return {
    persisted: false as const,
    scope: 'session' as const,
    surface,
    previous,
    widened: tools.length > 0,
    tools: defined(tools),
    note,
  };
}

export default defineOperation({
  name: 'request_tools',
  title: 'Request tools',
  summary: 'Lists every tool, gives schemas of named tools, or widens this session to a surface.',
  requirement: 'facts/contract G.8',
  scope: 'read',
  surface: 'starter',
  where: 'process',
  routesSource: false,
  mutating: true,
  idempotent: true,
  input: (z) => ({
    tools: z.array(z.string()).describe('Names whose schemas are wanted').optional(),
    surface: z.enum(['verbs', 'starter', 'full']).describe('Surface for this session').optional(),
  }),
  output: (z) => z.record(z.string(), z.unknown()),
  errors: ['permission_denied'],
  cli: {
    command: 'tools',
    group: 'Contract',
    human: (output) => JSON.stringify(output, null, 2),
  },
  examples: [
    { title: 'Every tool by area', input: {} },
    { title: 'The whole list for this session', input: { surface: 'full' } },
    { title: 'How one tool is called', input: { tools: ['get_page'] } },
  ],
  run: async (ctx, { tools, surface }): Promise<Record<string, unknown>> => {
    if (tools !== undefined && surface !== undefined) {
      ctx.fail('invalid_params', {
        param: 'surface',
        problem: 'shape',
        expected: 'left out when tools is given',
        corrected: { tools },
      });
    }
    if (surface !== undefined) return widen(ctx, surface);
    const all = reachable(ctx);
    const names = all.map((one) => one.name);
    if (tools !== undefined) {
      const found = all.filter((one) => tools.includes(one.name));
      if (found.length > 0) return { tools: defined(found) };
      const near = tools.flatMap((one) => closest(one, names) ?? []);
      return { catalog: catalogue(ctx, all), total_tools: all.length, did_you_mean: near };
    }
    return { catalog: catalogue(ctx, all), total_tools: all.length, note: 'Ask for a schema by name with tools.' };
  },
});
