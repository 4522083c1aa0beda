// Workers, as the harness protocol has them: balance, assignments that stay, configuration, native state, readiness,
// and a stop that lets a turn finish.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrainBuild, buildBrain } from '@gbrain/testkit/brain-build';
import { type BrainProcess, newDataDir, removeDataDir, startBrain } from '@gbrain/testkit/brain-process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let build: BrainBuild;
let brain: BrainProcess;

const start = (dataDir = newDataDir()) =>
  startBrain({
    server: build.server,
    dataDir,
    registrations: {
      many: {
        command: process.execPath,
        args: [build.harness, 'native'],
        workers: 2,
        configuration: { tone: 'dry', size: 1 },
      },
    },
  });

beforeAll(async () => {
  build = await buildBrain();
  brain = await start();
  await until(() => brain.log().split('worker ready').length === 3);
});

afterAll(async () => {
  await brain.kill();
  removeDataDir(brain.dataDir);
  build.remove();
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const request = (loop: string, configuration: object = {}, rest: object = {}) => ({
  agentloop: { name: loop, configuration },
  model: { provider: 'openai', name: 'm', api_key: 'sk-0123456789' },
  tools: [],
  environments: [],
  ...rest,
});

async function create(configuration: object = {}, rest: object = {}): Promise<string> {
  const { status, body } = await brain.api('POST', '/v1/sessions', request('many', configuration, rest));
  expect(status).toBe(200);
  return body.session_id;
}

interface Event {
  event_type: string;
  data: { result?: { pid: number; notes: string; configuration: object } };
}

async function readEvents(id: string): Promise<Event[]> {
  return (await brain.api('GET', `/v1/sessions/${id}/events`)).body.events;
}

/** One turn; gives what the harness told of itself. */
async function run(id: string) {
  expect((await brain.api('POST', `/v1/sessions/${id}/messages`, { input: { message: 'Go' } })).status).toBe(200);
  const ended = (await readEvents(id)).findLast(({ event_type }) => event_type === 'turn_ended');
  return ended?.data.result;
}

/** A file below the folder of the registration. */
const native = (...parts: string[]) => join(brain.dataDir, 'agentloops', 'many', ...parts);

describe('workers', () => {
  it('share new sessions among them, and keep the ones they have', async () => {
    const ids = [await create(), await create(), await create(), await create()];
    const pids: (number | undefined)[] = [];
    for (const id of ids) pids.push((await run(id))?.pid);
    expect(pids[0]).not.toBe(pids[1]);
    expect(pids.slice(2)).toEqual(pids.slice(0, 2));
    for (const [index, id] of ids.entries()) expect((await run(id))?.pid).toBe(pids[index]);
  });

  it('get the configuration of the deployment under that of the session, whose keys must be known', async () => {
    expect((await run(await create({ size: 2 })))?.configuration).toEqual({ tone: 'dry', size: 2 });
    const refused = await brain.api('POST', '/v1/sessions', request('many', { sise: 2 }));
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  });

  it('keep native state over a sleep, in which they close the session, and forget it when it is deleted', async () => {
    const id = await create({}, { idle_ttl_ms: 30 });
    expect((await run(id))?.notes).toBe('run\n');
    await until(() => existsSync(native('closed')) && readFileSync(native('closed'), 'utf8').includes(id));
    expect(existsSync(native(id, 'notes'))).toBe(true);
    expect((await run(id))?.notes).toBe('run\nrun\n');
    expect((await brain.api('POST', `/v1/sessions/${id}/end`)).status).toBe(200);
    expect(existsSync(native(id))).toBe(true);
    expect((await brain.api('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
    expect(existsSync(native(id))).toBe(false);
    expect(readFileSync(native('deleted'), 'utf8')).toContain(id);
  });
});

describe('a server', () => {
  it('none of whose workers can serve is alive, not ready, and makes no session', async () => {
    const deaf = await startBrain(
      {
        server: build.server,
        registrations: { deaf: { command: process.execPath, args: [build.rogue, 'other-protocol'] } },
        env: { BRAIN_API_TOKEN: 'token-for-tests' },
      },
      'listening',
    );
    await until(() => deaf.log().includes('did not initialize'));
    // Health needs no token; everything else does.
    expect((await deaf.api('GET', '/health/live')).status).toBe(204);
    expect((await deaf.api('GET', '/health/ready')).status).toBe(503);
    expect((await deaf.api('GET', '/v1/sessions')).status).toBe(401);
    const headers = { authorization: 'Bearer token-for-tests' };
    const answer = await deaf.api('POST', '/v1/sessions', request('deaf'), { headers });
    expect(answer).toMatchObject({ status: 503, body: { code: 'overloaded', details: { agentloop: 'deaf' } } });
    await deaf.kill('SIGTERM');
    removeDataDir(deaf.dataDir);
  });

  it('that is told to stop lets its turn finish, and takes nothing new', async () => {
    const id = await create({ tone: 'slow' });
    const said = brain.api('POST', `/v1/sessions/${id}/messages`, { input: { message: 'Go' } });
    await until(() => existsSync(native(id, 'notes')));
    const stopped = brain.kill('SIGTERM');
    await until(() => brain.log().includes('stopping'));
    expect(await brain.api('POST', '/v1/sessions', request('many'))).toMatchObject({ status: 503 });
    writeFileSync(native(id, 'go'), '');
    expect(await said).toMatchObject({ status: 200, body: { status: 'idle' } });
    expect(await stopped).toBe(0);
    brain = await start(brain.dataDir);
    expect((await readEvents(id)).at(-1)).toMatchObject({ event_type: 'turn_ended' });
  });
});
