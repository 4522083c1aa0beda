// Puts one process together: registry, home, host, and the transport that its command line asks for.
import { resolve } from 'node:path';
import { errors } from '../generated/errors.ts';
import { notices } from '../generated/notices.ts';
import { operations } from '../generated/operations.ts';
import { settings } from '../generated/settings.ts';
import { homeAt } from '../home/home.ts';
import { makeHost } from '../home/local-host.ts';
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

/** Runs a process to its exit status. */
export async function main({ argv, env, home }: Started): Promise<number> {
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
  const host = makeHost(facts, brain);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort(signal));
  // A reader that goes away (`| head`) is no fault of the command.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return runCli({ argv, host, brain, streams: process, signal: stop.signal });
}
