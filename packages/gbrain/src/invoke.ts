// The one pipeline: find, access, parse, target, consent, deadline, run, notices, normalise.
// Every front door (CLI, MCP, the owner's socket, jobs) ends here; there is no other way to an operation.
import { closest } from '@gbrain/wire/did-you-mean';
import type { Notice } from '@gbrain/wire/notice';
import type { OpenBrain } from './brain.ts';
import type { Approval, Call, CallIo } from './call.ts';
import type { Caller, Context, Target } from './context.ts';
import { type FailPoint, raise } from './failure.ts';
import { toAction } from './fix.ts';
import type { Host } from './host.ts';
import { buildNotice, type NoticeData } from './notices.ts';
import type { Operation } from './operation.ts';
import type { Outcome } from './outcome.ts';
import { denialOf } from './pipeline/access.ts';
import { requireConsent } from './pipeline/consent.ts';
import { type Deadline, startDeadline, untilStopped } from './pipeline/deadline.ts';
import { openGates } from './pipeline/gates.ts';
import { normaliseThrown } from './pipeline/normalise.ts';
import { type Parsed, parseInput, refuseUnknown } from './pipeline/parse.ts';
import { withPayload } from './pipeline/payload.ts';
import { brainIdOf, meantTarget, reachesBrain, resolveTarget, scopeOf } from './pipeline/target.ts';
import { protocolFailure } from './pipeline/verb-failure.ts';

const NO_BRAIN = new Proxy({} as OpenBrain, {
  get: (_, key) => {
    throw new Error(`a process command touched the brain (${String(key)})`);
  },
});

/** Collects what a run adds to its outcome. */
class Gathered {
  readonly notices: Notice[] = [];
  readonly meta: Record<string, unknown> = {};
  readonly lines: string[] = [];
}

function addNotice(host: Host, into: Gathered, code: string, data: NoticeData): void {
  const row = host.registry.notices.get(code);
  if (!row) throw new Error(`notice ${code} is not registered`);
  into.notices.push(buildNotice(code, row, data, (fix) => toAction(host.registry, fix)));
}

function addParseNotices(host: Host, into: Gathered, parsed: Parsed): void {
  for (const one of parsed.unknown) addNotice(host, into, 'unknown_param', { ...one });
  for (const one of parsed.clamped) addNotice(host, into, 'param_clamped', { ...one });
  if (parsed.unknown.length > 0) {
    into.meta.warnings = parsed.unknown.map((one) => ({ code: 'unknown_param', ...one }));
  }
}

interface Run {
  host: Host;
  caller: Caller;
  operation: Operation;
  brain: OpenBrain;
  target: Target;
  io: CallIo;
  deadline: Deadline;
  gathered: Gathered;
  approval: Approval | undefined;
  waitMs: number | undefined;
}

function contextOf(run: Run): Context {
  const { host, operation, gathered } = run;
  return {
    caller: run.caller,
    target: run.target,
    scope: scopeOf(run.caller, run.target),
    signal: run.deadline.signal,
    ...(run.approval && { approval: run.approval }),
    ...(run.waitMs !== undefined && { waitMs: run.waitMs }),
    host,
    brain: run.brain,
    ...(run.io.session && { session: run.io.session }),
    ...(run.io.callBrain && { callBrain: run.io.callBrain }),
    now: () => host.now(),
    newId: () => host.newId(),
    fail: (code, data = {}) => raise(code, data),
    notice: (code, data = {}) => {
      if (!operation.notices?.includes(code)) throw new Error(`${operation.name} does not declare notice ${code}`);
      addNotice(host, gathered, code, data);
    },
    meta: (key, value) => {
      gathered.meta[key] = value;
    },
    line: (text) => {
      gathered.lines.push(text);
    },
    progress: (value) => run.io.progress(value),
  };
}

const isRejecting = async (host: Host): Promise<boolean> =>
  (await host.setting('mcp.strict_params')).value === 'reject';

