// The command line: words to a call, the call to an outcome, the outcome to streams and an exit status.
// It knows no operation; everything about one comes from the registry.
import { decidePendingExit, type EndingSignal, EXIT, exitOfSignal } from '@gbrain/wire/exit';
import { decideFallback } from '@gbrain/wire/json-document';
import { dbAccessToken } from '@gbrain/wire/markers';
import { admitNotices, EMPTY_LEDGER } from '@gbrain/wire/notice-ledger';
import type { Call, CallIo } from '../call.ts';
import type { Caller, Progress } from '../context.ts';
import { Raised, raise } from '../failure.ts';
import { passPoint } from '../fault-points.ts';
import { eventOf, logContractEvent } from '../home/contract-log.ts';
import { mutedFor, readMuted } from '../home/muted.ts';
import { keepSeenCoverage, readSeenCoverage } from '../home/seen-coverage.ts';
import type { Host } from '../host.ts';
import { invoke } from '../invoke.ts';
import type { Operation } from '../operation.ts';
import type { Outcome } from '../outcome.ts';
import type { Wait } from '../owner/elect.ts';
import { readPreapproval } from '../pipeline/consent.ts';
import { normaliseThrown } from '../pipeline/normalise.ts';
import { parseInput } from '../pipeline/parse.ts';
import { withPayload } from '../pipeline/payload.ts';
import { meantTarget, reachesBrain } from '../pipeline/target.ts';
import { connectionOf } from '../render/connection.ts';
import { printFailed, printOk } from '../render/human.ts';
import { jsonText } from '../render/json.ts';
import type { Attached } from './attached.ts';
import { type CliRequest, parseCommandLine } from './cli-args.ts';
import { askApproval } from './confirm.ts';
import { showInPager } from './pager.ts';
import { type SlowRead, startSlowRead } from './slow-read.ts';
import { progressLine, readFileBytes, readPipe, type Streams, viewOf, writeWhole } from './terminal.ts';

/** How a command reaches its brain. */
export interface Reach {
  /** Longest wait for another process that opens or closes the brain. */
  deadlineMs: number;
  /** Opens the brain as it is, without migrations; a brain that is open already is. */
  observes?: boolean;
  onWait(wait: Wait): void;
}

/** Everything a command line run needs; made in bin/, or by the owner for a command that was sent to it. */
export interface CliRun {
  argv: readonly string[];
  /** Folder that a relative path starts from. */
  cwd: string;
  host: Host;
  streams: Streams;
  signal: AbortSignal;
  /** Reaches the brain; the command closes what it gets. */
  reach(how: Reach): Promise<Attached>;
  /** Shows how far a long run is; a line on the terminal unless given. */
  showProgress?(value: Progress): void;
  /** Asks the person at the terminal; at this process' own terminal unless given. */
  ask?: typeof askApproval;
}

/** The owner at this machine's terminal. */
const OWNER: Caller = {
  transport: 'cli',
  principal: 'local',
  scopes: ['admin', 'agent'],
  surface: 'full',
  surfaceSource: 'default',
  access: 'full',
  owner: true,
};

/** Longest wait for another process that opens or closes the brain. */
const ATTACH_MS = 30_000;

function stdinOf(run: CliRun, request: CliRequest, signal: AbortSignal): CallIo['stdin'] {
  const field = request.operation.cli.stdin;
  if (!field || request.call.args[field] !== undefined) return undefined;
  const { file } = request;
  if (file !== undefined && file !== '-') return () => readFileBytes(file);
  if (run.streams.stdin.isTTY) return undefined;
  return () => readPipe(run.streams.stdin, run.host.env, signal);
}

/** A failure before or around the call: of the command that it is about, on the brain that it meant. */
function failedOutcome(run: CliRun, thrown: unknown, call?: Call): Outcome {
  const { host } = run;
  const named = thrown instanceof Raised ? thrown.data.tool : undefined;
  const operation = host.registry.operation(call?.op ?? String(named ?? 'help'));
  const op = operation?.name ?? call?.op ?? 'gbrain';
  const { mutating = false, idempotent = true } = operation ?? {};
  const point = { operation: op, input: call?.args ?? {}, mutating, idempotent };
  // What a signal cut off is no fault of ours, whatever it was thrown by.
  const stopped = run.signal.aborted ? { cause: 'cancelled' as const, limitMs: 0 } : undefined;
  const failure = normaliseThrown(host.registry, thrown, point, stopped);
  if (failure.code === 'internal_error') host.reportFault(op, thrown);
  const target = call && operation && reachesBrain(operation) ? meantTarget(operation, call, host) : undefined;
  return { kind: 'failed', op, failure, ...(target && { target }) };
}

