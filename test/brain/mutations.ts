// Planted bugs: changes of one line of the server, each of which the simulation must catch. Applied while the file is
// loaded; a change that no longer applies fails the test, so the list stays true.

/** One planted bug. */
export interface Mutation {
  name: string;
  /** Where to begin: near a seed that catches it, so that rare ones take no time. Default 0. */
  seed?: number;
  /** End of the file's path. */
  file: string;
  /** Stands there exactly once. */
  from: string;
  to: string;
}

const SESSION = 'packages/brain/src/session/';
const EFFECTS = 'packages/brain/src/effects/';
const JOURNAL = 'packages/brain/src/journal/';
const WORKERS = 'packages/brain/src/workers/';

/** The planted bugs. */
export const MUTATIONS: Mutation[] = [
  {
    name: 'an activation is entered without its marker',
    file: `${SESSION}command.ts`,
    from: `draft('kv_set', { key: ACTIVATION_MARKER, value: {`,
    to: `draft('kv_set', { key: 'not.the.marker', value: {`,
  },
  {
    name: 'a failed run takes its marker away',
    file: `${SESSION}command.ts`,
    from: `return turn.activation ? [draft('activation_failed', failure), failed] : [failed];`,
    to: `const gone = draft('kv_delete', { key: ACTIVATION_MARKER });
    return turn.activation ? [gone, draft('activation_failed', failure), failed] : [failed];`,
  },
  {
    name: 'a cancelled turn ends well when its run did',
    seed: 172,
    file: `${SESSION}command.ts`,
    from: 'turn.cancel ? cancelFailure(turn.cancel) : outcome.ok ? undefined : outcome.failure',
    to: 'outcome.ok ? undefined : outcome.failure',
  },
  {
    name: 'a cancel is recorded each time it is asked',
    seed: 76,
    file: `${SESSION}command.ts`,
    from: 'if (!state.turn || state.turn.cancel) return [];',
    to: 'if (!state.turn) return [];',
  },
  {
    name: 'a session takes a turn inside a turn',
    file: `${SESSION}command.ts`,
    from: `if (state.status === 'creating' || state.status === 'running') {`,
    to: `if (state.status === 'running') return;\n  if (state.status === 'creating') {`,
  },
  {
    name: 'a marker stops nobody',
    file: `${SESSION}command.ts`,
    from: 'if (!marker) return;',
    to: 'if (marker || !marker) return;',
  },
  {
    name: 'a loop may write reserved keys',
    file: `${SESSION}command.ts`,
    from: 'if (key.startsWith(RESERVED_KV_PREFIX)) throw',
    to: 'if (key === RESERVED_KV_PREFIX) throw',
  },
  {
    name: 'a loop may emit kernel kinds',
    file: `${SESSION}command.ts`,
    from: `if (!allowed) throw`,
    to: `if (kind === '') throw`,
  },
  {
    name: 'the emit budget counts only the last event',
    file: `${SESSION}command.ts`,
    from: 'const used = state.turn?.activation?.emittedBytes ?? 0;',
    to: 'const used = 0;',
  },
  {
    name: 'a transcript keeps one message too few',
    file: `${SESSION}command.ts`,
    from: `return [draft('transcript_delta', { keep, append: messages.slice(keep) })];`,
    to: `return [draft('transcript_delta', { keep: Math.max(0, keep - 1), append: messages.slice(keep) })];`,
  },
  {
    name: 'the model budget allows one call too many',
    file: `${SESSION}decide-model.ts`,
    from: 'used >= limits.maxModelCalls',
    to: 'used > limits.maxModelCalls',
  },
  {
    name: 'a model call is stored against the wrong messages',
    file: `${SESSION}decide-model.ts`,
    from: 'delta: { keep: last, append: messages.slice(last) }',
    to: 'delta: { keep: last, append: messages.slice(last + 1) }',
  },
  {
    name: 'a call_id may repeat in a batch',
    file: `${SESSION}decide-tool.ts`,
    from: 'if (ids.size < batch.length) throw',
    to: 'if (ids.size > batch.length) throw',
  },
  {
    name: 'tool input is not checked',
    seed: 67,
    file: `${SESSION}decide-tool.ts`,
    from: `return fault === undefined ? undefined : outcomeError('invalid_input', fault);`,
    to: `return fault === undefined ? undefined : undefined;`,
  },
  {
    name: 'a tool call ends twice',
    seed: 65,
    file: `${SESSION}decide-tool.ts`,
    from: `if (state.open.get(sequence)?.type !== 'tool') return [];`,
    to: '',
  },
  {
    name: 'recovery forgets model calls',
    file: `${JOURNAL}recover.ts`,
    from: `return [draft('model_call_failed', unknown)];`,
    to: 'return [];',
  },
  {
    name: 'recovery tells a tool as cancelled',
    file: `${JOURNAL}recover.ts`,
    from: `outcome: { status: 'unknown', message: LOST }`,
    to: `outcome: { status: 'cancelled' }`,
  },
  {
    name: 'recovery leaves the turn open',
    file: `${JOURNAL}recover.ts`,
    from: 'if (!turn) return [];',
    to: 'if (turn || !turn) return [];',
  },
  {
    name: 'recovery takes the marker away',
    file: `${JOURNAL}recover.ts`,
    from: `return turn.activation ? [draft('activation_failed', stopped), failed] : [failed];`,
    to: `const gone = draft('kv_delete', { key: 'brain.harness.activation' });
  return turn.activation ? [gone, draft('activation_failed', stopped), failed] : [failed];`,
  },
  {
    name: 'a session with open effects counts as at rest',
    seed: 200,
    file: `${SESSION}state.ts`,
    from: 'return state.open.size === 0 && (',
    to: 'return (',
  },
  {
    name: 'a failed model call stays open',
    file: `${SESSION}fold.ts`,
    from: 'model_call_failed: (state, { sequence }) => close(state, sequence),',
    to: 'model_call_failed: () => {},',
  },
  {
    name: 'a turn that failed never closes',
    file: `${SESSION}fold.ts`,
    from: `if (code === 'interrupted') state.automaticPaused = true;\n    closeTurn(state);`,
    to: `if (code === 'interrupted') state.automaticPaused = true;`,
  },
  {
    name: 'seen events are told again and again',
    seed: 49,
    file: `${SESSION}fold.ts`,
    from: 'state.observations = state.observations.filter((sequence) => sequence > state.eventsThrough);',
    to: '',
  },
  {
    name: 'an append counts as durable before the disk has it',
    file: `${SESSION}live.ts`,
    from: 'return { records, lastSequence, durable };',
    to: 'return { records, lastSequence, durable: Promise.resolve() };',
  },
  {
    name: 'recorded time follows a clock that is set back',
    file: `${SESSION}live.ts`,
    from: 'Math.max(this.#clock.nowMs(), this.state.lastRecordedAtMs)',
    to: 'this.#clock.nowMs()',
  },
  {
    name: 'secrets are recorded',
    file: `${SESSION}live.ts`,
    from: 'const payload = this.#scrubber.scrubJson(text);',
    to: 'const payload = text;',
  },
  {
    name: 'a run is sent before its activation is durable',
    file: `${SESSION}turns.ts`,
    from: 'await activated.durable;',
    to: '',
  },
  {
    name: 'an activation keeps its authority when its run is over',
    seed: 98,
    file: `${SESSION}turns.ts`,
    from: `reach('after_reply_before_record', 'run');\n    activation.close();`,
    to: `reach('after_reply_before_record', 'run');`,
  },
  {
    name: 'any worker may speak for any activation',
    seed: 32,
    file: `${SESSION}turns.ts`,
    from: 'run?.activation?.sequence === sequence && run.worker === worker',
    to: 'run?.activation?.sequence === sequence',
  },
  {
    name: 'a turn is settled while its callbacks are still at work',
    file: `${SESSION}turns.ts`,
    from: 'if (!outcome.lost) await activation.drain();',
    to: '',
  },
  {
    name: 'a slot is never given back',
    file: `${SESSION}turns.ts`,
    from: 'run.permit?.release();',
    to: '',
  },
  {
    name: 'a fatal error is left to the loop',
    file: `${SESSION}turns.ts`,
    from: 'const stopped = activation.stopped;',
    to: 'const stopped = undefined as typeof activation.stopped;',
  },
  {
    name: 'a worker takes one run too many',
    seed: 201,
    file: `${WORKERS}worker.ts`,
    from: 'return this.active < this.registration.maxConcurrency ? this.#grant() : undefined;',
    to: 'return this.active <= this.registration.maxConcurrency ? this.#grant() : undefined;',
  },
  {
    name: 'who waits for a worker that died waits for ever',
    seed: 387,
    file: `${WORKERS}worker.ts`,
    from: `this.status = 'dead';\n    this.#rejectQueue();`,
    to: `this.status = 'dead';\n    this.#queue = [];`,
  },
  {
    name: 'a model is asked before the intent is durable',
    file: `${EFFECTS}model.ts`,
    from: 'await started.durable;',
    to: '',
  },
  {
    name: 'a loop hears a model before its answer is durable',
    file: `${EFFECTS}model.ts`,
    from: 'const [record] = await session.commit(decideModelEnd(session.state, sequence, outcome));',
    to: 'const [record] = session.append(decideModelEnd(session.state, sequence, outcome), { barrier: true }).records;',
  },
  {
    name: 'a lost model answer is told as a certain failure',
    seed: 37,
    file: `${EFFECTS}model.ts`,
    from: `is unknown: \${error.message}.\`, { ambiguous: true });`,
    to: `is unknown: \${error.message}.\`, { ambiguous: false });`,
  },
  {
    name: 'a tool is called before the intent is durable',
    file: `${EFFECTS}tool.ts`,
    from: `await durable;\n    reach('after_sync_before_send', 'tool');`,
    to: `reach('after_sync_before_send', 'tool');`,
  },
  {
    name: 'a loop hears a tool before its result is durable',
    file: `${EFFECTS}tool.ts`,
    from: 'await durable;\n    if (!tool) running',
    to: 'void durable;\n    if (!tool) running',
  },
  {
    name: 'a host is given its commands again when it reconnects',
    seed: 795,
    file: `${EFFECTS}hosts.ts`,
    from: 'of host.queue.splice(0)) this.#deliver',
    to: 'of [...host.queue]) this.#deliver',
  },
  {
    name: 'a full disk drops what it did not take',
    file: `${JOURNAL}queue.ts`,
    from: 'this.#ports.timer(QUEUE_TIMES.retryMs, () => this.#commit());',
    to: 'for (const entry of this.#running.splice(0)) entry.resolve();',
  },
  {
    name: 'who waits is told before the commit',
    file: `${JOURNAL}queue.ts`,
    from: 'this.#ports.commit(batches).then((result) => {',
    to: 'for (const entry of this.#running) entry.resolve();\n    this.#ports.commit(batches).then((result) => {',
  },
  {
    name: 'a known key is worked on again',
    seed: 69,
    file: 'packages/brain/src/http/idempotency.ts',
    from: 'if (known.answer) return known.answer;\n      throw',
    to: 'if (known.answer === undefined) throw',
  },
];
