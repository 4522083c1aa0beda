// The composition root of the gbrain binary: the only place that reads the environment, argv and streams.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../version.ts';

const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  const home = process.env.GBRAIN_HOME || join(homedir(), '.gbrain');
  // Compiling the code is most of what a short command does before it starts; a home that exists keeps the result.
  // A cache that cannot be read or written is none.
  if (existsSync(home)) enableCompileCache(join(home, 'cache', 'code'));
  const { main } = await import('./main.ts');
  process.exitCode = await main({ argv, env: process.env, home });
}
