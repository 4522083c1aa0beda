// The stream of a session over connections that end anywhere: each record once, in order; gaps and refusals are errors.
import { encodeSseEvent } from '@gbrain/wire/sse';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrainError } from './errors.ts';
import { streamSession } from './events.ts';
import { Transport } from './transport.ts';

const kindOf = (sequence: number, last: number) => (sequence === last ? 'session_ended' : 'note');

function toFrame(sequence: number, last: number): string {
  const event_type = kindOf(sequence, last);
  const data = JSON.stringify({ sequence, recorded_at_ms: sequence, event_type, data: { n: sequence } });
  return encodeSseEvent({ id: String(sequence), event: event_type, data });
}

const live = encodeSseEvent({ event: 'assistant_delta', data: '{"model_call_sequence":1,"index":0,"text":"x"}' });

/** One connection: where it begins again before the cursor, how many bytes it gives, and how it ends. */
interface Connection {
  back: number;
  bytes: number;
  breaks: boolean;
}

/** A server with `last` records whose connections end as planned; when the plan is over they are good. */
function serverOf(last: number, plan: Connection[], frames = toFrame): typeof fetch {
  return async (url) => {
    const path = new URL(String(url));
    if (!path.pathname.endsWith('/events')) {
      return Response.json({ session_id: 'ses_1', status: 'ended', last_sequence: last });
    }
    const after = Number(path.searchParams.get('after'));
    const { back, bytes, breaks } = plan.shift() ?? { back: 0, bytes: Number.POSITIVE_INFINITY, breaks: false };
    let text = live;
    for (let sequence = Math.max(1, after + 1 - back); sequence <= last; sequence += 1) text += frames(sequence, last);
    const chunk = new TextEncoder().encode(text).subarray(0, bytes);
    async function* give(): AsyncGenerator<Uint8Array> {
      if (chunk.length > 0) yield chunk;
      if (breaks) throw new TypeError('terminated');
    }
    const body = ReadableStream.from(give());
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
}

async function read(server: typeof fetch, after = 0): Promise<number[]> {
  const transport = new Transport({ baseUrl: 'http://brain', fetch: server });
  const seen: number[] = [];
  for await (const event of streamSession(transport, 'ses_1', after)) if (!event.live) seen.push(event.sequence);
  return seen;
}

describe('the stream of a session', () => {
  it('gives each record once and in order, wherever its connections end and however far back they begin', async () => {
    const connection = fc.record({ back: fc.nat(3), bytes: fc.nat(900), breaks: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.array(connection, { maxLength: 4 }), async (last, plan) => {
        expect(await read(serverOf(last, plan))).toEqual(Array.from({ length: last }, (_, index) => index + 1));
      }),
      { numRuns: 100 },
    );
  });

  it('begins after its cursor', async () => {
    expect(await read(serverOf(5, []), 3)).toEqual([4, 5]);
  });

  it('refuses a gap instead of passing it over', async () => {
    const withGap = (sequence: number, last: number) => (sequence === 2 ? '' : toFrame(sequence, last));
    await expect(read(serverOf(4, [], withGap))).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  it('ends with an error when the session is not there, and without one when its reader has gone', async () => {
    const missing: typeof fetch = async () =>
      Response.json({ code: 'not_found', message: 'No.', retryable: false }, { status: 404 });
    await expect(read(missing)).rejects.toBeInstanceOf(BrainError);
    const transport = new Transport({ baseUrl: 'http://brain', fetch: serverOf(3, []) });
    const abort = new AbortController();
    const seen: number[] = [];
    for await (const event of streamSession(transport, 'ses_1', 0, abort.signal)) {
      if (event.live) continue;
      seen.push(event.sequence);
      abort.abort();
    }
    expect(seen).toEqual([1]);
  });
});
