// Two real peers joined back to back, and single peers fed by hand where the other side misbehaves.
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPeer, PeerClosedError, type PeerOptions, type ProtocolFault } from './json-rpc.ts';
import { JsonRpcError, type JsonRpcMessage, RPC_CODES } from './json-rpc-message.ts';

type Ends = { a: ReturnType<typeof createPeer>; b: ReturnType<typeof createPeer>; wire: JsonRpcMessage[] };

/** Two peers whose messages pass through JSON, as on a real wire. */
function connectPeers(forA: Partial<PeerOptions> = {}, forB: Partial<PeerOptions> = {}): Ends {
  const wire: JsonRpcMessage[] = [];
  const carry = (message: JsonRpcMessage, to: () => Ends['a']): void => {
    const copy = JSON.parse(JSON.stringify(message)) as JsonRpcMessage;
    wire.push(copy);
    queueMicrotask(() => to().receive(copy));
  };
  const a = createPeer({ send: (message) => carry(message, () => b), ...forA });
  const b = createPeer({ send: (message) => carry(message, () => a), ...forB });
  return { a, b, wire };
}

/** One peer whose other side is played by the test. */
function alone(options: Partial<PeerOptions> = {}) {
  const sent: JsonRpcMessage[] = [];
  const faults: ProtocolFault['kind'][] = [];
  const peer = createPeer({
    send: (message) => void sent.push(message),
    onFault: ({ kind }) => faults.push(kind),
    ...options,
  });
  return { peer, sent, faults };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('both sides ask and answer at once, also inside a handler', async () => {
  const ends: Ends = connectPeers(
    {
      findHandler: (method) =>
        method === 'half' ? (params) => ({ half: (params as { n: number }).n / 2 }) : undefined,
    },
    { findHandler: () => async (params) => [await ends.b.request('half', params as { n: number }), 'done'] },
  );
  expect(await ends.a.request('run', { n: 8 })).toEqual([{ half: 4 }, 'done']);
  expect(ends.a.pendingCount + ends.b.pendingCount + ends.a.handlingCount + ends.b.handlingCount).toBe(0);
});

test('answers find their requests in whatever order they come', async () => {
  const orders = fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 });
  await fc.assert(
    fc.asyncProperty(orders, async (order) => {
      const { peer, sent } = alone();
      const asked = order.map((_, index) => peer.request('m', { index }));
      for (const index of order) {
        const { id } = sent[index] as { id: number };
        peer.receive({ jsonrpc: '2.0', id, result: index });
      }
      expect(await Promise.all(asked)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(peer.pendingCount).toBe(0);
    }),
    { numRuns: 30 },
  );
});

describe('errors', () => {
  test('carry code, message and data to the caller', async () => {
    const data = { code: 'conflict', fatal: true };
    const { a } = connectPeers({}, { findHandler: () => () => Promise.reject(new JsonRpcError(-32000, 'No.', data)) });
    await expect(a.request('m')).rejects.toMatchObject({ code: -32000, message: 'No.', data });
  });

  test('of foreign code keep their text back', async () => {
    const { a, wire } = connectPeers(
      {},
      {
        findHandler: () => () => {
          throw new Error('password is hunter2');
        },
      },
    );
    await expect(a.request('m')).rejects.toMatchObject({ code: RPC_CODES.internal, data: { code: 'internal_error' } });
    expect(JSON.stringify(wire)).not.toContain('hunter2');
  });

  test('go through toError where there is one', async () => {
    const { a } = connectPeers(
      {},
      {
        findHandler: () => () => {
          throw new RangeError('x');
        },
        toError: (thrown, { method }) => ({ code: 7, message: `${method} ${(thrown as Error).name}` }),
      },
    );
    await expect(a.request('m')).rejects.toMatchObject({ code: 7, message: 'm RangeError' });
  });

  test('of an unknown method name it', async () => {
    const { a } = connectPeers();
    await expect(a.request('nope')).rejects.toMatchObject({
      code: RPC_CODES.methodNotFound,
      data: { code: 'unknown_method' },
    });
  });
});

