// Signals and deadlines while a command waits for its text: it ends at once, in words, and nothing of the text is kept.
import type { ChildProcess } from 'node:child_process';
import { GbrainHome, type RunResult } from '@gbrain/testkit/gbrain-home';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let home: GbrainHome;
beforeAll(async () => {
  home = await GbrainHome.withBrain();
});
afterAll(() => home[Symbol.asyncDispose]());

/** More than a pipe holds: once it is written, the command has read from it, so its handlers stand. */
const MORE_THAN_A_PIPE = `# Half\n\n${'word '.repeat(60_000)}`;

/** Runs `put`, gives it half a text, then does `then` to it; its input stays open. */
function putHalf(args: string[], then: (child: ChildProcess) => void): Promise<RunResult> {
  return home.run(['put', 'notes/half', ...args], {
    stdin: 'open',
    onStart: (child) => child.stdin!.write(MORE_THAN_A_PIPE, () => then(child)),
  });
}

describe('a command that is cut off', () => {
  for (const [signal, exit] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    test(`${signal} ends it with ${exit} and the interrupted document`, async () => {
      const done = await putHalf(['--json'], (child) => child.kill(signal));
      expect(done.exit).toBe(exit);
      const document = JSON.parse(done.stdout) as Record<string, unknown>;
      expect(Object.keys(document)).toEqual([
        'error',
        'code',
        'message',
        'suggestion',
        'exit_code',
        'contract_version',
      ]);
      expect(document).toMatchObject({
        error: 'interrupted',
        code: 'interrupted',
        exit_code: exit,
        contract_version: 1,
      });
      expect(done.stderr).toBe('');
    });
  }

  test('without --json it says so on stderr', async () => {
    const done = await putHalf([], (child) => child.kill('SIGINT'));
    expect(done).toMatchObject({ exit: 130, stdout: '' });
    expect(done.stderr).toMatch(/^Error \[interrupted\]: .+\n$/);
  });

  test('a deadline in the middle of the text is a timeout', async () => {
    const done = await putHalf(['--timeout', '0.5', '--json'], () => undefined);
    expect(done.exit).toBe(124);
    expect(JSON.parse(done.stdout)).toMatchObject({ code: 'timeout', class: 'retryable' });
  });

  test('nothing of the text was kept', async () => {
    expect(await home.json(['list'])).toEqual([]);
  });
});

/** Calls `then` once a process says that it is held at a fault point. */
function whenHeld(child: ChildProcess, point: string, then: () => void): void {
  let said = '';
  const onData = (chunk: Buffer) => {
    said += chunk.toString('utf8');
    if (!said.includes(`held at ${point}`)) return;
    child.stderr!.off('data', onData);
    then();
  };
  child.stderr!.on('data', onData);
}

/** Runs `put --json` held at a point, where it gets SIGINT before it may go on. */
function putCutAt(slug: string, point: string): Promise<RunResult> {
  return home.run(['put', slug, '--json'], {
    stdin: '# Kept\n',
    env: { GBRAIN_FAULT_POINT: `${point}:hold` },
    onStart: (child) => {
      whenHeld(child, point, () => {
        child.kill('SIGINT');
        child.kill('SIGUSR2');
      });
    },
  });
}

describe('a signal beside a commit', () => {
  test('after it, the write is told as it stands', async () => {
    const done = await putCutAt('signals/after', 'commit_done');
    expect(done.exit).toBe(0);
    const reply = JSON.parse(done.stdout) as { revision: string };
    expect(reply).toMatchObject({ state: 'committed', status: 'created' });
    expect(await home.json(['get', 'signals/after'])).toMatchObject({ revision: reply.revision });
  });

  test('before it, the command says interrupted and nothing stands', async () => {
    const done = await putCutAt('signals/before', 'commit_decided');
    expect([done.exit, (JSON.parse(done.stdout) as { code: string }).code]).toEqual([130, 'interrupted']);
    expect((await home.run(['get', 'signals/before'])).exit).toBe(1);
  });

  test('a refusal that is decided is told, not the signal', async () => {
    await home.json(['put', 'signals/taken'], { stdin: '# One\n' });
    const done = await putCutAt('signals/taken', 'commit_done');
    expect(done.exit).toBe(1);
    expect(JSON.parse(done.stdout)).toMatchObject({ code: 'revision_required' });
  });
});

describe('forwarded to a server that has the brain open', () => {
  test('a signal and a deadline end the command, and the server goes on', async () => {
    home.start(['serve']).stdout.resume();
    const cut = await putHalf(['--json'], (child) => child.kill('SIGINT'));
    expect(cut.exit).toBe(130);
    const late = await putHalf(['--timeout', '0.5', '--json'], () => undefined);
    expect(late.exit).toBe(124);
    expect((await home.run(['get', 'notes/half'])).exit).toBe(1);
  });
});
