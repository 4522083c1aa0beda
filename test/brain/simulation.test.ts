// The simulation: ten thousand schedules hold every rule, a seed always gives the same journal, and bugs that are
// planted are caught. Simulated are clock, disk, network, pipes, harness processes and hosts.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MUTATIONS, type Mutation } from './mutations.ts';

const RUNNER = join(import.meta.dirname, '../../packages/testkit/src/bin/brain-sim.ts');

interface Report {
  schedules: number;
  digest: string;
  failed?: { seed: number; violations: string[] };
}

/** Runs schedules in a process of their own; a mutant must not touch this one. */
function simulate(from: number, count: number, mutant?: Mutation): Promise<Report> {
  const args = [RUNNER, '--from', String(from), '--count', String(count)];
  if (mutant) args.push('--mutant', JSON.stringify(mutant));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (stdout === '') reject(new Error(`the simulation gave nothing: ${error?.message} ${stderr}`));
      else resolve(JSON.parse(stdout) as Report);
    });
  });
}

describe.concurrent('the simulation', { timeout: 300_000 }, () => {
  it.each([0, 2500, 5000, 7500])('holds every rule from seed %i on, 2,500 times', async (from) => {
    const { failed, schedules } = await simulate(from, 2500);
    expect(failed).toBeUndefined();
    expect(schedules).toBe(2500);
  });

  it('gives the same journal for the same seed, to the byte', async () => {
    const [one, two, other] = await Promise.all([simulate(0, 150), simulate(0, 150), simulate(1, 150)]);
    expect(one.digest).toBe(two.digest);
    expect(one.digest).not.toBe(other.digest);
  });
});

describe.concurrent('a planted bug is caught', { timeout: 300_000 }, () => {
  it.each(MUTATIONS)('$name', async (mutation) => {
    const { failed } = await simulate(mutation.seed ?? 0, 1500, mutation);
    expect(failed).toBeDefined();
  });
});
