#!/usr/bin/env node
// A harness that breaks the protocol, on the raw pipes; the first argument says how. It answers initialize and close.
import { createInterface } from 'node:readline';

const [, , how = 'print'] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const call = ({ session_id, sequence }, id, method, input) =>
  send({ id, method: 'brain/call', params: { session_id, sequence, method, input } });

/** What each does when it is to run. */
const ROGUES = {
  print: () => process.stdout.write('Loading model weights...\n'),
  'unknown-id': () => send({ id: 4711, result: {} }),
  'not-an-object': () => process.stdout.write('[1, 2, 3]\n'),
  'long-line': () => process.stdout.write(`"${'x'.repeat(2 * 1024 * 1024)}"\n`),
  'deep-line': () => process.stdout.write(`{"jsonrpc":"2.0","id":1,"result":${'['.repeat(2000)}${']'.repeat(2000)}}\n`),
  'bad-result': (_, id) => send({ id, result: { result: 1, surprise: true } }),
  silent: () => {},
  exit: () => process.exit(3),
  /** Answers, and then calls in the name of the run that is over. */
  late: (params, id) => {
    send({ id, result: {} });
    setTimeout(() => call(params, 'late', 'emit', { event_type: 'note', data: 'too late' }), 20);
  },
  /** Calls in the name of a session that it does not run. */
  foreign: (params, id) => {
    call({ ...params, session_id: 'ses_00000000000000000000' }, 'foreign', 'emit', { event_type: 'note', data: 1 });
    waiting.set('foreign', ({ error }) => send({ id, result: { result: { code: error?.data?.code ?? null } } }));
  },
  /** Calls methods with input that is wrong in every way, and tells which codes it got. */
  nonsense: (params, id) => {
    const calls = [
      ['no_such_method', {}],
      ['model', { messages: [] }],
      ['model', { messages: 'all' }],
      ['dispatch', [{ call_id: 'a', name: 'none', environment: 'none', input: {} }]],
      ['emit', { event_type: 'turn_ended', data: {} }],
      ['emit', { event_type: 'note' }],
      ['kv_put', { key: 'brain.harness.activation', value: 1 }],
      ['set_transcript', [{ role: 'nobody', content: [] }]],
      ['events', -1],
    ];
    const codes = [];
    for (const [index, [method, input]] of calls.entries()) {
      waiting.set(index, ({ error }) => {
        codes.push(error?.data?.code ?? 'none');
        if (codes.length === calls.length) send({ id, result: { result: codes } });
      });
      call(params, index, method, input);
    }
  },
  /** Emits more than an activation may. */
  flood: (params, id) => {
    let count = 0;
    const next = ({ error }) => {
      count += 1;
      if (error || count > 100) send({ id, result: { result: error?.data ?? null } });
      else {
        waiting.set(count, next);
        call(params, count, 'emit', { event_type: 'note', data: 'x'.repeat(100_000) });
      }
    };
    next({});
  },
};

const waiting = new Map();

createInterface({ input: process.stdin })
  .on('line', (text) => {
    const { id, method, params, ...answer } = JSON.parse(text);
    if (method === 'initialize') initialize(id);
    else if (method === 'run') ROGUES[how]?.(params, id);
    else if (method) send({ id, result: {} });
    else waiting.get(id)?.(answer);
  })
  .on('close', () => process.exit(0));

function initialize(id) {
  if (how === 'deaf') return;
  const harness = { name: `rogue-${how}`, version: '1' };
  const result = { protocol: 'brain/harness/v1', harness, state_version: 1 };
  if (how === 'bad-schema') send({ id, result: { ...result, configuration_schema: { type: 'strnig' } } });
  else if (how === 'other-protocol')
    send({ id, result: { protocol: 'brain/harness/v2', harness: {}, state_version: 1 } });
  else send({ id, result });
}
