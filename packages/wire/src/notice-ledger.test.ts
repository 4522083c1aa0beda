// Mute, dedupe and budget, in that order, on every transport.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NOTICE_KINDS, type Notice, type NoticeKind } from './notice.ts';
import {
  admitNotices,
  COACHING_MAX,
  EMPTY_LEDGER,
  hasGrown,
  isMuteable,
  type LedgerPolicy,
  type LedgerState,
  PER_CALL_CODES,
} from './notice-ledger.ts';

const note = (code: string, kind: NoticeKind, more: Partial<Notice> = {}): Notice => ({ code, kind, why: '', ...more });
const policy = (transport: LedgerPolicy['transport'], muted: string[] = []): LedgerPolicy => ({
  transport,
  muted: new Set(muted),
});

/** The codes shown on each of several calls. */
function play(calls: readonly Notice[][], on: LedgerPolicy): string[][] {
  let state: LedgerState = EMPTY_LEDGER;
  return calls.map((notices) => {
    const result = admitNotices(state, notices, on);
    state = result.state;
    return result.admitted.map(({ code }) => code);
  });
}

describe('dedupe', () => {
  const safety = note('post_upgrade', 'safety');
  const degraded = note('no_worker', 'degraded');
  const info = note('surface_env_invalid', 'info');

  test.each(['cli', 'stdio'] as const)('on %s every code shows once a process', (transport) => {
    expect(
      play(
        [
          [safety, degraded, info],
          [safety, degraded, info, info],
        ],
        policy(transport),
      ),
    ).toEqual([['post_upgrade', 'no_worker', 'surface_env_invalid'], []]);
  });

  test('over HTTP what is degraded or unsafe rides every call', () => {
    expect(
      play(
        [
          [safety, degraded, info],
          [safety, degraded, info],
        ],
        policy('http'),
      ),
    ).toEqual([
      ['post_upgrade', 'no_worker', 'surface_env_invalid'],
      ['post_upgrade', 'no_worker'],
    ]);
  });

  test.each(['cli', 'stdio', 'http'] as const)('on %s a notice about one call shows on every call', (transport) => {
    for (const code of PER_CALL_CODES) {
      const one = note(code, 'info');
      expect(play([[one, one], [one]], policy(transport))).toEqual([[code, code], [code]]);
    }
    const marked = note('param_clamped', 'info', { per_call: true });
    expect(play([[marked], [marked]], policy(transport))).toEqual([['param_clamped'], ['param_clamped']]);
  });
});

describe('a degraded recall', () => {
  const config = note('degraded_recall', 'degraded', { config_only: true });
  const transient = note('degraded_recall', 'degraded');

  test('that the configuration alone causes shows once on stdio and the CLI, and always over HTTP', () => {
    for (const transport of ['cli', 'stdio'] as const) {
      expect(play([[config], [config]], policy(transport))).toEqual([['degraded_recall'], []]);
    }
    expect(play([[config], [config]], policy('http'))).toEqual([['degraded_recall'], ['degraded_recall']]);
  });

  test('that fails, recovers and fails again shows twice', () => {
    expect(play([[transient], [], [transient]], policy('stdio'))).toEqual([
      ['degraded_recall'],
      [],
      ['degraded_recall'],
    ]);
  });

  test('that is transient does not stand for the lasting one, nor the other way round', () => {
    expect(play([[transient], [config], [transient], [config]], policy('stdio'))).toEqual([
      ['degraded_recall'],
      ['degraded_recall'],
      ['degraded_recall'],
      [],
    ]);
  });
});

describe('coaching', () => {
  const coach = (code: string): Notice => note(code, 'coaching');

  test('stops after two, whatever the kind of the others', () => {
    const calls = [[coach('a'), note('x', 'info')], [coach('b')], [coach('c'), note('y', 'info')]];
    for (const transport of ['cli', 'stdio', 'http'] as const) {
      expect(play(calls, policy(transport))).toEqual([['a', 'x'], ['b'], ['y']]);
    }
  });

  test('that is muted or repeated uses no budget', () => {
    const calls = [
      [coach('m'), coach('a'), coach('a')],
      [coach('m'), coach('a'), coach('b')],
    ];
    expect(play(calls, policy('stdio', ['m']))).toEqual([['a'], ['b']]);
  });

  test('says why it was kept back', () => {
    const notices = ['m', 'a', 'a', 'b', 'c'].map(coach);
    const { dropped } = admitNotices(EMPTY_LEDGER, notices, policy('stdio', ['m']));
    expect(dropped.map(({ notice, reason }) => [notice.code, reason])).toEqual([
      ['m', 'muted'],
      ['a', 'repeated'],
      ['c', 'budget'],
    ]);
  });
});

