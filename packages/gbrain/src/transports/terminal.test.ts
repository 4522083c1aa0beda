// What a terminal says of itself, and what is made of it.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { viewOf } from './terminal.ts';

test.each([
  { isTTY: true, columns: 132, wanted: 132 },
  { isTTY: true, columns: 0, wanted: 80 },
  { isTTY: true, columns: undefined, wanted: 80 },
  { isTTY: false, columns: undefined, wanted: Number.POSITIVE_INFINITY },
])('a terminal ($isTTY) of $columns columns is written $wanted wide', ({ isTTY, columns, wanted }) => {
  const stdout = Object.assign(new PassThrough(), { isTTY, ...(columns !== undefined && { columns }) });
  expect(viewOf({ stdin: new PassThrough(), stdout, stderr: stdout }, {}).columns).toBe(wanted);
});