/** The call with the time that its caller waits for a write: the flag, else the caller's environment and settings. */
async function withWait(host: Host, { operation, call }: Spelled): Promise<Spelled> {
  if (!operation.mutating || call.waitMs !== undefined) return { operation, call };
  const { value } = await host.setting('persistence.write_wait_ms');
  return { operation, call: { ...call, waitMs: Number(value) } };
}

/** The call with its payload, which is read before the brain is reached: no slow pipe holds a brain up. */
async function withOwnPayload(run: CliRun, request: CliRequest, spelled: Spelled, io: CallIo): Promise<Call> {
  const { operation, call } = spelled;
  const { timeoutMs } = call;
  const bound = timeoutMs === undefined ? run.signal : AbortSignal.any([run.signal, AbortSignal.timeout(timeoutMs)]);
  const stdin = stdinOf(run, request, bound);
  if (!stdin) return call;
  try {
    return { ...call, args: await withPayload(operation, call.args, { ...io, stdin }) };
  } catch (error) {
    if (!bound.aborted) throw error;
    raise(run.signal.aborted ? 'cancelled' : 'timeout', { operation: call.op, limitMs: timeoutMs });
  }
}

async function runInBrain(run: CliRun, call: Call, io: CallIo): Promise<Outcome> {
  const { streams } = run;
  const onWait = ({ waitedMs, owner }: Wait) => {
    if (waitedMs > 1_000)
      streams.stderr.write(
        `[gbrain] waiting for the process that has the brain open${owner ? ` (PID ${owner.pid})` : ''}\n`,
      );
  };
  const attached = await run.reach({
    deadlineMs: Math.min(call.timeoutMs ?? ATTACH_MS, ATTACH_MS),
    ...(call.observes && { observes: true }),
    onWait,
  });
  try {
    return await attached.invoke(call, OWNER, io);
  } finally {
    await attached.close();
  }
}

interface Spelled {
  operation: Operation;
  call: Call;
}

/** Resolves `call <tool> <json>` to the call that it spells. */
function rewritten(host: Host, { operation, call }: CliRequest): Spelled {
  if (!operation.cli.rewrite) return { operation, call };
  const { input } = parseInput(operation, call.args, true);
  const spelled = operation.cli.rewrite(input);
  return { operation: host.registry.operation(spelled.op) ?? operation, call: { ...call, ...spelled } };
}

async function runRequest(run: CliRun, request: CliRequest): Promise<Outcome> {
  // A slow read has lines of its own where lines are kept.
  const isAnnounced = request.operation.cli.slowRead !== undefined && run.streams.stderr.isTTY !== true;
  const isQuiet = request.quiet || request.json || isAnnounced;
  const progress = progressLine(run.streams, isQuiet);
  const show = run.showProgress && !isQuiet ? run.showProgress : progress.show;
  const io: CallIo = { signal: run.signal, progress: show };
  try {
    const spelled = rewritten(run.host, request);
    const { operation } = spelled;
    const call = await withOwnPayload(run, request, await withWait(run.host, spelled), io);
    if (operation.where === 'brain') return await runInBrain(run, call, io);
    const callBrain = (inner: Call) => runInBrain(run, inner, io).catch((thrown) => failedOutcome(run, thrown, inner));
    return await invoke(run.host, call, OWNER, { ...io, callBrain });
  } catch (thrown) {
    return failedOutcome(run, thrown, request.call);
  } finally {
    progress.end();
  }
}

