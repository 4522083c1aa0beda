// Streams of events: cut anywhere and resumed by cursor, each record once and in order; a slow reader is let go of.
import { connect, type Socket } from 'node:net';
import { Brain, type SessionEvent } from '@gbrain/brain-client/brain';
import { type BrainBuild, buildBrain } from '@gbrain/testkit/brain-build';
import { type BrainProcess, removeDataDir, startBrain } from '@gbrain/testkit/brain-process';
import { type ScriptedModel, startScriptedModel } from '@gbrain/testkit/scripted-model';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MODEL = { provider: 'openai', name: 'm', apiKey: 'sk-0123456789' };
let build: BrainBuild;
let model: ScriptedModel;
let brain: BrainProcess;

beforeAll(async () => {
  build = await buildBrain();
  model = await startScriptedModel(() => ({ text: 'An answer that comes in several pieces.' }));
  brain = await startBrain({
    server: build.server,
    registrations: {
      loop: { command: process.execPath, args: [build.harness, 'loop'] },
      echo: { command: process.execPath, args: [build.harness, 'echo'] },
    },
    env: { BRAIN_OPENAI_BASE_URL: model.baseUrl, BRAIN_MAX_LIVE_BACKLOG: '20' },
  });
});

afterAll(async () => {
  await brain.kill();
  await model.close();
  removeDataDir(brain.dataDir);
  build.remove();
});

/** A fetch whose event streams break after so many bytes, in turn, wherever that is. */
function cutting(cuts: readonly number[]): typeof fetch {
  let turn = 0;
  return async (url, init) => {
    const answer = await fetch(url, init);
    const isStream = answer.headers.get('content-type')?.includes('event-stream');
    if (!answer.body || !isStream) return answer;
    let left = cuts[turn++ % cuts.length] ?? 0;
    const body = answer.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          controller.enqueue(chunk.subarray(0, left));
          left -= chunk.length;
          if (left <= 0) controller.error(new TypeError('cut'));
        },
      }),
    );
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
}

describe('a stream that is cut', () => {
  it('anywhere, again and again, gives each record once and in order', async () => {
    // A page must fit between two cuts, or no reader could ever get on.
    const cuts = fc.array(fc.integer({ min: 1200, max: 6000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(cuts, { minLength: 3, maxLength: 5 }), async (readers) => {
        const writer = new Brain({ baseUrl: brain.baseUrl });
        const session = await writer.sessions.create({ model: MODEL, agentloop: 'loop' });
        const reading = readers.map(async (choice) => {
          const client = new Brain({ baseUrl: brain.baseUrl, fetch: cutting(choice) });
          const seen: SessionEvent[] = [];
          for await (const event of (await client.sessions.get(session.id)).events()) seen.push(event);
          client.close();
          return seen;
        });
        for (let turn = 0; turn < 4; turn += 1) await session.send(`Turn ${turn}`);
        const { lastSequence } = await session.end();
        const history = await session.readEvents();
        expect(history.map(({ sequence }) => sequence)).toEqual(
          Array.from({ length: lastSequence }, (_, at) => at + 1),
        );
        for (const seen of await Promise.all(reading)) expect(seen).toEqual(history);
        writer.close();
      }),
      { numRuns: 8 },
    );
  });

  it('resumes by Last-Event-ID as by the cursor', async () => {
    const client = new Brain({ baseUrl: brain.baseUrl });
    const session = await client.sessions.create({ model: MODEL, agentloop: 'loop' });
    await session.send('Hi');
    await session.end();
    const read = async (path: string, headers: Record<string, string>) => {
      const answer = await fetch(`${brain.baseUrl}/v1/sessions/${session.id}/events${path}`, {
        headers: { accept: 'text/event-stream', ...headers },
      });
      return answer.text();
    };
    expect(await read('', { 'last-event-id': '5' })).toBe(await read('?after=5', {}));
    client.close();
  });
});

/** Opens a stream and takes nothing off the wire. */
function openSlowReader(id: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: brain.port, host: '127.0.0.1' }, () => {
      socket.pause();
      const lines = [`GET /v1/sessions/${id}/events HTTP/1.1`, 'Host: brain', 'Accept: text/event-stream'];
      socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

describe('a reader that is slow', () => {
  it('is let go of, stalls nobody, and finds the rest by its cursor', async () => {
    const client = new Brain({ baseUrl: brain.baseUrl });
    const session = await client.sessions.create({ model: MODEL, agentloop: 'echo' });
    const other = await client.sessions.create({ model: MODEL, agentloop: 'echo' });
    const socket = await openSlowReader(session.id);
    let text = '';
    const ended = new Promise<void>((resolve) => socket.on('end', resolve));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.pause();
    const long = 'x'.repeat(400_000);
    for (let turn = 0; turn < 12; turn += 1) {
      expect((await session.send(long)).status).toBe('ended');
      expect((await other.send('Hi')).status).toBe('ended');
    }
    socket.resume();
    await ended;
    socket.destroy();
    const { lastSequence } = await session.refresh();
    const got = [...text.matchAll(/^id: (\d+)\r?$/gm)].map(([, id]) => Number(id));
    expect(got).toEqual(got.map((_, index) => index + 1));
    expect(got.length).toBeLessThan(lastSequence);
    const rest: number[] = [];
    for await (const { sequence } of session.events(got.length)) {
      rest.push(sequence);
      if (sequence === lastSequence) break;
    }
    expect([...got, ...rest]).toEqual(Array.from({ length: lastSequence }, (_, index) => index + 1));
    client.close();
  });
});
