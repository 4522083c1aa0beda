// One MCP session of this process: its surface, what it lists, one call to one result, its notices. No SDK, no stream.
import type { Preapproval } from '@gbrain/wire/action';
import { closest } from '@gbrain/wire/did-you-mean';
import type { Notice } from '@gbrain/wire/notice';
import { admitNotices, EMPTY_LEDGER, type LedgerState } from '@gbrain/wire/notice-ledger';
import { type ReadinessRow, readReadiness } from '../areas/health/readiness.ts';
import type { Call, CallIo, SessionControls } from '../call.ts';
import type { Caller, Progress, SessionSurface } from '../context.ts';
import { passPoint } from '../fault-points.ts';
import { toAction } from '../fix.ts';
import { eventOf, logContractEvent } from '../home/contract-log.ts';
import { defaultDataDir } from '../home/home.ts';
import { keptMuted, type MutedLists, mutedFor } from '../home/muted.ts';
import type { Host } from '../host.ts';
import { invoke } from '../invoke.ts';
import { buildNotice } from '../notices.ts';
import type { Operation } from '../operation.ts';
import type { OkOutcome, Outcome } from '../outcome.ts';
import { callableOperations, type Denial, denialOf } from '../pipeline/access.ts';
import { readPreapproval } from '../pipeline/consent.ts';
import { failureOf } from '../pipeline/normalise.ts';
import { parseInput } from '../pipeline/parse.ts';
import { meantTarget } from '../pipeline/target.ts';
import { connectionOf } from '../render/connection.ts';
import { type ToolResult, toolResult } from '../render/mcp.ts';
import { statusPayload } from '../render/status-only.ts';
import { type ToolDefinition, toolDefinition } from '../render/tools.ts';
import type { BrainLink, Down } from './brain-link.ts';
import { OnboardCoach } from './onboard-coach.ts';

/** What a session is made of. */
export interface SessionOptions {
  host: Host;
  link: BrainLink;
  surface: SessionSurface;
  surfaceSource: Caller['surfaceSource'];
  access: Caller['access'];
  /** GBRAIN_SURFACE named no surface; said once. */
  badSurface?: string;
}

/** The tool that leads to the tools which a session does not list. */
const WAYS = { widen: 'request_tools', call_tool: 'call_tool' } as const;

/** Longest time that a handshake or a list waits to learn who has the brain. The store is never waited for. */
export const ELECTION_MS = 150;

const NOT_PREAPPROVED: Preapproval = { persistentInstall: false };

/** What a call needs from the transport. */
export type ToolCallIo = Pick<CallIo, 'signal'> & { progress(value: Progress): void };