async function withoutMuted(host: Host, outcome: Outcome): Promise<Outcome> {
  if (outcome.kind === 'failed' || outcome.notices.length === 0) return outcome;
  const muted = mutedFor(await readMuted(host.home).catch(() => ({ global: [], clients: {} })), 'global');
  const counts = outcome.notices.some(({ coverage }) => coverage !== undefined);
  const coverage = counts ? await readSeenCoverage(host.home, host.now()) : {};
  const before = { ...EMPTY_LEDGER, coverage };
  const { admitted, state } = admitNotices(before, outcome.notices, { transport: 'cli', muted });
  if (counts) await keepSeenCoverage(host.home, { before: coverage, now: state.coverage, at: host.now() });
  return { ...outcome, notices: admitted };
}

/** Runs the request again when it stopped for consent and the person at the terminal gives it. */
async function withConsent(run: CliRun, request: CliRequest, outcome: Outcome): Promise<Outcome> {
  if (outcome.kind === 'ok' || !outcome.failure.consent || request.json) return outcome;
  const approval = await (run.ask ?? askApproval)(outcome.failure.consent, run.streams, run.host.env);
  return approval ? runRequest(run, { ...request, call: { ...request.call, approval } }) : outcome;
}

/** Exit status of an outcome. */
function exitOf(run: CliRun, outcome: Outcome, at: { operation?: Operation; acceptPending?: boolean }): number {
  const { env } = run.host;
  const cli = at.operation?.cli;
  const exit = outcome.kind === 'failed' ? outcome.failure.exit : (cli?.exit?.(outcome.output) ?? EXIT.ok);
  const isMiss = outcome.kind === 'ok' && exit === EXIT.ok && cli?.isMiss?.(outcome.output) === true;
  if (isMiss && env.GBRAIN_FAIL_ON_EMPTY === '1') return EXIT.noResults;
  const environment = env.GBRAIN_ACCEPT_PENDING === '1';
  return decidePendingExit(exit, { environment, ...(at.acceptPending !== undefined && { flag: at.acceptPending }) });
}

/** Codes of a database that is unreachable or misconfigured. */
const NO_DATABASE: ReadonlySet<string> = new Set(['brain_unreachable', 'database_error']);

/** The line of a machine that watches commands. Source: AGENT_OPERATOR v1, Marker grammar. */
async function tellDatabase({ streams }: CliRun, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'ok' || streams.stderr.isTTY === true || !NO_DATABASE.has(outcome.failure.code)) return;
  const { code, reason = code } = outcome.failure;
  await writeWhole(streams.stderr, `${dbAccessToken(reason, outcome.target?.brain)}\n`);
}

async function print(
  run: CliRun,
  outcome: Outcome,
  asked: { operation?: Operation; json: boolean; pager: boolean; input?: Record<string, unknown> },
): Promise<void> {
  const { host, streams } = run;
  await tellDatabase(run, outcome);
  const preapproval = await readPreapproval(host).catch(() => ({ persistentInstall: false }));
  const connection = connectionOf(host, OWNER, preapproval, outcome.target ? { target: outcome.target } : {});
  if (asked.json) {
    await writeWhole(streams.stdout, jsonText(outcome, connection));
    return;
  }
  const { input = {} } = asked;
  const stderrIsTerminal = streams.stderr.isTTY === true;
  const options = { connection, view: viewOf(streams, host.env), stderrIsTerminal, input };
  const printed = outcome.kind === 'ok' ? printOk(outcome, asked.operation!, options) : printFailed(outcome, options);
  // On one screen the answer comes first, and what is to be known of it stands below, where the eye ends.
  const isOneScreen = stderrIsTerminal && streams.stdout.isTTY === true;
  if (!isOneScreen) await writeWhole(streams.stderr, printed.stderr);
  const isPaged = asked.pager && (await showInPager(printed.stdout, streams, host.env));
  if (!isPaged) await writeWhole(streams.stdout, printed.stdout);
  if (isOneScreen) await writeWhole(streams.stderr, printed.stderr);
}

/** What became of output that could not be written: the call has ended, but nobody has its result. */
function unwritten(run: CliRun, error: unknown): Outcome {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === 'ENOSPC' ? 'disk_full' : code === 'EROFS' ? 'read_only' : 'other';
  const data = { operation: 'Writing the output', place: 'the disk that it goes to', reason };
  return failedOutcome(run, new Raised('storage_error', data, error));
}

