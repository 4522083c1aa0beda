// The protocol's checks over the built binary: our own server on a pipe is green.
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { expect, test } from 'vitest';

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
