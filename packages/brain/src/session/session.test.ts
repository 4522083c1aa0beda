// The laws of the pure core: what is decided folds, what was folded from disk is the same, and recovery brings rest.
import type { Message } from '@gbrain/brain-protocol/message';
import { RECORD_PAYLOADS } from '@gbrain/brain-protocol/record';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromStored, toStored } from '../journal/record.ts';
import { decideRecovery } from '../journal/recover.ts';
import { checkSchema } from './check-schema.ts';
import * as command from './command.ts';
import { decideModelEnd, decideModelFail, decideModelStart } from './decide-model.ts';
import { decideDispatch, decideToolEnd, decideToolUpdate } from './decide-tool.ts';
import { applyRecord, foldRecords } from './fold.ts';
import { Refusal } from './refusal.ts';
import {
  type Draft,
  emptyState,
  findMarker,
  isAtRest,
  openTools,
  type SessionRecord,
  type SessionState,
} from './state.ts';

const SESSION = 'ses_00000000000000000001';
const text = (words: string): Message => ({ role: 'user', content: [{ type: 'text', text: words }] });
const tool = { name: 'add', description: '', input_schema: {}, placements: { laptop: {} } };
const laptop = { name: 'laptop', driver: 'host' as const, host_id: 'host_00000000000000000000' };
const configuration = {
  agentloop: { name: 'loop' },
  model: { provider: 'openai', name: 'm' },
  system: 'Be kind.',
  tools: [tool],
  environments: [laptop],
};

/** A session in memory with every record that it has. */
class Bench {
  state: SessionState = emptyState(SESSION);
  records: SessionRecord[] = [];

  constructor() {
    this.add(command.decideCreate(configuration, []));
    this.add(command.decideCreated(this.state));
  }

  add(drafts: Draft[]): number {
    for (const draft of drafts) {
      const record = { ...draft, sequence: this.state.lastSequence + 1, recordedAtMs: 1000 };
      if (draft.kind in RECORD_PAYLOADS) {
        RECORD_PAYLOADS[draft.kind as keyof typeof RECORD_PAYLOADS].parse(draft.payload);
      }
      applyRecord(this.state, record);
      this.records.push(record);
    }
    return this.state.lastSequence;
  }

  run(): void {
    this.add(command.decideTurn(this.state, { message: 'hi' }));
    this.add(command.decideActivation(this.state));
  }
}

/** One wish, decided against whatever state there is; a refusal is a fine answer. */
const wishes: Record<string, (bench: Bench, n: number) => Draft[]> = {
  turn: ({ state }) => command.decideTurn(state, { message: 'hi' }),
  event_turn: ({ state }) => (command.wantsEventTurn(state) ? command.decideTurn(state, undefined) : []),
  activate: ({ state }) => (state.turn && !state.turn.activation ? command.decideActivation(state) : []),
  cancel: ({ state }) => command.decideCancel(state, 'cancelled'),
  settle: ({ state }) => (state.turn?.activation ? command.decideSettle(state, { ok: true }, state.lastSequence) : []),
  fail: ({ state }) => {
    const failed = { ok: false as const, failure: command.failure('agentloop_failed', 'no') };
    return state.turn ? command.decideSettle(state, failed, 0) : [];
  },
  transcript: ({ state }, n) => command.decideTranscript(state, [...state.transcript.slice(0, n), text(`m${n}`)]),
  kv: ({ state }, n) => command.decideKvPut(state, `k${n % 3}`, n),
  kv_delete: ({ state }, n) => command.decideKvDelete(state, `k${n % 3}`),
  model: ({ state }, n) => {
    const messages = [...state.transcript.slice(0, n), text(`q${n}`)];
    return state.turn?.activation
      ? decideModelStart(state, { messages, system: `s${n % 2}` }, { maxModelCalls: 8 })
      : [];
  },
  model_end: ({ state }) => endModel(state, true),
  model_fail: ({ state }) => endModel(state, false),
  dispatch: ({ state }, n) => {
    const batch = [{ call_id: `c${n}`, name: 'add', environment: 'laptop', input: n }];
    return state.turn?.activation ? decideDispatch(state, batch, checkSchema, undefined).drafts : [];
  },
  returned: ({ state }) => update(state, { type: 'returned', outcome: { status: 'ok', value: 1 } }),
  finish: ({ state }) => update(state, { type: 'finish', outcome: { status: 'ok', value: 2 } }),
  lose: ({ state }) => {
    const [open] = openTools(state);
    return open ? decideToolEnd(state, open.sequence, { status: 'unknown', message: 'lost' }) : [];
  },
  emit: ({ state }, n) => {
    const sequence = state.turn?.activation?.sequence;
    return sequence
      ? command.decideEmit(state, { event_type: 'note', data: n }, { kind: 'agentloop', sequence }, 1000)
      : [];
  },
  end: ({ state }) => command.decideEnd(state),
};