/** Resolves when a signal ends the command. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Runs a request, announced when it is a slow read; a signal ends such a one at once, whatever it waits for. */
async function runAnnounced(run: CliRun, request: CliRequest, onSlow: (read: SlowRead) => void): Promise<Outcome> {
  const what = request.operation.cli.slowRead;
  if (what === undefined) return runRequest(run, request);
  const { stderr } = run.streams;
  const isPerson = stderr.isTTY === true;
  // A person sees the progress line instead, which is drawn over.
  const line = (text: string) => void stderr.write(`${text}\n`);
  const read = startSlowRead(what, { line, isQuiet: request.quiet || isPerson });
  onSlow(read);
  const outcome = runRequest(run, request);
  try {
    const first = await Promise.race([outcome, aborted(run.signal)]);
    return first ?? failedOutcome(run, run.signal.reason, request.call);
  } finally {
    read.end();
  }
}

/** Runs a command line to its exit status. Everything that it says is written when it resolves. */
export async function runCli(run: CliRun): Promise<number> {
  let request: CliRequest | undefined;
  let slowRead: SlowRead | undefined;
  let outcome: Outcome;
  try {
    request = parseCommandLine(run.host.registry, run.argv, run.cwd);
    const first = await runAnnounced(run, request, (read) => {
      slowRead = read;
    });
    outcome = await withoutMuted(run.host, await withConsent(run, request, first));
  } catch (thrown) {
    outcome = failedOutcome(run, thrown, request?.call);
  }
  const json = request?.json ?? run.argv.includes('--json');
  const operation = request?.operation.cli.rewrite ? request.operation : run.host.registry.operation(outcome.op);
  await passPoint('outcome_ready');
  if (run.signal.aborted && !stands(run, outcome))
    return interrupted(run, json, { command: request?.operation.cli.command ?? '', slowRead });
  await logFailure(run, outcome);
  const input = request?.call.args;
  const pager = request?.pager ?? false;
  const asked = { ...(operation && { operation }), ...(input && { input }), json, pager };
  try {
    await print(run, outcome, asked);
  } catch (error) {
    outcome = unwritten(run, error);
    // The document's own place refused it, so the failure is told beside it.
    await print(run, outcome, { json: false, pager: false }).catch(() => undefined);
  }
  const pending = request?.acceptPending;
  return exitOf(run, outcome, {
    ...(operation && { operation }),
    ...(pending !== undefined && { acceptPending: pending }),
  });
}

/** Ends of a call that a signal has cut off, before anything of it stood. */
const CUT_OFF: ReadonlySet<string> = new Set(['cancelled', 'interrupted', 'internal_error']);

/** Whether a call that may have changed something ended by itself: then its end is told, however late a signal came. */
function stands({ host }: CliRun, outcome: Outcome): boolean {
  if (!host.registry.operation(outcome.op)?.mutating) return false;
  return outcome.kind === 'ok' || !CUT_OFF.has(outcome.failure.code);
}

/** Keeps what failed for `doctor`. */
async function logFailure(run: CliRun, outcome: Outcome): Promise<void> {
  if (outcome.kind !== 'failed') return;
  await logContractEvent(
    run.host.home,
    eventOf(outcome.op, outcome.failure, { transport: 'cli', now: run.host.now() }),
  );
}

/** The command was cut off by a signal: its document or line, and the status that the signal has. */
async function interrupted(
  run: CliRun,
  json: boolean,
  { command, slowRead }: { command: string; slowRead: SlowRead | undefined },
): Promise<number> {
  const signal = run.signal.reason as EndingSignal;
  const exit = exitOfSignal(signal);
  if (slowRead) {
    const cut = slowRead.cut(signal);
    await writeWhole(run.streams.stderr, `${cut.line}\n`);
    if (json) await writeWhole(run.streams.stdout, `${JSON.stringify(cut.document, null, 2)}\n`);
    return exit;
  }
  const document = decideFallback({ command, exit, wroteDocument: false });
  if (json) await writeWhole(run.streams.stdout, `${JSON.stringify(document, null, 2)}\n`);
  else await writeWhole(run.streams.stderr, `Error [interrupted]: ${document?.message}\n`);
  return exit;
}
