// Serves a harness over this process's stdin and stdout: what a harness author imports and calls once.
import process from 'node:process';
import { createJsonLineDecoder, encodeJsonLine } from '@gbrain/wire/json-lines';
import { type HarnessOptions, openHarness } from './harness.ts';
import { reserveStdout } from './stdout.ts';

export { CallError, RunFailure } from './call-error.ts';
export type { Environments, KeyValues, RunContext } from './context.ts';
export type { ActivationName, HarnessOptions } from './harness.ts';

/** Longest line that is taken. Source: Harness protocol page, Transport. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** Time that runs have to settle once stdin has ended. */
const END_GRACE_MS = 1000;

/**
 * Serves until stdin ends, then ends the process: 0, or 1 after a line that is not the protocol. Call it before
 * anything that may print: from here on stdout belongs to the protocol, and all else goes to stderr.
 */
export function serve(options: HarnessOptions): void {
  const stdout = reserveStdout(process.stdout, process.stderr);
  const harness = openHarness(options, {
    send: (message) => stdout.write(encodeJsonLine(message)),
    warn: (text) => process.stderr.write(`${options.name}: ${text}\n`),
  });
  const lines = createJsonLineDecoder({ maxLineBytes: MAX_LINE_BYTES });
  const end = (code: number): void => {
    const exit = () => process.exit(code);
    setTimeout(exit, END_GRACE_MS);
    harness.close().then(exit, exit);
  };
  process.stdin.on('data', (chunk: Buffer) => {
    const { items, fault } = lines.push(chunk);
    for (const item of items) harness.receive(item);
    if (!fault) return;
    process.stderr.write(`${options.name}: Brain sent a line that cannot be read. ${fault.message}\n`);
    process.stdin.destroy();
    end(1);
  });
  process.stdin.on('end', () => end(0));
  // Nobody reads any more: stdin ends too, and that is where it is handled.
  process.stdout.on('error', () => {});
}