/** The operation of a call, when this caller may call it. Raises `unknown_tool` and its kin. */
async function admit(host: Host, call: Call, caller: Caller): Promise<Operation> {
  const operation = host.registry.operation(call.op);
  const denial = denialOf(operation, caller, await openGates(host));
  if (denial) {
    if (denial === 'owner_only') raise('trusted_local_only', { tool: call.op });
    const visible = host.registry.operations.filter((one) => !denialOf(one, caller)).map((one) => one.name);
    const near = closest(call.op, visible);
    raise('unknown_tool', {
      tool: call.op.slice(0, 64),
      denial,
      transport: caller.transport,
      ...(near && { closest: near }),
    });
  }
  return operation!;
}

async function runOperation(
  host: Host,
  call: Call,
  at: { caller: Caller; io: CallIo; state: CallState },
): Promise<Outcome> {
  const { caller, io, state } = at;
  const operation = await admit(host, call, caller);
  state.point = pointOf(call, operation);
  if (reachesBrain(operation)) state.target = meantTarget(operation, call, host);
  const args = await withPayload(operation, call.args, io);
  const parsed = parseInput(operation, args, caller.transport === 'cli');
  state.point.input = parsed.input;
  const brain = operation.where === 'brain' ? await host.openBrain(brainIdOf(call, host)) : undefined;
  if (parsed.unknown.length > 0 && (await isRejecting(host))) refuseUnknown(operation, parsed);
  const gathered = new Gathered();
  addParseNotices(host, gathered, parsed);
  const target = brain ? await resolveTarget(operation, call, parsed.input, { host, brain }) : undefined;
  state.deadline = startDeadline(io.signal, operation.deadlineMs, call.timeoutMs);
  const run: Run = {
    host,
    caller,
    operation,
    brain: brain ?? NO_BRAIN,
    target: target ?? { brain: brainIdOf(call, host), source: 'default' },
    io,
    deadline: state.deadline,
    gathered,
    approval: call.approval,
    waitMs: call.waitMs,
  };
  const ctx = contextOf(run);
  await requireConsent(operation, ctx, parsed.input, call.approval);
  const running = operation.run(ctx, parsed.input);
  // A read is left when its time is up, whatever it waits for; a write ends by itself, so that its outcome is known.
  const output = operation.mutating ? await running : await untilStopped(running, state.deadline.outOfTime);
  return {
    kind: 'ok',
    op: operation.name,
    output,
    notices: gathered.notices,
    meta: gathered.meta,
    ...(gathered.lines.length > 0 && { lines: gathered.lines }),
    ...(target && { target }),
  };
}

interface CallState {
  point: FailPoint;
  target?: Target;
  deadline?: Deadline;
}

const pointOf = (call: Call, operation?: Operation): FailPoint => ({
  operation: call.op,
  input: call.args,
  mutating: operation?.mutating ?? false,
  idempotent: operation?.idempotent ?? true,
});

/** Runs one call to its end. Never throws and always ends once: in an output or in a registered failure. */
export async function invoke(host: Host, call: Call, caller: Caller, io: CallIo): Promise<Outcome> {
  const state: CallState = { point: pointOf(call) };
  try {
    return await runOperation(host, call, { caller, io, state });
  } catch (thrown) {
    const cause = state.deadline?.cause() ?? (io.signal.aborted ? 'cancelled' : undefined);
    const stopped = cause && { cause, limitMs: state.deadline?.limitMs ?? 0 };
    const plain = normaliseThrown(host.registry, thrown, state.point, stopped);
    if (plain.code === 'internal_error') host.reportFault(call.op, thrown);
    const failure = protocolFailure(host.registry.operation(call.op), plain);
    return { kind: 'failed', op: call.op, failure, ...(state.target && { target: state.target }) };
  } finally {
    state.deadline?.end();
  }
}
