// `brain serve`: starts the server and stops it on a signal. What a server is made of is said elsewhere.
import { resolve } from 'node:path';
import { startServer } from '../server.ts';
import { parseSettings } from '../settings.ts';
import { builtInRegistration } from '../workers/built-in.ts';
import { parseRegistrations, type ResolvedRegistration } from '../workers/registration.ts';
import { type CliContext, CliError, parseArgs } from './context.ts';

/** Runs until a signal; gives 0 after an orderly stop. */
export async function serve(context: CliContext, argv: string[]): Promise<number> {
  const { flags, rest } = parseArgs(argv);
  if (rest.length > 0) throw new CliError('usage', `serve takes no ${rest[0]}.`, 'See brain --help.', { exit: 2 });
  const settings = parseSettings(flags, context.env);
  const registrations = findRegistrations(settings.agentloops, context);
  let mismatch: string | undefined;
  let wake: () => void = () => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const server = await startServer({
    settings,
    registrations,
    env: context.env,
    write: context.stderr,
    onMismatch: (message) => {
      mismatch ??= message;
      wake();
    },
  });
  const { log, host, port } = server;
  log.info('listening', {
    url: `http://${host}:${port}`,
    data: settings.dataDir,
    token: settings.apiToken !== undefined,
  });
  let signals = 0;
  context.onSignal(['SIGTERM', 'SIGINT'], () => {
    signals += 1;
    if (signals > 1) context.exit(1);
    wake();
  });
  await woken;
  await server.stop();
  if (mismatch !== undefined) {
    throw new CliError(
      'harness_identity',
      mismatch,
      'Start with a new --data-dir, or with the harness that it belongs to.',
    );
  }
  return 0;
}

/** The given map stands alone; without one there is the built-in loop. */
function findRegistrations(given: string | undefined, { env, execPath }: CliContext): ResolvedRegistration[] {
  if (given === undefined) return [builtInRegistration(execPath)];
  return parseRegistrations(given, { folder: resolve('.'), path: env.PATH ?? '' });
}
