// What a terminal says of itself, and what is made of it.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { progressLine, viewOf } from './terminal.ts';

test.each([
  { isTTY: true, columns: 132, wanted: 132 },
  { isTTY: true, columns: 0, wanted: 80 },
  { isTTY: true, columns: undefined, wanted: 80 },
  { isTTY: false, columns: undefined, wanted: Number.POSITIVE_INFINITY },
])('a terminal ($isTTY) of $columns columns is written $wanted wide', ({ isTTY, columns, wanted }) => {
  const stdout = Object.assign(new PassThrough(), { isTTY, ...(columns !== undefined && { columns }) });
  expect(viewOf({ stdin: new PassThrough(), stdout, stderr: stdout }, {}).columns).toBe(wanted);
});

test('where lines are kept, a long run says a line every ten seconds, and a short one none', () => {
  const stderr = Object.assign(new PassThrough(), { isTTY: false });
  let now = 0;
  const line = progressLine({ stdin: new PassThrough(), stdout: stderr, stderr }, false, () => now);
  for (; now <= 25_000; now += 500) line.show({ what: 'importing', done: now / 100, total: 1_000 });
  line.end();
  expect(String(stderr.read())).toBe(
    'importing: 100 of 1000 (10 %), 10/s, 1 min 30 s left\nimporting: 200 of 1000 (20 %), 10/s, 1 min 20 s left\n',
  );
});
