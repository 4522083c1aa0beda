// A command line that another process sent to the owner: parsed, run and rendered here, written by its caller.
// It opens nothing; what needs the caller's own process is handed back unstarted.
import { Readable, Writable } from 'node:stream';
import type { EndingSignal } from '@gbrain/wire/exit';
import type { Call, CallIo } from '../call.ts';
import { passPoint } from '../fault-points.ts';
import type { Host } from '../host.ts';
import { invoke } from '../invoke.ts';
import { CallAborted } from '../owner/served-call.ts';
import { findSetting } from '../settings.ts';
import type { Attached } from './attached.ts';
import { runCli } from './cli.ts';
import { type CliRequest, parseCommandLine } from './cli-args.ts';
import type { CommandDone, Screen, SentCommand } from './command-frame.ts';
import type { Streams } from './terminal.ts';

/** Gives a call the ids and the target that its caller means. */
export type AtEdge = (host: Host, call: Call, requestId: string) => Call;

/** Whether the caller's own process is needed: for its files, its pager, its signals, or because no brain is. */
function needsCaller({ operation, file, pager }: CliRequest): boolean {
  return operation.where !== 'brain' || operation.cli.slowRead !== undefined || file !== undefined || pager;
}

/** True also for a command line that cannot be read: that it is refused needs nobody's process. */
function isOwners(host: Host, { argv, cwd, home }: SentCommand): boolean {
  if (home !== host.home.root) return false;
  try {
    return !needsCaller(parseCommandLine(host.registry, argv, cwd));
  } catch {
    return true;
  }
}

const SIGNALS: ReadonlySet<string> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

/** The signal that ended the caller; whoever vanished has been ended too. */
function signalOf(reason: unknown): EndingSignal {
  const told = reason instanceof CallAborted ? reason.told : undefined;
  return (told !== undefined && SIGNALS.has(told) ? told : 'SIGTERM') as EndingSignal;
}

type Written = Extract<CommandDone, { kind: 'done' }>['written'];

function screenOf(to: 'stdout' | 'stderr', { isTerminal, columns }: Screen, written: Written): Streams['stdout'] {
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string | Buffer, _encoding, done) => {
      written.push([to, String(text)]);
      done();
    },
  });
  return Object.assign(stream, { isTTY: isTerminal, ...(columns !== undefined && { columns }) });
}

/** The owner's host as the caller's command sees it: its environment, and the brain and source that it means. */
function hostFor(host: Host, { env }: SentCommand): Host {
  const { GBRAIN_BRAIN_ID: brain, GBRAIN_SOURCE: source, LLMS_REPO_BASE: docsBase } = env;
  const { docsBase: _, ...rest } = host;
  return {
    ...rest,
    env,
    setting: async (key) =>
      findSetting(host.registry.settings.get(key)!, key, { env, file: await host.fileConfig.read() }),
    ambient: { ...(brain && { brain }), ...(source && { source }) },
    ...(docsBase && { docsBase }),
  };
}

/** Runs a command to its exit status and texts. */
export async function runSentCommand(
  host: Host,
  command: SentCommand,
  io: CallIo,
  atEdge: AtEdge,
): Promise<CommandDone> {
  if (!isOwners(host, command)) return { kind: 'elsewhere' };
  const written: Written = [];
  const stdin = Object.assign(Readable.from(io.stdin?.() ?? []), { isTTY: command.stdinIsTerminal });
  const stop = new AbortController();
  const onAbort = () => stop.abort(signalOf(io.signal.reason));
  io.signal.addEventListener('abort', onAbort, { once: true });
  if (io.signal.aborted) onAbort();
  const callers = hostFor(host, command);
  const attached: Attached = {
    kind: 'owner',
    invoke: (call, caller, inner) => invoke(host, atEdge(callers, call, command.requestId), caller, inner),
    close: async () => undefined,
  };
  let isAsked = false;
  const exit = await runCli({
    argv: command.argv,
    cwd: command.cwd,
    host: callers,
    streams: {
      stdin,
      stdout: screenOf('stdout', command.stdout, written),
      stderr: screenOf('stderr', command.stderr, written),
    },
    signal: stop.signal,
    reach: async () => attached,
    showProgress: (value) => io.progress(value),
    // Nothing has run yet, so the caller's process can run it all, with the person who is asked.
    ask: async () => {
      isAsked = command.stdinIsTerminal && command.stdout.isTerminal;
      return undefined;
    },
  });
  await passPoint('outcome_ready');
  return isAsked ? { kind: 'elsewhere' } : { kind: 'done', exit, written };
}
