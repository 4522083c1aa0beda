// Puts one process together: registry, home, host, and the transport that its command line asks for.
import { Writable } from 'node:stream';
import { armFaultPoint } from '../fault-points.ts';
import { errors } from '../generated/errors.ts';
import { notices } from '../generated/notices.ts';
import { operations } from '../generated/operations.ts';
import { settings } from '../generated/settings.ts';
import { homeAt } from '../home/home.ts';
import { type Doors, makeHost, type ServeStdio } from '../home/local-host.ts';
import { buildRegistry } from '../registry.ts';
import { attach, attachedAgain } from '../transports/attach.ts';
import { type Reach, runCli } from '../transports/cli.ts';
import type { SentBefore } from '../transports/command-frame.ts';
import { ProcessBrain } from '../transports/process-brain.ts';
import type { Streams } from '../transports/terminal.ts';
import { VERSION } from '../version.ts';

/** How long a process that was told to end may still put things away, in milliseconds. */
const LINGER_MS = 2_000;

/** What a process was started with. */
export interface Started {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute, both. */
  home: string;
  cwd: string;
  /** Aborted with the name of the signal that ends the process. */
  signal: AbortSignal;
  /** The command as it was sent to the owner of its brain, which has not answered. */
  before?: SentBefore;
  /** The input, where some of it was read for that. */
  stdin?: Streams['stdin'];
}

/** The real stdout as a stream of its own; `process.stdout` and the console write to stderr from here on. */
function takeStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  const protocol = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(chunk, (error) => done(error));
    },
  });
  // Every answer that waits for a slow reader listens.
  protocol.setMaxListeners(0);
  process.stdout.on('error', (error) => protocol.destroy(error));
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return protocol;
}

/** Runs a process to its exit status. */
export async function main({ argv, env, home, cwd, signal, before, stdin }: Started): Promise<number> {
  armFaultPoint(env.GBRAIN_FAULT_POINT);
  const brain = new ProcessBrain();
  const facts = {
    version: VERSION,
    registry: buildRegistry({ operations, errors, notices, settings }),
    home: homeAt(home),
    env,
    launcher: env.GBRAIN_LAUNCHER ?? process.argv[1] ?? 'gbrain',
    ...(env.LLMS_REPO_BASE && { docsBase: env.LLMS_REPO_BASE }),
    log: (line: string) => process.stderr.write(`${line}\n`),
  };
  const isServer = argv[0] === 'serve' && argv[1] !== 'status';
  // Before anything else can print: stdout of a server carries protocol only, whatever a dependency writes.
  const protocol = isServer ? takeStdout() : undefined;
  const serveStdio: ServeStdio = async (served, options) => {
    const { serveMcpStdio } = await import('../transports/mcp-stdio.ts');
    await serveMcpStdio(
      served,
      brain,
      { stdin: process.stdin, protocol: protocol ?? takeStdout(), log: facts.log },
      options,
    );
  };
  const connectTools: Doors['connectTools'] = async (target, signal) => {
    const client = await import('../transports/mcp-client.ts');
    return client.connectTools(target, VERSION, signal);
  };
  const host = makeHost(facts, brain, { serveStdio, connectTools });
  const identity = { version: VERSION, transport: 'cli' as const, serve: false };
  const reach = async (how: Reach) => {
    const attached = await attach({ host, brain, identity, signal, ...how });
    return before ? attachedAgain(host, attached, before) : attached;
  };
  const streams = stdin ? { stdin, stdout: process.stdout, stderr: process.stderr } : process;
  const exit = await runCli({ argv, cwd, host, streams, signal, reach });
  // A read that a signal cut off has said all it will; what it still waits for keeps no process up.
  if (signal.aborted) setTimeout(() => process.exit(exit), LINGER_MS).unref();
  return exit;
}
