// Puts one process together: registry, home, host, and the transport that its command line asks for.
import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import { armFaultPoint } from '../fault-points.ts';
import { errors } from '../generated/errors.ts';
import { notices } from '../generated/notices.ts';
import { operations } from '../generated/operations.ts';
import { settings } from '../generated/settings.ts';
import { homeAt } from '../home/home.ts';
import { makeHost, type ServeStdio } from '../home/local-host.ts';
import { buildRegistry } from '../registry.ts';
import { runCli } from '../transports/cli.ts';
import { ProcessBrain } from '../transports/process-brain.ts';
import { VERSION } from '../version.ts';

/** What a process was started with. */
export interface Started {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** The real stdout as a stream of its own; `process.stdout` and the console write to stderr from here on. */
function takeStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  const protocol = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(chunk, (error) => done(error));
    },
  });
  process.stdout.on('error', (error) => protocol.destroy(error));
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return protocol;
}

/** Runs a process to its exit status. */
export async function main({ argv, env, home }: Started): Promise<number> {
  armFaultPoint(env.GBRAIN_FAULT_POINT);
  const brain = new ProcessBrain();
  const facts = {
    version: VERSION,
    registry: buildRegistry({ operations, errors, notices, settings }),
    home: homeAt(resolve(home)),
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
  const host = makeHost(facts, brain, serveStdio);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort(signal));
  // Whoever writes is told by the write itself; without a listener the event alone would end the process in a stack.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return runCli({ argv, host, brain, streams: process, signal: stop.signal });
}
