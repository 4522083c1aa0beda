// What survives: syncs a turn, kill -9 of server and workers, restarts, streams that are cut, sessions that sleep.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type BrainProcess,
  fixtureHarness,
  newDataDir,
  removeDataDir,
  startBrain,
} from '@gbrain/testkit/brain-process';
import { type Script, type ScriptedModel, startScriptedModel } from '@gbrain/testkit/scripted-model';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

let model: ScriptedModel;
let script: Script = () => ({ text: 'Hello.' });
const running: BrainProcess[] = [];
const folders: string[] = [];

beforeAll(async () => {
  model = await startScriptedModel((hit, index) => script(hit, index));
});

afterEach(async () => {
  script = () => ({ text: 'Hello.' });
  for (const brain of running.splice(0)) await brain.kill();
  for (const folder of folders.splice(0)) removeDataDir(folder);
});

afterAll(() => model.close());

interface Start {
  dataDir?: string;
  env?: Record<string, string>;
  registrations?: Record<string, unknown>;
  waitFor?: 'ready' | 'listening';
}

async function start({ dataDir = newDataDir(), env = {}, registrations, waitFor }: Start = {}): Promise<BrainProcess> {
  const brain = await startBrain(
    {
      dataDir,
      registrations: registrations ?? { loop: { command: fixtureHarness('loop-harness.mjs') } },
      env: { BRAIN_OPENAI_BASE_URL: model.baseUrl, ...env },
    },
    waitFor,
  );
  running.push(brain);
  folders.push(dataDir);
  return brain;
}

async function create(brain: BrainProcess, rest: Record<string, unknown> = {}): Promise<string> {
  const answer = await brain.api('POST', '/v1/sessions', {
    agentloop: { name: 'loop' },
    model: { provider: 'openai', name: 'm', api_key: 'sk-0123456789' },
    tools: [],
    environments: [],
    ...rest,
  });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.session_id;
}

const say = (brain: BrainProcess, id: string, message: string, options = {}) =>
  brain.api('POST', `/v1/sessions/${id}/messages`, { input: { message } }, options);

async function readEvents(brain: BrainProcess, id: string) {
  const list: { sequence: number; event_type: string; data: Record<string, unknown> }[] = [];
  for (;;) {
    const { body } = await brain.api('GET', `/v1/sessions/${id}/events?after=${list.length}`);
    if (body.events.length === 0) return list;
    list.push(...body.events);
  }
}

async function until(brain: BrainProcess, id: string, kind: string): Promise<void> {
  while (!(await readEvents(brain, id)).some((event) => event.event_type === kind));
}

function readCommits(brain: BrainProcess): number {
  const database = new DatabaseSync(join(brain.dataDir, 'journal.db'), { readOnly: true });
  const { value } = database.prepare("SELECT value FROM meta WHERE key = 'commits'").get() as { value: number };
  database.close();
  return value;
}

