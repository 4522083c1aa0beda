// A file that somebody writes while it is read: only a state that stood still is taken.
import { appendFileSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hashOf, readSettled } from './read-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'gbrain-read-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
/** A clock far ahead of every file's time, so that none is young; each look at it calls `onLook`. */
const lateClock = (onLook: () => void) => () => {
  onLook();
  return Date.now() + 60_000;
};

test('a file that grows whenever it is looked at is not taken', async () => {
  writeFileSync(at('growing.md'), 'one\n');
  const grow = lateClock(() => appendFileSync(at('growing.md'), 'more\n'));
  expect(await readSettled(at('growing.md'), grow)).toEqual({ ok: false, reason: 'changed' });
});

test('a file that changes once is taken as it stood after that, whole', async () => {
  // The last one is of the same length, at another time.
  for (const [name, text] of [
    ['grown.md', 'one\ntwo\n'],
    ['cut.md', 'x\n'],
    ['same.md', 'eno\n'],
  ] as const) {
    const change = () => {
      writeFileSync(at(name), text);
      utimesSync(at(name), 5, 5);
    };
    writeFileSync(at(name), 'one\n');
    utimesSync(at(name), 0, 0);
    let looks = 0;
    const read = await readSettled(
      at(name),
      lateClock(() => {
        if (looks++ === 0) change();
      }),
    );
    expect(read).toEqual({ ok: true, text, hash: hashOf(text), sizeBytes: text.length });
    expect(looks).toBe(2);
  }
});

test('a file that is replaced under its reader is the one that was opened', async () => {
  writeFileSync(at('old.md'), 'old\n');
  writeFileSync(at('new.md'), 'new\n');
  const replace = lateClock(() => renameSync(at('new.md'), at('old.md')));
  expect(await readSettled(at('old.md'), replace)).toMatchObject({ ok: true, text: 'old\n' });
});

test('a link, a folder and nothing are told apart, and none is followed', async () => {
  writeFileSync(at('real.md'), 'x\n');
  symlinkSync(at('real.md'), at('link.md'));
  expect(await readSettled(at('link.md'))).toEqual({ ok: false, reason: 'not_a_file' });
  expect(await readSettled(folder)).toEqual({ ok: false, reason: 'not_a_file' });
  expect(await readSettled(at('nowhere.md'))).toEqual({ ok: false, reason: 'vanished' });
});