describe('muting', () => {
  test.each<[string, NoticeKind, boolean]>([
    ['a', 'coaching', true],
    ['a', 'info', true],
    ['first_run_decisions', 'ask', true],
    ['a', 'ask', false],
    ['a', 'degraded', false],
    ['a', 'safety', false],
    ['first_run_decisions', 'safety', false],
  ])('%s of kind %s: %s', (code, kind, muteable) => {
    expect(isMuteable(code, kind)).toBe(muteable);
    expect(play([[note(code, kind)]], policy('stdio', [code]))).toEqual([muteable ? [] : [code]]);
  });

  test('that ends shows the notice again', () => {
    const first = admitNotices(EMPTY_LEDGER, [note('a', 'info')], policy('stdio', ['a']));
    expect(admitNotices(first.state, [note('a', 'info')], policy('stdio')).admitted).toHaveLength(1);
  });
});

describe('coverage', () => {
  test.each([
    ['the first time', undefined, { 'holds:a': 3 }, true],
    ['nothing hidden', undefined, { 'holds:a': 0 }, false],
    ['the same', { 'holds:a': 3 }, { 'holds:a': 3 }, false],
    ['one more of few', { 'holds:a': 3 }, { 'holds:a': 4 }, true],
    ['less than a tenth more', { 'holds:a': 100 }, { 'holds:a': 109 }, false],
    ['a tenth more', { 'holds:a': 100 }, { 'holds:a': 110 }, true],
    ['fewer', { 'holds:a': 5 }, { 'holds:a': 2 }, false],
    ['a new source', { 'holds:a': 5 }, { 'holds:a': 5, 'holds:b': 1 }, true],
    ['a new kind', { 'holds:a': 5 }, { 'pending:a': 1 }, true],
    ['a count that could not be read', { 'holds:a': 5 }, { 'holds:a': null }, true],
    ['a count that can be read again', { 'holds:a': null }, { 'holds:a': 1 }, true],
  ])('%s', (_name, before, now, grown) => {
    expect(hasGrown(before, now)).toBe(grown);
  });

  test('is said once a state, on HTTP too, and again when it comes back', () => {
    const held = (count: number): Notice => note('held_files', 'degraded', { coverage: { 'holds:a': count } });
    for (const transport of ['cli', 'stdio', 'http'] as const) {
      const shown = play([[held(5)], [held(5)], [held(6)], [held(1)], [held(6)]], policy(transport));
      expect(shown.map(({ length }) => length)).toEqual([1, 0, 1, 0, 1]);
    }
  });

  test('creeping growth is measured from what was shown', () => {
    const held = (count: number): Notice => note('held_files', 'degraded', { coverage: { 'holds:a': count } });
    const counts = Array.from({ length: 12 }, (_, step) => 100 + step);
    const shown = play(
      counts.map((count) => [held(count)]),
      policy('stdio'),
    );
    expect(shown.map(({ length }) => length)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
  });
});

const anyNotice: fc.Arbitrary<Notice> = fc.record(
  {
    code: fc.constantFrom('a', 'b', 'c', 'degraded_recall', 'first_run_decisions'),
    kind: fc.constantFrom(...NOTICE_KINDS),
    why: fc.constant(''),
    config_only: fc.boolean(),
  },
  { requiredKeys: ['code', 'kind', 'why'] },
);

test('the laws of the fold', () => {
  const calls = fc.array(fc.array(anyNotice, { maxLength: 5 }), { maxLength: 8 });
  const on = fc.constantFrom('cli' as const, 'stdio' as const, 'http' as const);
  const muted = fc.subarray(['a', 'b', 'c', 'degraded_recall', 'first_run_decisions']);
  fc.assert(
    fc.property(calls, on, muted, (list, transport, codes) => {
      const reader = policy(transport, codes);
      let state: LedgerState = EMPTY_LEDGER;
      const shown: Notice[] = [];
      for (const notices of list) {
        const frozen = JSON.stringify(state);
        const result = admitNotices(state, notices, reader);
        expect(JSON.stringify(state), 'the state that was given is not changed').toBe(frozen);
        expect(result.admitted.length + result.dropped.length).toBe(notices.length);
        expect(notices.filter((one) => result.admitted.includes(one))).toEqual(result.admitted);
        // The state is plain data: a copy of it goes on alike.
        const copied = admitNotices(JSON.parse(frozen) as LedgerState, notices, reader);
        expect(copied).toEqual(result);
        state = result.state;
        shown.push(...result.admitted);
      }
      expect(shown.filter(({ kind }) => kind === 'coaching').length).toBeLessThanOrEqual(
        COACHING_MAX + shown.filter(({ code, kind }) => kind === 'coaching' && code === 'degraded_recall').length,
      );
      expect(shown.some(({ code, kind }) => codes.includes(code) && isMuteable(code, kind))).toBe(false);
      if (transport !== 'http') {
        const once = shown.filter(({ code }) => code !== 'degraded_recall').map(({ code }) => code);
        expect(new Set(once).size).toBe(once.length);
      }
    }),
  );
});