test('a handler without a value answers null; a notification is never answered', async () => {
  const heard: unknown[] = [];
  const { a, wire } = connectPeers(
    {},
    { findHandler: () => () => undefined, onNotification: (...args) => heard.push(args) },
  );
  expect(await a.request('m')).toBeNull();
  a.notify('tick', [1]);
  await settled();
  expect(heard).toEqual([['tick', [1]]]);
  expect(wire).toHaveLength(3);
});

describe('what the other side does against the protocol', () => {
  test.each<[string, unknown, ProtocolFault['kind'], boolean]>([
    ['an unknown id', { jsonrpc: '2.0', id: 99, result: 1 }, 'unknown_response_id', false],
    ['an id of another type', { jsonrpc: '2.0', id: '1', result: 1 }, 'unknown_response_id', false],
    [
      'result and error',
      { jsonrpc: '2.0', id: 1, result: 1, error: { code: 1, message: '' } },
      'invalid_message',
      false,
    ],
    ['neither', { jsonrpc: '2.0', id: 1 }, 'invalid_message', false],
    ['another version', { jsonrpc: '1.0', id: 5, method: 'm' }, 'invalid_message', true],
    ['no object', 'hello', 'invalid_message', false],
    ['null', null, 'invalid_message', false],
    ['a batch', [{ jsonrpc: '2.0', id: 5, method: 'm' }], 'invalid_message', false],
    ['scalar params', { jsonrpc: '2.0', id: 5, method: 'm', params: 3 }, 'invalid_message', true],
    ['a null id', { jsonrpc: '2.0', id: null, method: 'm' }, 'invalid_message', false],
    ['an empty method', { jsonrpc: '2.0', id: 5, method: '' }, 'invalid_message', true],
    ['an error without a code', { jsonrpc: '2.0', id: 1, error: { message: '' } }, 'invalid_message', false],
    ['an error to nobody', { jsonrpc: '2.0', id: null, error: { code: 1, message: '' } }, 'unaddressed_error', false],
  ])('%s', (_name, message, kind, answered) => {
    const { peer, sent, faults } = alone();
    const asked = peer.request('m');
    asked.catch(() => undefined);
    sent.length = 0;
    peer.receive(message);
    expect(faults).toEqual([kind]);
    expect(sent).toHaveLength(answered ? 1 : 0);
    expect(peer.pendingCount).toBe(1);
    peer.close();
  });

  test('a second request with an id in flight is not run and not answered', async () => {
    let release: (value: unknown) => void = () => undefined;
    const { peer, sent, faults } = alone({
      findHandler: () => () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    });
    peer.receive({ jsonrpc: '2.0', id: 'x', method: 'm' });
    peer.receive({ jsonrpc: '2.0', id: 'x', method: 'm' });
    expect(faults).toEqual(['duplicate_request_id']);
    release('first');
    await settled();
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 'x', result: 'first' }]);
    peer.receive({ jsonrpc: '2.0', id: 'x', method: 'm' });
    expect(faults).toHaveLength(1);
  });

  test('a second answer to one request', async () => {
    const { peer, faults } = alone();
    const asked = peer.request('m');
    peer.receive({ jsonrpc: '2.0', id: 1, result: 'a' });
    peer.receive({ jsonrpc: '2.0', id: 1, result: 'b' });
    expect(await asked).toBe('a');
    expect(faults).toEqual(['unknown_response_id']);
  });
});

test('more requests at once than the bound are refused, and room comes back', async () => {
  const release: ((value: unknown) => void)[] = [];
  const { peer, sent } = alone({ maxHandling: 2, findHandler: () => () => new Promise((done) => release.push(done)) });
  for (const id of [1, 2, 3]) peer.receive({ jsonrpc: '2.0', id, method: 'm' });
  expect(sent).toMatchObject([{ id: 3, error: { code: RPC_CODES.service, data: { code: 'rate_limited' } } }]);
  release[0]?.('one');
  await settled();
  peer.receive({ jsonrpc: '2.0', id: 4, method: 'm' });
  expect(sent).toHaveLength(2);
  expect(peer.handlingCount).toBe(2);
  peer.close();
});

