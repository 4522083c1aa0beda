// The composition root of the gbrain binary: the only place that reads the environment, argv and streams.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../version.ts';

const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  const { main } = await import('./main.ts');
  const home = process.env.GBRAIN_HOME || join(homedir(), '.gbrain');
  process.exitCode = await main({ argv, env: process.env, home });
}
