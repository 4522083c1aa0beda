// Where things are on each system, and what a record is taken for.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Machine,
  machineFacts,
  type OwnerRecord,
  ownerPathsAt,
  parseOwnerRecord,
  readOwnerPaths,
  renderOwnerRecord,
  SOCKET_PATH_BYTES_MAX,
  socketPath,
} from './rendezvous.ts';

const linux: Machine = { platform: 'linux', uid: 1000, runtimeDir: '/run/user/1000', tempDir: '/tmp' };
const token = '0123456789ab';

describe('ownerPathsAt', () => {
  test('puts lock and record beside the brain, and the socket too where it fits', () => {
    const paths = ownerPathsAt('/home/ann/.gbrain/brain.pglite', linux);
    expect(paths.lock).toBe('/home/ann/.gbrain/brain.pglite.owner.lock');
    expect(paths.record).toBe('/home/ann/.gbrain/brain.pglite.owner.json');
    expect(paths.socketStems).toEqual([
      '/home/ann/.gbrain/brain.pglite.run/',
      '/run/user/1000/gbrain/53b43accec9c-',
      '/tmp/gbrain-1000/53b43accec9c-',
    ]);
  });

  test('goes to short folders for a long home', () => {
    const paths = ownerPathsAt(`/home/${'a'.repeat(200)}/brain`, linux);
    expect(paths.socketStems.map((stem) => stem.replace(/[0-9a-f]{12}-$/, ''))).toEqual([
      '/run/user/1000/gbrain/',
      '/tmp/gbrain-1000/',
    ]);
  });

  test('uses the temporary folder of macOS and /tmp behind it', () => {
    const tempDir = '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T';
    const paths = ownerPathsAt(`/Users/${'a'.repeat(90)}/brain`, { platform: 'darwin', uid: 501, tempDir });
    expect(paths.socketStems[0]).toMatch(/^\/var\/folders\/zz\/.*\/T\/gbrain-501\/[0-9a-f]{12}-$/);
    expect(paths.socketStems[1]).toMatch(/^\/tmp\/gbrain-501\/[0-9a-f]{12}-$/);
  });

  test('names a pipe on Windows', () => {
    const brain = 'C:\\Users\\ann\\.gbrain\\brain.pglite';
    const paths = ownerPathsAt(brain, { platform: 'win32', uid: null, tempDir: 'C:\\Temp' });
    expect(paths.lock).toBe(`${brain}.owner.lock`);
    expect(paths.socketStems).toHaveLength(1);
    expect(socketPath(paths.socketStems[0]!, token, 'win32')).toMatch(
      /^\\\\\.\\pipe\\gbrain-[0-9a-f]{12}-0123456789ab$/,
    );
  });

  test('never gives a path that a socket address cannot hold', () => {
    const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(part, part, part, (home, runtime, temp) => {
        const machine: Machine = { ...linux, runtimeDir: `/${runtime}`, tempDir: `/${temp}` };
        for (const stem of ownerPathsAt(`/${home}`, machine).socketStems) {
          expect(Buffer.byteLength(socketPath(stem, token, 'linux'))).toBeLessThanOrEqual(SOCKET_PATH_BYTES_MAX);
        }
        expect(ownerPathsAt(`/${home}`, { ...linux }).socketStems.length).toBeGreaterThan(0);
      }),
    );
  });
});

test('two names of one brain meet at one lock, before and after it exists', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gbrain-paths-'));
  try {
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    const lockOf = (name: string) => readOwnerPaths(join(folder, name, 'brain'), linux).lock;
    expect(lockOf('link')).toBe(lockOf('real'));
    mkdirSync(join(folder, 'disk'));
    symlinkSync(join(folder, 'disk'), join(folder, 'real', 'brain'));
    expect(lockOf('link')).toBe(lockOf('real'));
    expect(lockOf('link')).toMatch(/disk\.owner\.lock$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('machineFacts takes absolute folders only', () => {
  expect(machineFacts({ XDG_RUNTIME_DIR: 'run', TMPDIR: 'tmp' })).not.toHaveProperty('runtimeDir');
  expect(machineFacts({ TMPDIR: 'tmp' }).tempDir).toBe('/tmp');
  expect(machineFacts({ XDG_RUNTIME_DIR: '/run/user/7', TMPDIR: '/scratch//' })).toMatchObject({
    runtimeDir: '/run/user/7',
    tempDir: '/scratch',
  });
});

describe('the owner record', () => {
  const info = {
    pid: 48213,
    startedAt: '2026-10-03T16:20:00.000Z',
    protocol: 1,
    version: '0.1.0',
    transport: 'stdio' as const,
    serve: true,
  };
  const full: OwnerRecord = { info, reach: { socket: '/tmp/x.sock', secret: 's' } };

  test('is read as it was written', () => {
    expect(parseOwnerRecord(renderOwnerRecord(full))).toEqual(full);
    expect(parseOwnerRecord(renderOwnerRecord({ info }))).toEqual({ info });
  });

  test('ignores keys of a later version', () => {
    const later = JSON.stringify({ ...JSON.parse(renderOwnerRecord(full)), extra: { x: 1 } });
    expect(parseOwnerRecord(later)).toEqual(full);
  });

  test('is null for anything else, and never throws', () => {
    for (const text of ['', '{', 'null', '[]', '7', '{"pid":1}', '\u0000']) expect(parseOwnerRecord(text)).toBe(null);
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => parseOwnerRecord(text) === null));
    const row = JSON.parse(renderOwnerRecord(full)) as Record<string, unknown>;
    const without = fc.constantFrom('pid', 'started_at', 'protocol', 'version', 'transport', 'serve');
    fc.assert(
      fc.property(without, fc.jsonValue(), (key, value) => {
        const parsed = parseOwnerRecord(JSON.stringify({ ...row, [key]: value }));
        expect(parsed === null || typeof parsed.info.version === 'string').toBe(true);
        const { [key]: _, ...rest } = row;
        expect(parseOwnerRecord(JSON.stringify(rest))).toBe(null);
      }),
    );
  });
});
