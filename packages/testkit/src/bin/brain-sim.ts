// Runs schedules of the simulation: `brain-sim.ts --from 0 --count 100 [--mutant JSON]`. Prints one line of JSON, with
// a digest of every journal; exits with 1 when a schedule failed, with 2 when the mutation does not apply.
import { createHash } from 'node:crypto';
import { registerHooks } from 'node:module';
import process from 'node:process';
import type { ScheduleResult } from '../brain-sim/schedule.ts';

/** A change of one source file, made as the file is loaded. The file itself is not touched. */
interface Mutation {
  /** End of the file's path. */
  file: string;
  from: string;
  to: string;
}

function readOption(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : process.argv[at + 1];
}

function applyMutation({ file, from, to }: Mutation): void {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith(file)) return loaded;
      const text = String(loaded.source);
      if (text.split(from).length !== 2) {
        process.stderr.write(`${file} does not hold once: ${from}\n`);
        process.exit(2);
      }
      // Not `replace` with a string: `$` would mean something there.
      return { ...loaded, source: text.split(from).join(to) };
    },
  });
}

const mutant = readOption('mutant');
if (mutant) applyMutation(JSON.parse(mutant) as Mutation);
const { runSchedule } = (await import('../brain-sim/schedule.ts')) as {
  runSchedule(seed: number): Promise<ScheduleResult>;
};

const from = Number(readOption('from') ?? 0);
const count = Number(readOption('count') ?? 100);
const totals = { schedules: 0, records: 0, steps: 0, lives: 0 };
const digest = createHash('sha256');
let broken: string | undefined;
let failed: { seed: number; violations: string[] } | undefined;

const onBroken = (error: unknown) => {
  broken ??= error instanceof Error ? (error.stack ?? error.message) : String(error);
};
process.on('uncaughtException', onBroken);
process.on('unhandledRejection', onBroken);

for (let seed = from; seed < from + count && !failed; seed += 1) {
  let violations: string[] = [];
  try {
    const result = await runSchedule(seed);
    totals.schedules += 1;
    totals.records += result.records;
    totals.steps += result.steps;
    totals.lives += result.lives;
    digest.update(result.journal);
    if (process.argv.includes('--verbose')) process.stderr.write(`${result.journal}\n`);
    violations = result.violations;
  } catch (error) {
    onBroken(error);
  }
  if (broken !== undefined) violations = [broken, ...violations];
  if (violations.length > 0) failed = { seed, violations };
}
const report = { ...totals, digest: digest.digest('hex'), ...(failed && { failed }) };
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exitCode = failed ? 1 : 0;
