// The composition root of the gbrain binary: the only place that reads the environment, argv and streams.
// A command whose brain is open elsewhere is sent there; all other code is loaded only when this process runs it.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { keepCompiledCode } from '../compiled-code.ts';
import { VERSION } from '../version.ts';

const argv = process.argv.slice(2);

/**
 * Runs the embedded engine on V8's baseline code. Optimising it takes as much time as it saves in an import of 1,000
 * pages, and twice the memory at the peak (862 MB against 410 MB; one `get`: 680 MB against 192 MB).
 * It comes before any thread starts and any compiled code is looked for: that holds for one set of flags.
 */
function tuneEngine(): void {
  // At run time V8 does not apply what the last of these implies, so each is named.
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--liftoff-only']) setFlagsFromString(flag);
}

/** The folder in which the command was typed; the root where that was removed while somebody stood in it. */
function typedIn(): string {
  try {
    return process.cwd();
  } catch {
    process.chdir('/');
    return '/';
  }
}

/** Aborted with the name of the first signal that asks the process to end; a second one ends it at once. */
function endingSignals(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort(signal));
  return stop.signal;
}

async function run(): Promise<number> {
  tuneEngine();
  const cwd = typedIn();
  const { env } = process;
  const home = resolve(env.GBRAIN_HOME || join(homedir(), '.gbrain'));
  keepCompiledCode(home);
  // A reader that went away is told by the write; without a listener the event alone would end the process in a stack.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const { sendCommand } = await import('../transports/send-command.ts');
  // A test that holds or kills this process means the code that runs the command.
  const isArmed = env.GBRAIN_FAULT_POINT !== undefined;
  const signal = endingSignals();
  const sent = await sendCommand({ argv, env, home, cwd, streams: process, signal, isArmed });
  if (sent.kind === 'done') return sent.exit;
  // The engine's thread makes its code ready while this one loads the rest of the program.
  const { prepareEngine } = sent.opensEngine ? await import('../store/prepared-engine.ts') : {};
  prepareEngine?.();
  const { main } = await import('./main.ts');
  return main({ argv, env, home, cwd, signal, ...sent });
}

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) process.stdout.write(`${VERSION}\n`);
else process.exitCode = await run();