function endModel(state: SessionState, ok: boolean): Draft[] {
  const open = [...state.open.values()].find((effect) => effect.type === 'model');
  if (!open) return [];
  if (!ok) return decideModelFail(state, open.sequence, command.failure('unknown', 'lost', { ambiguous: true }));
  const message: Message = { role: 'assistant', content: [{ type: 'text', text: 'a' }] };
  return decideModelEnd(state, open.sequence, { message, stop_reason: 'end_turn', usage: {} });
}

function update(state: SessionState, one: Parameters<typeof decideToolUpdate>[2]): Draft[] {
  const [open] = openTools(state);
  return open ? decideToolUpdate(state, open.sequence, one, checkSchema) : [];
}

function snapshot(state: SessionState): unknown {
  return structuredClone(state);
}

/** Makes a wish; gives what it decided, and proves that deciding changed nothing. */
function wish(bench: Bench, name: string, n: number): Draft[] {
  const before = snapshot(bench.state);
  let drafts: Draft[] = [];
  try {
    drafts = wishes[name]?.(bench, n) ?? [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  expect(snapshot(bench.state)).toEqual(before);
  bench.add(drafts);
  return drafts;
}

const plans = fc.array(fc.tuple(fc.constantFrom(...Object.keys(wishes)), fc.nat(5)), { maxLength: 60 });

describe('whatever is wished', () => {
  it('folds back from its stored text to the same state', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const bench = new Bench();
        for (const [name, n] of plan) wish(bench, name, n);
        const stored = bench.records.map((record) => fromStored(toStored(record)));
        expect(foldRecords(SESSION, stored)).toEqual(bench.state);
      }),
      { numRuns: 300 },
    );
  });

  it('is brought to rest by recovery at any point, each open effect exactly once', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const bench = new Bench();
        for (const [name, n] of plan) wish(bench, name, n);
        const open = [...bench.state.open.keys()];
        const entered = bench.state.turn?.activation !== undefined;
        const marked = findMarker(bench.state);
        const repair = decideRecovery(bench.state);
        bench.add(repair);
        expect(isAtRest(bench.state)).toBe(true);
        expect(decideRecovery(bench.state)).toEqual([]);
        const ended = repair.flatMap(({ payload }) => (payload as { sequence?: number }).sequence ?? []);
        expect(ended.sort()).toEqual(open.sort());
        expect(findMarker(bench.state)).toEqual(marked);
        if (entered) expect(() => command.refuseUnlessIdle(bench.state)).toThrow();
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the marker exactly while an activation has not succeeded', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const bench = new Bench();
        let unresolved = false;
        for (const [name, n] of plan) {
          for (const { kind } of wish(bench, name, n)) {
            if (kind === 'activation_started') unresolved = true;
            if (kind === 'activation_ended') unresolved = false;
          }
          expect(findMarker(bench.state) !== undefined).toBe(unresolved);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('model contexts', () => {
  const steps = fc.array(
    fc.record({
      save: fc.boolean(),
      keep: fc.nat(8),
      words: fc.array(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 12 },
  );

  it('rebuild the exact request from the differences', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const bench = new Bench();
        bench.run();
        for (const { save, keep, words } of list) {
          const base = save ? bench.state.transcript : (bench.state.model?.messages ?? []);
          const messages = [...base.slice(0, keep), ...words.map(text)];
          if (save) bench.add(command.decideTranscript(bench.state, messages));
          bench.add(decideModelStart(bench.state, { messages }, { maxModelCalls: 0 }));
          expect(bench.state.model?.messages).toEqual(messages);
          bench.add(endModel(bench.state, true));
        }
      }),
    );
  });

  it('grow with what is new, not with what was said before, whether or not the loop saves its transcript', () => {
    for (const saves of [true, false]) {
      const bench = new Bench();
      bench.run();
      const messages: Message[] = [];
      const tools = [{ name: 'add', description: 'x'.repeat(500), input_schema: {}, output_schema: {} }];
      for (let turn = 0; turn < 100; turn += 1) {
        messages.push(text(`question ${turn} ${'x'.repeat(200)}`));
        if (saves) bench.add(command.decideTranscript(bench.state, messages));
        bench.add(decideModelStart(bench.state, { messages, tools, system: 'y'.repeat(500) }, { maxModelCalls: 0 }));
        bench.add(endModel(bench.state, true));
      }
      const bytes = JSON.stringify(bench.records).length;
      expect(bytes).toBeLessThan(6 * JSON.stringify(messages).length);
    }
  });
});

