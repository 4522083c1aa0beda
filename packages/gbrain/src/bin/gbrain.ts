// The composition root of the gbrain binary: the only place that reads the environment, argv and streams.
// A command whose brain is open elsewhere is sent there; all other code is loaded only when this process runs it.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { VERSION } from '../version.ts';

const argv = process.argv.slice(2);

async function run(): Promise<number> {
  const { env } = process;
  const home = resolve(env.GBRAIN_HOME || join(homedir(), '.gbrain'));
  // Compiling the code is most of what a short command does before it starts; a home that exists keeps the result.
  // A cache that cannot be read or written is none.
  if (existsSync(home)) enableCompileCache(join(home, 'cache', 'code'));
  // A reader that went away is told by the write; without a listener the event alone would end the process in a stack.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const { sendCommand } = await import('../transports/send-command.ts');
  // A test that holds or kills this process means the code that runs the command.
  const isArmed = env.GBRAIN_FAULT_POINT !== undefined;
  const sent = await sendCommand({ argv, env, home, cwd: process.cwd(), streams: process, isArmed });
  if (sent.kind === 'done') return sent.exit;
  // The engine's thread makes its code ready while this one loads the rest of the program.
  const { prepareEngine } = sent.opensEngine ? await import('../store/prepared-engine.ts') : {};
  prepareEngine?.();
  const { main } = await import('./main.ts');
  return main({ argv, env, home, ...sent });
}

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) process.stdout.write(`${VERSION}\n`);
else process.exitCode = await run();