/** False for a process that is gone, or that only waits to be reaped. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

function verify(brain: BrainProcess): { ok: boolean; findings: unknown[] } {
  const bin = join(import.meta.dirname, '../../../packages/brain/src/bin/brain.ts');
  const done = spawnSync(process.execPath, [bin, 'verify', '--data-dir', brain.dataDir, '--json'], {
    encoding: 'utf8',
  });
  return JSON.parse(done.stdout);
}

describe('syncs', () => {
  it('are at most 8 for a turn with a tool call, counted in the journal', async () => {
    const service = await import('@gbrain/testkit/tool-service').then(({ startToolService }) => startToolService());
    const brain = await start();
    const id = await create(brain, {
      tools: [{ name: 'add', description: 'Adds.', input_schema: {}, placements: { box: {} } }],
      environments: [{ name: 'box', driver: 'http', url: service.url }],
    });
    script = (hit) =>
      JSON.stringify(hit.body.input).includes('function_call_output')
        ? { text: 'Done.' }
        : { toolCalls: [{ id: 'c', name: 'add', input: { a: 1 } }] };
    const before = readCommits(brain);
    expect((await say(brain, id, 'Go')).status).toBe(200);
    expect((await readEvents(brain, id)).at(-1)?.event_type).toBe('turn_ended');
    expect(readCommits(brain) - before).toBeLessThanOrEqual(8);
    expect(service.operations.map(({ request }) => request.type)).toEqual(['setup', 'execute']);
    await service.close();
  });
});

describe('a server that is killed', () => {
  it('in the middle of a model call records it unknown once, sends nothing again, and refuses to go on', async () => {
    const arrived = Promise.withResolvers<void>();
    script = () => {
      arrived.resolve();
      return { silent: true };
    };
    const first = await start();
    const id = await create(first);
    const lost = say(first, id, 'Hi', { key: 'lost' }).catch(() => undefined);
    // The intent is durable before the request leaves; only the request's arrival fixes how many there were.
    await arrived.promise;
    const hits = model.hits.length;
    await first.kill();
    await lost;

    const second = await start({ dataDir: first.dataDir });
    const list = await readEvents(second, id);
    expect(list.slice(-3)).toMatchObject([
      { event_type: 'model_call_failed', data: { code: 'unknown', ambiguous: true } },
      { event_type: 'activation_failed', data: { code: 'interrupted' } },
      { event_type: 'turn_failed', data: { code: 'interrupted' } },
    ]);
    expect(list.map((event) => event.sequence)).toEqual(list.map((_, index) => index + 1));
    expect(await say(second, id, 'Hi', { key: 'lost' })).toMatchObject({ status: 500, body: { code: 'ambiguous' } });
    expect((await say(second, id, 'Again')).status).toBe(409);
    expect(model.hits.length).toBe(hits);
    expect((await second.api('GET', `/v1/sessions/${id}`)).body.status).toBe('idle');
    expect(verify(second)).toMatchObject({ ok: true });
  });

  it('replays stored answers after its restart, and its other sessions go on', async () => {
    const first = await start();
    const id = await create(first);
    const answer = await say(first, id, 'Hi', { key: 'kept' });
    await first.kill();
    const second = await start({ dataDir: first.dataDir });
    expect(await say(second, id, 'Hi', { key: 'kept' })).toMatchObject({ status: 200, body: answer.body });
    expect((await say(second, id, 'More')).status).toBe(200);
    expect((await second.api('GET', `/v1/sessions/${id}/transcript`)).body.messages).toHaveLength(4);
  });

  it('leaves no worker behind for its successor, not even one that outlives its stdin', async () => {
    const registrations = { loop: { command: fixtureHarness('loop-harness.mjs'), args: ['--stay'] } };
    const first = await start({ registrations });
    const pid = Number(/pid=(\d+)/.exec(first.log())?.[1]);
    await first.kill();
    expect(isAlive(pid)).toBe(true);
    const second = await start({ dataDir: first.dataDir, registrations });
    while (isAlive(pid));
    expect(second.log()).toContain('ended workers that an earlier server left behind');
    const last = Number(/pid=(\d+)/.exec(second.log())?.[1]);
    await second.kill('SIGTERM');
    expect(isAlive(last)).toBe(false);
  });

  it('refuses a folder that another server holds', async () => {
    const first = await start();
    const second = await start({ dataDir: first.dataDir });
    expect(await second.ended).toBe(1);
    expect(second.log()).toContain('data_dir_locked');
  });
});

describe('a worker that dies', () => {
  it('fails only its own turn, comes back, and other sessions go on', async () => {
    const brain = await start({
      registrations: {
        loop: { command: fixtureHarness('loop-harness.mjs') },
        other: { command: fixtureHarness('loop-harness.mjs') },
      },
    });
    const [crashing, idle] = [
      await create(brain, { agentloop: { name: 'loop', configuration: { crash: true } } }),
      await create(brain),
    ];
    const other = await create(brain, { agentloop: { name: 'other' } });
    await say(brain, crashing, 'Hi');
    expect((await readEvents(brain, crashing)).at(-1)).toMatchObject({
      event_type: 'turn_failed',
      data: { code: 'worker_lost' },
    });
    expect((await say(brain, other, 'Hi')).status).toBe(200);
    for (;;) {
      const { status } = await say(brain, idle, 'Hi');
      if (status === 200) break;
      expect(status).toBe(503);
    }
    expect((await readEvents(brain, idle)).at(-1)?.event_type).toBe('turn_ended');
  });

  it('has what it had sent recorded with its true result, after its turn has failed', async () => {
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    script = async () => {
      arrived.resolve();
      await released.promise;
      return { text: 'Late.' };
    };
    const brain = await start();
    const id = await create(brain);
    const turn = say(brain, id, 'Hi');
    await arrived.promise;
    process.kill(-Number(/pid=(\d+)/.exec(brain.log())?.[1]), 'SIGKILL');
    await turn;
    expect((await readEvents(brain, id)).at(-1)).toMatchObject({
      event_type: 'turn_failed',
      data: { code: 'worker_lost' },
    });
    const ended = brain.api('POST', `/v1/sessions/${id}/end`);
    await until(brain, id, 'session_end_started');
    released.resolve();
    expect((await ended).body.status).toBe('ended');
    const kinds = (await readEvents(brain, id)).map((event) => event.event_type);
    expect(kinds.slice(-4)).toEqual(['turn_failed', 'session_end_started', 'model_call_ended', 'session_ended']);
    expect((await brain.api('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
  });

  it('is killed for printing to stdout, and the turn says so', async () => {
    const brain = await start();
    const id = await create(brain, { agentloop: { name: 'loop', configuration: { noise: true } } });
    await say(brain, id, 'Hi');
    expect((await readEvents(brain, id)).at(-1)).toMatchObject({ data: { code: 'harness_protocol' } });
  });

  it('is killed five seconds after a cancel that it ignores', async () => {
    const brain = await start();
    const id = await create(brain, { agentloop: { name: 'loop', configuration: { hang: 'ignore' } } });
    const turn = say(brain, id, 'Hi');
    await until(brain, id, 'activation_started');
    await brain.api('POST', `/v1/sessions/${id}/cancel`);
    await turn;
    expect((await readEvents(brain, id)).at(-1)).toMatchObject({
      event_type: 'turn_failed',
      data: { code: 'cancelled' },
    });
    expect(brain.log()).toContain('worker is gone');
  });

  it('with another identity refuses to start on the same folder', async () => {
    const command = fixtureHarness('loop-harness.mjs');
    const first = await start({ registrations: { loop: { command } } });
    await first.kill('SIGTERM');
    const second = await start({
      dataDir: first.dataDir,
      registrations: { loop: { command, configuration: { state_version: 2 } } },
      waitFor: 'listening',
    });
    expect(await second.ended).toBe(1);
    expect(second.log()).toContain('harness_identity');
  });
});

describe('events', () => {
  it('arrive exactly once and in order over cut streams, with live deltas between them', async () => {
    script = () => ({ text: 'A longer answer that comes in several pieces.' });
    const brain = await start();
    const id = await create(brain);
    const seen: number[] = [];
    const live: string[] = [];
    const done = new AbortController();
    const read = async () => {
      while (!done.signal.aborted) {
        const after = seen.at(-1) ?? 0;
        const answer = await fetch(`${brain.baseUrl}/v1/sessions/${id}/events?after=${after}`, {
          headers: { accept: 'text/event-stream' },
        });
        let text = '';
        let frames = 0;
        for await (const chunk of answer.body ?? []) {
          text += Buffer.from(chunk).toString('utf8');
          const blocks = text.split('\n\n');
          text = blocks.pop() ?? '';
          for (const block of blocks) {
            const sequence = /^id: (\d+)$/m.exec(block)?.[1];
            if (sequence) seen.push(Number(sequence));
            else live.push(/^event: (.*)$/m.exec(block)?.[1] ?? '');
            frames += 1;
          }
          if (frames > 5) break;
        }
      }
    };
    const reading = read().catch(() => {});
    for (let turn = 0; turn < 5; turn += 1) await say(brain, id, `Turn ${turn}`);
    const total = (await brain.api('GET', `/v1/sessions/${id}`)).body.last_sequence;
    while (seen.length < total) await new Promise((resolve) => setTimeout(resolve, 20));
    done.abort();
    await brain.api('POST', `/v1/sessions/${id}/end`);
    await reading;
    expect(seen.slice(0, total)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
    expect(live).toContain('assistant_delta');
  });
});

describe('a session that sleeps', () => {
  it('is let go of, and wakes with its history', async () => {
    const brain = await start({ env: { BRAIN_SESSION_IDLE_TTL_SECS: '0.1' } });
    const id = await create(brain);
    await say(brain, id, 'Hi');
    await until(brain, id, 'session_suspended');
    await say(brain, id, 'Again');
    const kinds = (await readEvents(brain, id)).map((event) => event.event_type);
    expect(kinds).toContain('session_resumed');
    expect((await brain.api('GET', `/v1/sessions/${id}/transcript`)).body.messages).toHaveLength(4);
  });
});
