// A server on its pipe: what it says before it has a brain, what it prints, how a call is cancelled, how it ends.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GbrainHome } from '@gbrain/testkit/gbrain-home';
import { McpPipe, type Message } from '@gbrain/testkit/mcp-pipe';
import { describe, expect, test } from 'vitest';

const LIST_CHANGED = 'notifications/tools/list_changed';

describe('before the brain is open', () => {
  test('handshake and list are answered while the store opens, and calls wait for it', async () => {
    await using home = await GbrainHome.withBrain();
    const pipe = new McpPipe(
      home.start(['serve', '--surface', 'starter'], { GBRAIN_FAULT_POINT: 'store_opening:hold' }),
    );
    await pipe.until(() => pipe.stderr.includes('held at store_opening'), 'the fault point');
    await pipe.initialize();
    expect(await pipe.toolNames()).toContain('put_page');
    expect(await pipe.body('request_tools', { tools: ['get_page'] })).toHaveProperty('tools');
    const waiting = pipe.body('list_pages');
    pipe.process.kill('SIGUSR2');
    expect(await waiting).toEqual([]);
    // The list that was shown was the right one, so nothing is announced.
    expect(pipe.notifications.filter(({ method }) => method === LIST_CHANGED)).toEqual([]);
    expect(await pipe.close()).toEqual({ exit: 0, signal: null });
  });

  test('without a brain there is one tool, and the brain that the user allows is opened in place', async () => {
    await using home = new GbrainHome();
    const pipe = new McpPipe(home.start(['serve']));
    const { instructions } = await pipe.initialize();
    expect(instructions).toMatch(/gbrain_status/);
    expect(await pipe.toolNames()).toEqual(['gbrain_status']);
    const refused = await pipe.envelope('list_pages');
    expect(refused).toMatchObject({ code: 'serve_status_only', reason: 'no_brain', class: 'unavailable' });
    expect(refused.fix).toMatchObject({ mcp: { tool: 'gbrain_status', arguments: {} }, next: 'run' });
    const status = await pipe.body<{ fix: { argv: string[] } }>('gbrain_status');
    expect(status).toMatchObject({
      status: 'unavailable',
      reason: 'no_brain',
      fix: { consent: ['persistent_install'], next: 'tell_user_to_run', actor: 'user' },
      contract_version: 1,
    });
    expect(status.fix.argv).toEqual(['gbrain', 'init', '--pglite', '--no-embedding']);
    expect((await home.run(status.fix.argv.slice(1))).exit).toBe(0);
    expect(await pipe.body('gbrain_status')).toMatchObject({ status: 'recovered' });
    await pipe.notification(LIST_CHANGED);
    expect(await pipe.toolNames()).toContain('put_page');
    expect(await pipe.body('list_pages')).toEqual([]);
  });
});

describe('stdout', () => {
  test('carries protocol only, whatever a dependency prints', async () => {
    await using home = await GbrainHome.withBrain();
    const noisy = pathToFileURL(join(import.meta.dirname, 'fixtures/noisy.mjs')).href;
    const pipe = new McpPipe(home.start(['serve'], { NODE_OPTIONS: `--import=${noisy}` }));
    await pipe.initialize();
    const names = await pipe.toolNames();
    for (const name of names) await pipe.call(name, {});
    await pipe.body('put_page', { slug: 'notes/a', content: '# A\n' });
    await pipe.result('resources/read', { uri: 'gbrain://capabilities' });
    for (const kind of [
      'console.log',
      'console.info',
      'console.table',
      'process.stdout.write',
      'a console of its own',
    ]) {
      await pipe.until(() => pipe.stderr.includes(kind), kind);
    }
    await pipe.close();
    expect(pipe.foreignLines).toEqual([]);
    expect(pipe.lines.length).toBeGreaterThan(names.length);
  });

  test('a line that is no message is passed over, and the next one is served', async () => {
    await using home = await GbrainHome.withBrain();
    const pipe = new McpPipe(home.start(['serve']));
    await pipe.initialize();
    for (const line of ['not json', '{"jsonrpc":"2.0"}', '[]', '{"jsonrpc":"1.0","id":1}', '', '\u0000']) {
      pipe.process.stdin.write(`${line}\n`);
    }
    expect(await pipe.body('list_pages')).toEqual([]);
    expect((await pipe.ask('no/such/method')).error).toMatchObject({ code: -32601 });
    expect(pipe.foreignLines).toEqual([]);
  });
});

