// Runs every script of this folder over the built binary, each in a home of its own.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GbrainHome, runProgram } from '@gbrain/testkit/gbrain-home';
import { type Kept, linesOf, matchLines, matchValue, parseScript, type Step } from '@gbrain/testkit/script';
import { describe, expect, test } from 'vitest';

const folder = import.meta.dirname;
const scripts = readdirSync(folder).filter((name) => name.endsWith('.script'));

/** What does not fit, with the command and everything that it said. */
async function faultsOf(step: Step, home: GbrainHome, kept: Kept): Promise<string[]> {
  const { stdin } = step;
  const done = await runProgram(['sh', '-c', step.command], {
    env: { ...home.env, ...Object.fromEntries(kept) },
    cwd: home.folder,
    stdin: typeof stdin === 'string' ? stdin : `${stdin.join('\n')}\n`,
  });
  const faults: string[] = [];
  if (done.exit !== step.exit) faults.push(`it ended with ${done.exit ?? done.signal}, not ${step.exit}`);
  const stdout = step.stdout && matchLines(step.stdout, linesOf(done.stdout), kept);
  if (stdout) faults.push(`stdout has ${stdout}`);
  const stderr = matchLines(step.stderr, linesOf(done.stderr), kept);
  if (stderr) faults.push(`stderr has ${stderr}`);
  if (step.values.length > 0) faults.push(...valueFaults(step, done.stdout, kept));
  return faults.length === 0 ? [] : [...faults, `stdout: ${done.stdout}`, `stderr: ${done.stderr}`];
}

function valueFaults(step: Step, stdout: string, kept: Kept): string[] {
  let document: unknown;
  try {
    document = JSON.parse(stdout);
  } catch {
    return ['stdout is not one JSON document'];
  }
  return step.values.flatMap(({ line, path, expected }) => {
    const found = matchValue(document, path, expected, kept);
    return found === undefined ? [] : [`line ${line}: ${path} is ${found}, not ${expected}`];
  });
}

describe('scripts', () => {
  for (const name of scripts) {
    const script = parseScript(readFileSync(join(folder, name), 'utf8'));
    test(`${name}: ${script.title}`, { timeout: 240_000 }, async () => {
      await using home = script.given === 'an empty home' ? new GbrainHome() : await GbrainHome.withBrain();
      // Commands then reach the brain through this process, which is left with its input open.
      if (script.given === 'a running server') home.start(['serve']).stdout.resume();
      const kept: Kept = new Map([['home', home.root]]);
      const found: string[] = [];
      for (const step of script.steps) {
        const faults = await faultsOf(step, home, kept);
        if (faults.length > 0) found.push(`${name}:${step.line} $ ${step.command}`, ...faults);
      }
      if (found.length > 0) expect.fail(found.join('\n'));
    });
  }

  test('there are scripts, and each runs something', () => {
    expect(scripts.length).toBeGreaterThan(8);
    for (const name of scripts) {
      const { steps, title } = parseScript(readFileSync(join(folder, name), 'utf8'));
      expect(steps.length, name).toBeGreaterThan(0);
      expect(title, name).not.toBe('');
    }
  });
});