/** One client of the pipe: what it may call, what it has been told. */
export class McpSession {
  readonly #options: SessionOptions;
  readonly #widened: { surface?: SessionSurface } = {};
  #ledger: LedgerState = EMPTY_LEDGER;
  #successes = 0;
  #hasAskedFirstRun = false;
  #saidBadSurface = false;
  readonly #coach: OnboardCoach;
  readonly #muted: () => Promise<MutedLists>;
  /** Set once the client's revision is known. */
  listIsFixed = false;
  /** Told when the tool list changed. */
  onListChanged: () => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#muted = keptMuted(options.host.home);
    this.#coach = new OnboardCoach({
      host: options.host,
      ask: async (op, caller, signal) => {
        const { state } = options.link;
        if (state.kind !== 'ready') return undefined;
        return state.attached.invoke({ op, args: {} }, caller, { signal, progress: () => undefined });
      },
    });
  }

  get caller(): Caller {
    const { surface, surfaceSource, access } = this.#options;
    const widened = this.#widened.surface;
    return {
      transport: 'stdio',
      principal: 'stdio',
      // The owner's pipe: the brain's figures are for it as for the command line; what is private is not (`owner`).
      scopes: access === 'read-only' ? ['read'] : ['admin', 'agent'],
      surface: widened ?? surface,
      surfaceSource: widened ? 'session' : surfaceSource,
      access,
      owner: false,
    };
  }

  get isDown(): boolean {
    return this.#options.link.state.kind === 'down';
  }

  /** Operations that this session may call now. */
  callable(): Operation[] {
    const { host } = this.#options;
    const status = host.registry.operations.filter((one) => one.statusOnly);
    if (this.isDown) return status;
    const shown = callableOperations(host.registry, this.caller).filter((one) => !one.statusOnly);
    return this.listIsFixed ? shown : shown.filter((one) => one.name !== 'call_tool');
  }

  /** The tools as the client lists them. */
  async list(): Promise<ToolDefinition[]> {
    await this.#options.link.elected(ELECTION_MS);
    // A configuration that cannot be read is told by gbrain_status, which this list must then hold.
    const setting = await this.#options.host.setting('mcp.strict_params').catch(() => undefined);
    const strict = setting?.value === 'reject';
    const listFullOnly = this.caller.surface === 'full';
    return (await this.#advertised()).map((one) => toolDefinition(one, { closed: strict, listFullOnly }));
  }

  /** What is callable, narrowed to the surface that the owner wants listed; a session that widened itself sees all. */
  async #advertised(): Promise<Operation[]> {
    const callable = this.callable();
    const setting = await this.#options.host.setting('mcp.advertised_surface').catch(() => undefined);
    const surface = setting?.value as SessionSurface | undefined;
    if (surface === undefined || this.isDown || this.#widened.surface !== undefined) return callable;
    return callable.filter((one) => one.name === 'call_tool' || !denialOf(one, { ...this.caller, surface }));
  }

  /** Resolves when the brain is open or known not to be, at the latest after `ms`. */
  async settled(ms: number): Promise<void> {
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(limit.resolve, ms);
    await Promise.race([this.#options.link.settled(), limit.promise]);
    clearTimeout(timer);
  }

  /** What is set up, within a budget; the brain's own rows come from where it is open and are else unknown. */
  async readiness(budgetMs: number): Promise<ReadinessRow[]> {
    const { host, link } = this.#options;
    const { state } = link;
    const isHere = state.kind === 'ready' && state.attached.kind !== 'client';
    const brain = isHere ? await host.openBrain('host') : undefined;
    const target = { brain: 'host', source: 'default' };
    return readReadiness({ host, caller: this.caller, target }, { budgetMs, ...(brain && { brain }) });
  }

  /** Runs one tool call to its result. Never throws. */
  async call(name: string, args: Record<string, unknown>, io: ToolCallIo): Promise<ToolResult> {
    const end = this.#coach.begin();
    try {
      return await this.#result(name, args, io);
    } finally {
      end();
    }
  }

  /** The client is gone: nothing is read in the background any more when this resolves. */
  end(): Promise<void> {
    return this.#coach.end();
  }

  async #result(name: string, args: Record<string, unknown>, io: ToolCallIo): Promise<ToolResult> {
    const { host } = this.#options;
    const outcome = await this.#outcome(name, args, io);
    await passPoint('outcome_ready');
    const preapproval = await readPreapproval(host).catch(() => NOT_PREAPPROVED);
    // Only what names a tool (a failure, a notice) asks, and most replies name none.
    let listed: ReadonlySet<string> | undefined;
    const isCallable = (tool: string): boolean => {
      listed ??= new Set(this.callable().map((one) => one.name));
      return listed.has(tool);
    };
    const connection = {
      ...connectionOf(host, this.caller, preapproval, outcome.target ? { target: outcome.target } : {}),
      isCallable,
    };
    if (outcome.kind === 'failed') {
      await logContractEvent(host.home, eventOf(name, outcome.failure, { transport: 'stdio', now: host.now() }));
      return toolResult(outcome, connection);
    }
    return toolResult({ ...outcome, notices: await this.#admit(outcome, args) }, connection);
  }

  async #outcome(name: string, args: Record<string, unknown>, io: ToolCallIo): Promise<Outcome> {
    const { host, link } = this.#options;
    if (name === 'gbrain_status') return this.#status();
    const call = this.#spelled({ op: name, args });
    // Only what needs the brain waits for its store.
    const isInBrain = host.registry.operation(call.op)?.where === 'brain';
    if (!isInBrain) await link.elected(ELECTION_MS);
    const state = isInBrain ? await link.settled() : link.state;
    if (state.kind === 'down') return this.#fail(name, 'serve_status_only', { tool: name, reason: state.reason });
    const mayWiden = (await host.setting('mcp.allow_session_widen').catch(() => undefined))?.value !== false;
    // Where the list of a session is fixed, the rest of the tools is reached through call_tool.
    const isReaching = call.op !== name && mayWiden;
    const caller = isReaching ? { ...this.caller, surface: 'full' as const } : this.caller;
    const denial = this.#denial(call.op, caller);
    if (denial) return this.#refuse(call, denial, mayWiden);
    const { signal, progress } = io;
    const callBrain = async (inner: Call): Promise<Outcome> => {
      const at = await link.settled();
      if (at.kind === 'ready') return at.attached.invoke(inner, caller, { signal, progress });
      const reason = at.kind === 'down' && { reason: at.reason };
      return this.#fail(inner.op, 'serve_status_only', { tool: name, ...reason });
    };
    const callIo: CallIo = { ...io, session: this.#controls(), callBrain };
    if (!isInBrain || state.kind !== 'ready') {
      return invoke(host, call, caller, callIo);
    }
    return state.attached.invoke(call, caller, { signal, progress });
  }

  /** The one predicate, with what only a session knows: tools of a server without a brain, and call_tool. */
  #denial(op: string, caller: Caller): Denial | undefined {
    const operation = this.#options.host.registry.operation(op);
    if (operation?.statusOnly || (op === 'call_tool' && !this.listIsFixed)) return 'unknown';
    return denialOf(operation, caller);
  }

  #refuse({ op, args }: Call, denial: Denial, mayWiden: boolean): Outcome {
    if (denial === 'owner_only') return this.#fail(op, 'trusted_local_only', { tool: op }, args);
    const callable = this.callable().map((one) => one.name);
    const near = closest(op, callable);
    const way = this.listIsFixed ? ('call_tool' as const) : ('widen' as const);
    const isReachable = denial === 'hidden' && mayWiden && callable.includes(WAYS[way]);
    const data = {
      tool: op.slice(0, 64),
      denial: denial === 'hidden' || denial === 'read_only' ? 'hidden' : 'unknown',
      ...(isReachable && { reach: way }),
      ...(near && { closest: near }),
    };
    const operation = this.#options.host.registry.operation(op);
    const refused = this.#fail(op, 'unknown_tool', data, args);
    // The command that stands for a hidden tool acts on what the call meant.
    if (operation?.where !== 'brain') return refused;
    return { ...refused, target: meantTarget(operation, { op, args }, this.#options.host) };
  }

  /** `call_tool` is its target under another name: same predicate, same rules. */
  #spelled(call: Call): Call {
    const operation = this.#options.host.registry.operation('call_tool');
    if (call.op !== 'call_tool' || !operation || this.#denial('call_tool', this.caller)) return call;
    try {
      return { ...call, ...operation.cli.rewrite!(parseInput(operation, call.args, true).input) };
    } catch {
      // Its own arguments do not fit: the pipeline says so.
      return call;
    }
  }

  #controls(): SessionControls {
    return {
      surface: this.caller.surface,
      listIsFixed: this.listIsFixed,
      widen: (surface) => {
        this.#widened.surface = surface;
        this.onListChanged();
      },
    };
  }

  async #status(): Promise<Outcome> {
    const { host, link } = this.#options;
    const before = link.state.kind;
    const state = await link.probe();
    const at = { checkedAt: host.now(), surface: this.caller.surface, surfaceSource: this.caller.surfaceSource };
    const output =
      state.kind === 'down'
        ? this.#describe(state, at)
        : {
            status: before === 'down' ? 'recovered' : 'ready',
            why: 'The brain is open; every tool of this surface works.',
            checked_at: at.checkedAt.toISOString(),
            contract_version: 1,
            surface: at.surface,
            surface_source: at.surfaceSource,
          };
    return { kind: 'ok', op: 'gbrain_status', output, notices: [], meta: {} };
  }

  #describe(down: Down, at: { checkedAt: Date; surface: string; surfaceSource: string }) {
    const { host } = this.#options;
    const connection = {
      ...connectionOf(host, this.caller, NOT_PREAPPROVED),
      isCallable: (tool: string) => tool === 'gbrain_status',
    };
    const { pid, transport, serve } = down.owner ?? { pid: 0, transport: 'stdio', serve: true };
    const facts = {
      reason: down.reason,
      brainPath: down.path ?? defaultDataDir(host.home),
      configPath: host.home.configFile,
      ...(down.owner && { owner: { pid, transport, serve } }),
    };
    return statusPayload(host.registry, connection, facts, at);
  }

  #fail(op: string, code: string, data: Record<string, unknown>, input: Record<string, unknown> = {}): Outcome {
    const point = { operation: op, input, mutating: false, idempotent: true };
    return { kind: 'failed', op, failure: failureOf(this.#options.host.registry, code, data, point) };
  }

  async #admit(outcome: OkOutcome, input: Record<string, unknown>): Promise<Notice[]> {
    this.#successes++;
    const advice = await this.#coach.advice({ op: outcome.op, input, output: outcome.output, meta: outcome.meta });
    const notices = [
      ...outcome.notices,
      ...advice.map(({ code, data }) => this.#notice(code, data)),
      ...(await this.#sessionNotices()),
    ];
    if (notices.length === 0) return notices;
    const muted = mutedFor(await this.#muted().catch(() => ({ global: [], clients: {} })), 'stdio');
    const { state, admitted } = admitNotices(this.#ledger, notices, { transport: 'stdio', muted });
    this.#ledger = state;
    return admitted;
  }

  /** Notices of the session rather than of the call: a bad GBRAIN_SURFACE, and the open first-run questions. */
  async #sessionNotices(): Promise<Notice[]> {
    const { host, badSurface } = this.#options;
    const notices: Notice[] = [];
    if (badSurface !== undefined && !this.#saidBadSurface) {
      this.#saidBadSurface = true;
      notices.push(this.#notice('surface_env_invalid', { value: badSurface.slice(0, 40) }));
    }
    // Never on the first success, so that the user's own request comes first.
    if (this.#successes === 2 && !this.#hasAskedFirstRun) {
      this.#hasAskedFirstRun = true;
      const answered = await host.setting('memory.auto_writeback').catch(() => undefined);
      if (answered?.value === undefined) notices.push(this.#notice('first_run_decisions', { only: ['writeback'] }));
    }
    return notices;
  }

  #notice(code: string, data: Record<string, unknown>): Notice {
    const { registry } = this.#options.host;
    return buildNotice(code, registry.notices.get(code)!, data, (fix) => toAction(registry, fix));
  }
}