describe('cancellation', () => {
  const cancel: PeerOptions['cancel'] = {
    encode: (id) => ({ method: 'cancelled', params: { id } }),
    decode: (method, params) => (method === 'cancelled' ? (params as { id: number }).id : undefined),
  };

  test('an aborted request rejects with its reason, tells the other side, and drops the late answer', async () => {
    const faults: string[] = [];
    const seen: unknown[] = [];
    const { a, b } = connectPeers(
      { cancel, onFault: ({ kind }) => faults.push(kind) },
      {
        cancel,
        findHandler:
          () =>
          (_params, { signal }) =>
            new Promise((resolve) =>
              signal.addEventListener('abort', () => {
                seen.push((signal.reason as JsonRpcError).code);
                resolve('late');
              }),
            ),
      },
    );
    const stop = new AbortController();
    const asked = a.request('m', {}, { signal: stop.signal });
    await settled();
    stop.abort(new Error('deadline'));
    await expect(asked).rejects.toThrow('deadline');
    await settled();
    expect(seen).toEqual([RPC_CODES.cancelled]);
    expect(faults).toEqual([]);
    expect([a.pendingCount, b.handlingCount]).toEqual([0, 0]);
  });

  test('a signal that is aborted already sends nothing', async () => {
    const { peer, sent } = alone({ cancel });
    await expect(peer.request('m', {}, { signal: AbortSignal.abort('no') })).rejects.toBe('no');
    expect(sent).toEqual([]);
  });

  test('a signal that aborts after the answer changes nothing', async () => {
    const { peer, sent } = alone({ cancel });
    const stop = new AbortController();
    const asked = peer.request('m', undefined, { signal: stop.signal });
    peer.receive({ jsonrpc: '2.0', id: 1, result: 1 });
    expect(getEventListeners(stop.signal, 'abort'), 'a long-lived signal gathers no listeners').toHaveLength(0);
    stop.abort();
    expect(await asked).toBe(1);
    expect(sent).toHaveLength(1);
  });

  test('a cancellation of an unknown request is not a fault', () => {
    const { peer, faults } = alone({ cancel });
    peer.receive({ jsonrpc: '2.0', method: 'cancelled', params: { id: 77 } });
    expect(faults).toEqual([]);
  });
});

describe('closing', () => {
  test('rejects all pending, aborts all handlers, sends nothing more', async () => {
    const signals: AbortSignal[] = [];
    const { peer, sent } = alone({
      findHandler:
        () =>
        (_params, { signal }) => {
          signals.push(signal);
          return new Promise((resolve) => signal.addEventListener('abort', resolve));
        },
    });
    const asked = [peer.request('m'), peer.request('m')];
    peer.receive({ jsonrpc: '2.0', id: 'x', method: 'm' });
    const count = sent.length;
    const why = new Error('worker died');
    peer.close(why);
    peer.close(new Error('again'));
    for (const request of asked) await expect(request).rejects.toMatchObject({ code: 'peer_closed', cause: why });
    await expect(peer.request('m')).rejects.toBeInstanceOf(PeerClosedError);
    peer.notify('n');
    peer.receive({ jsonrpc: '2.0', id: 'y', method: 'm' });
    await settled();
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    expect(sent).toHaveLength(count);
    expect([peer.closed, peer.pendingCount, peer.handlingCount]).toEqual([true, 0, 0]);
  });

  test('follows a send that throws or rejects', async () => {
    const throwing = alone({
      send: () => {
        throw new Error('EPIPE');
      },
    });
    await expect(throwing.peer.request('m')).rejects.toMatchObject({ code: 'peer_closed' });
    const rejecting = alone({ send: () => Promise.reject(new Error('EPIPE')) });
    await expect(rejecting.peer.request('m')).rejects.toMatchObject({ code: 'peer_closed' });
    expect([throwing.peer.closed, rejecting.peer.closed]).toEqual([true, true]);
  });
});

test('no value that arrives makes a peer throw', () => {
  const member = fc.oneof(fc.constant('2.0'), fc.constant(1), fc.constant('m'), fc.constant({}), fc.constant(null));
  const message = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { jsonrpc: fc.constant('2.0'), id: member, method: member, params: member, result: member, error: member },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(fc.array(message), (messages) => {
      const { peer } = alone({ findHandler: () => () => 1 });
      peer.request('m').catch(() => undefined);
      for (const value of messages) peer.receive(value);
      peer.close();
    }),
  );
});
