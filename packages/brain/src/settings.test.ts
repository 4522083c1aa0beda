// Settings and registrations: defaults, precedence, and a sentence for everything that cannot be used.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSettings } from './settings.ts';
import { parseRegistrations } from './workers/registration.ts';

describe('settings', () => {
  it('have the documented defaults, and flags win over variables', () => {
    const plain = parseSettings({}, {});
    expect(plain).toMatchObject({ host: '127.0.0.1', port: 8080 });
    expect(plain.limits).toMatchObject({
      maxModelCalls: 128,
      maxTurnMs: 1_800_000,
      sessionIdleTtlMs: 600_000,
      drainMs: 30_000,
    });
    const { limits } = parseSettings({ 'max-tool-secs': '0.5' }, { BRAIN_MAX_TOOL_SECS: '9' });
    expect(limits.maxToolMs).toBe(500);
  });

  it.each([
    [{ BRAIN_LISTEN: '0.0.0.0:80' }, /BRAIN_API_TOKEN/],
    [{ BRAIN_API_TOKEN: '' }, /empty/],
    [{ BRAIN_LISTEN: 'nowhere' }, /address:port/],
    [{ BRAIN_LISTEN: '127.0.0.1:99999' }, /address:port/],
    [{ BRAIN_MAX_MODEL_CALLS: '-1' }, /at least 0/],
    [{ BRAIN_MAX_LIVE_BACKLOG: '0' }, /at least 1/],
    [{ BRAIN_MAX_REQUEST_BYTES: '1.5' }, /at least 1/],
    [{ BRAIN_PUBLIC_URL: 'http://u:p@x' }, /without credentials/],
    [{ BRAIN_MASTER_KEY: 'short' }, /32 bytes/],
  ])('refuse %o', (env, message) => {
    expect(() => parseSettings({}, env)).toThrow(message);
  });

  it('refuse a flag that does not exist, and take a token to listen everywhere', () => {
    expect(() => parseSettings({ bogus: '1' }, {})).toThrow(/--bogus/);
    expect(parseSettings({}, { BRAIN_LISTEN: '[::]:80', BRAIN_API_TOKEN: 't' }).host).toBe('::');
  });
});

describe('registrations', () => {
  const search = { folder: '/', path: process.env.PATH ?? '' };

  it('are resolved with their defaults, from JSON or from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'brain-reg-'));
    const command = join(folder, 'harness');
    writeFileSync(command, '#!/bin/sh\n');
    chmodSync(command, 0o755);
    const text = JSON.stringify({ a: { command } });
    const expected = [{ name: 'a', command, args: [], configuration: {}, workers: 1, maxConcurrency: 64 }];
    expect(parseRegistrations(text, search)).toEqual(expected);
    writeFileSync(join(folder, 'map.json'), text);
    expect(parseRegistrations(join(folder, 'map.json'), search)).toEqual(expected);
    expect(parseRegistrations('{"a":{"command":"harness"}}', { folder: '/', path: folder })[0]?.command).toBe(command);
    chmodSync(command, 0o644);
    expect(() => parseRegistrations(text, search)).toThrow(/not executable/);
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['{', /not JSON/],
    ['/no/such/file', /cannot be read/],
    ['{"a b":{"command":"sh"}}', /not valid/],
    ['{"a":{}}', /a\.command/],
    ['{"a":{"command":"sh","workers":0}}', /a\.workers/],
    ['{"a":{"command":"sh","max_concurrency":1.5}}', /a\.max_concurrency/],
    ['{"a":{"command":"sh","shell":true}}', /not valid/],
    ['{"a":{"command":"sh","args":["\\u0000"]}}', /NUL/],
    ['{"a":{"command":"no-such-command-here"}}', /was not found/],
  ])('refuse %s', (text, message) => {
    expect(() => parseRegistrations(text, search)).toThrow(message);
  });
});
