// The `brain` command: reads the environment, arguments and streams, and hands them on. The only composition root.
import process from 'node:process';
import { runCli } from '../cli/run.ts';

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY === true,
  execPath: process.execPath,
  onSignal: (signals, listener) => {
    for (const signal of signals) process.on(signal, listener);
  },
  exit: (code) => process.exit(code),
});
