// The protocol's checks over the built binary: our own server on a pipe is green.
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { expect, test } from 'vitest';

test('a server that does not answer is told of, and the fix is the run below', async () => {
  await using home = new GbrainHome();
  const done = await home.run(['protocol', 'conformance', '--target', 'http://127.0.0.1:9/mcp', '--json']);
  const { code, fix } = JSON.parse(done.stdout) as { code: string; fix: { argv: string[]; next: string } };
  expect({ code, ...fix }).toMatchObject({ code: 'target_unreachable', next: 'run' });
  expect(fix.argv).toEqual(['gbrain', 'protocol', 'conformance']);
});

test('our own server passes every check over stdio, on a brain that is gone afterwards', async () => {
  await using home = new GbrainHome();
  // Slack, because this machine may be busy; the latency bounds have a test with a clock of its own.
  const done = await home.run(['protocol', 'conformance', '--slack', '100', '--json']);
  const reply = JSON.parse(done.stdout) as {
    failed: number;
    passed: number;
    checks: { status: string; name: string }[];
  };
  expect(reply.checks.filter(({ status }) => status !== 'pass')).toEqual([]);
  expect(done.exit).toBe(0);
  expect(reply.passed).toBeGreaterThan(50);
  // Nothing was made in the user's own home.
  expect((await home.run(['list', '--json'])).exit).not.toBe(0);
});