describe('a write behind another one', () => {
  test('waits, is seen waiting, and is cancelled in both ways; what ran is acknowledged', async () => {
    await using home = await GbrainHome.withBrain();
    // The first write is held after its commit, so the queue stands still and the database does not.
    const pipe = new McpPipe(home.start(['serve'], { GBRAIN_FAULT_POINT: 'commit_done:hold' }));
    await pipe.initialize();
    const first = pipe.body('put_page', { slug: 'notes/first', content: '# First\n', wait_ms: 30_000 });
    await pipe.until(() => pipe.stderr.includes('held at commit_done'), 'the fault point');

    const pending = await pipe.envelope('put_page', { slug: 'notes/b', content: '# B\n', request_id: 'b', wait_ms: 0 });
    expect(pending).toMatchObject({
      code: 'write_pending',
      class: 'retryable',
      retryable: false,
      write_error: 'write_pending',
      write_request: { state: 'queued', client_request_id: 'b', retry_after_ms: 1000 },
      fix: { next: 'run', mcp: { tool: 'get_write_request' } },
    });
    const { mcp } = pending.fix as { mcp: { tool: string; arguments: object } };
    expect(await pipe.body(mcp.tool, mcp.arguments)).toMatchObject({ state: 'queued', slug: 'notes/b' });
    const { requests } = await pipe.body<{ requests: { state: string }[] }>('list_write_requests');
    expect(requests[0]).toMatchObject({ state: 'queued', client_request_id: 'b' });
    expect(await pipe.body('cancel_write_request', { request_id: 'b' })).toMatchObject({ state: 'cancelled' });

    const id = pipe.nextId;
    const cut = pipe.ask('tools/call', {
      name: 'put_page',
      arguments: { slug: 'notes/c', content: '# C\n', request_id: 'c', wait_ms: 30_000 },
    });
    void cut.catch(() => undefined);
    await untilState(pipe, 'c', 'queued');
    pipe.notify('notifications/cancelled', { requestId: id, reason: 'not wanted' });
    // Taken out before it ran, so there is nothing to have a receipt of.
    await untilState(pipe, 'c', 'not_found');

    pipe.process.kill('SIGUSR2');
    expect(await first).toMatchObject({ state: 'committed', status: 'created' });
    const slugs = (await pipe.body<{ slug: string }[]>('list_pages')).map(({ slug }) => slug);
    expect(slugs).toEqual(['notes/first']);
    // The revision forbids an answer to a cancelled request.
    expect(pipe.lines.map((line) => (JSON.parse(line) as Message).id)).not.toContain(id);
  });
});

/** Looks at a receipt until it is in a state, or until looking at it ends with a code. */
async function untilState(pipe: McpPipe, requestId: string, state: string): Promise<void> {
  for (;;) {
    const reply = await pipe.call('get_write_request', { request_id: requestId });
    const { state: now, code } = JSON.parse(reply.content[0]!.text) as { state?: string; code?: string };
    if ((now ?? code) === state) return;
  }
}

describe('the end of a server', () => {
  test('comes with the end of its input, after what was asked is answered', async () => {
    await using home = await GbrainHome.withBrain();
    const pipe = new McpPipe(home.start(['serve']));
    await pipe.initialize();
    const late = pipe.body('put_page', { slug: 'notes/late', content: '# Late\n' });
    pipe.process.stdin.end();
    expect(await late).toMatchObject({ state: 'committed' });
    expect(await pipe.ended).toEqual({ exit: 0, signal: null });
    expect(existsSync(`${home.brainPath}.owner.json`)).toBe(false);
    expect(await home.json(['get', 'notes/late'])).toMatchObject({ content: '# Late\n' });
  });

  test('comes when its parent is killed and the pipe stays open', async () => {
    await using home = await GbrainHome.withBrain();
    const parent = spawn('sh', ['-c', `"${home.launcher}" serve; :`], {
      env: home.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const gone = new Promise((resolve) => parent.stdout.once('close', resolve));
    const pipe = new McpPipe(parent);
    await pipe.initialize();
    await pipe.body('list_pages');
    parent.kill('SIGKILL');
    // Its stdout closes when the last process that has it is gone: the server, which nobody told anything.
    await gone;
    expect(existsSync(`${home.brainPath}.owner.json`)).toBe(false);
  });

  test('comes with SIGTERM, and frees the brain', async () => {
    await using home = await GbrainHome.withBrain();
    const pipe = new McpPipe(home.start(['serve']));
    await pipe.initialize();
    await pipe.body('put_page', { slug: 'notes/a', content: '# A\n' });
    pipe.process.kill('SIGTERM');
    expect((await pipe.ended).exit).toBe(143);
    expect(pipe.foreignLines).toEqual([]);
    expect(existsSync(`${home.brainPath}.owner.json`)).toBe(false);
  });
});
