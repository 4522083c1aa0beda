// Runs schedules of the simulation: `brain-sim.ts --from 0 --count 100`. Prints one line of JSON; 1 when one failed.
import process from 'node:process';
import { runSchedule, type ScheduleResult } from '../brain-sim/schedule.ts';

function readNumber(name: string, fallback: number): number {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
}

const from = readNumber('from', 0);
const count = readNumber('count', 100);
const isVerbose = process.argv.includes('--verbose');
const totals = { schedules: 0, records: 0, steps: 0, lives: 0 };
let failed: { seed: number; violations: string[] } | undefined;
let broken: string | undefined;

process.on('uncaughtException', (error) => {
  broken ??= error instanceof Error ? (error.stack ?? error.message) : String(error);
});
process.on('unhandledRejection', (error) => {
  broken ??= error instanceof Error ? (error.stack ?? error.message) : String(error);
});

for (let seed = from; seed < from + count && !failed; seed += 1) {
  const result: ScheduleResult = await runSchedule(seed);
  totals.schedules += 1;
  totals.records += result.records;
  totals.steps += result.steps;
  totals.lives += result.lives;
  if (isVerbose) process.stderr.write(`${result.journal}\n`);
  const violations = broken === undefined ? result.violations : [broken, ...result.violations];
  if (violations.length > 0) failed = { seed, violations };
}
process.stdout.write(`${JSON.stringify({ ...totals, ...(failed && { failed }) })}\n`);
process.exitCode = failed ? 1 : 0;