describe('decisions', () => {
  it('refuse a call beyond the budget, and count the calls of a turn', () => {
    const bench = new Bench();
    bench.run();
    for (let call = 0; call < 2; call += 1) {
      bench.add(decideModelStart(bench.state, { messages: [text('q')] }, { maxModelCalls: 2 }));
      bench.add(endModel(bench.state, true));
    }
    const third = () => decideModelStart(bench.state, { messages: [text('q')] }, { maxModelCalls: 2 });
    expect(third).toThrow(expect.objectContaining({ code: 'model_call_limit', fatal: true }));
  });

  it('refuse kernel events, reserved keys and too many bytes', () => {
    const bench = new Bench();
    bench.run();
    const origin = { kind: 'agentloop' as const, sequence: 4 };
    const emit = (event_type: string, data: string) =>
      command.decideEmit(bench.state, { event_type, data }, origin, 100);
    expect(() => emit('turn_ended', '')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(emit('output_emitted', '')).toHaveLength(1);
    bench.add(emit('note', 'x'.repeat(90)));
    expect(() => emit('note', 'x'.repeat(20))).toThrow(expect.objectContaining({ code: 'emit_limit', fatal: true }));
    expect(() => command.decideKvPut(bench.state, 'brain.harness.activation', null)).toThrow();
  });

  it('admit a batch whole or not at all, and bad input as the outcome of its call', () => {
    const bench = new Bench();
    bench.run();
    const one = { call_id: 'a', name: 'add', environment: 'laptop', input: 1 };
    const decide =
      (...batch: (typeof one)[]) =>
      () =>
        decideDispatch(bench.state, batch, checkSchema, undefined);
    expect(decide(one, one)).toThrow(/twice/);
    expect(decide(one, { ...one, call_id: 'b', name: 'none' })).toThrow(/no tool/);
    expect(decide(one, { ...one, call_id: 'b', environment: 'moon' })).toThrow(/no placement/);
    expect(decide({ ...one, environment_sequence: 7 } as typeof one)).toThrow(/incarnation/);
    const { drafts, calls } = decideDispatch(bench.state, [one], () => 'no', undefined);
    expect(drafts.map((draft) => draft.kind)).toEqual(['tool_call_started', 'tool_call_ended']);
    expect(calls[0]?.refused).toMatchObject({ error: { code: 'invalid_input' } });
  });

  it('wake the loop for what a background tool reports, and for nothing that it was told already', () => {
    const bench = new Bench();
    bench.run();
    bench.add(wishes.dispatch!(bench, 1));
    bench.add(wishes.returned!(bench, 1));
    bench.add(command.decideSettle(bench.state, { ok: true }, bench.state.lastSequence));
    expect(command.wantsEventTurn(bench.state)).toBe(false);
    const last = bench.add(wishes.finish!(bench, 1));
    expect(bench.state.observations).toEqual([last - 1, last]);
    expect(command.wantsEventTurn(bench.state)).toBe(true);
    bench.add(command.decideTurn(bench.state, undefined));
    bench.add(command.decideActivation(bench.state));
    bench.add(command.decideSettle(bench.state, { ok: true }, last));
    expect(command.wantsEventTurn(bench.state)).toBe(false);
  });
});
