// Cents are exact, caps come from whoever set them, and a preapproval covers what it says and nothing else.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Effect } from './action.ts';
import {
  type CapFacts,
  covers,
  decideCap,
  derivedCapUsd,
  formatCapUsd,
  parseCap,
  resumeCapUsd,
  toMicros,
} from './caps.ts';

test.each([
  [0.4, 0.6, '0.60'],
  [0, 0.25, '0.25'],
  [0.1, 0.25, '0.25'],
  [1 / 6, 0.26, '0.26'],
  [0.1667, 0.26, '0.26'],
  [0.34, 0.51, '0.51'],
  [1.1, 1.65, '1.65'],
  [3.333333, 5, '5.00'],
  [1000.01, 1500.02, '1500.02'],
])('an estimate of %d gives a cap of %d', (est, cap, text) => {
  expect(derivedCapUsd(est)).toBe(cap);
  expect(formatCapUsd(cap)).toBe(text);
});

test('a derived cap is the least whole cent at or above one and a half estimates, for every amount of cents', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), (cents) => {
      const cap = Math.round(derivedCapUsd(cents / 100) * 100);
      expect(cap).toBe(Math.max(25, Math.ceil((cents * 3) / 2)));
    }),
  );
});

test('a resume cap doubles and keeps the floor', () => {
  expect([resumeCapUsd(0.6), resumeCapUsd(0.05), resumeCapUsd(1.005)]).toEqual([1.2, 0.25, 2.01]);
});

test('an amount survives its text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000_000 }), (cents) => {
      expect(parseCap(formatCapUsd(cents / 100))).toBe(cents / 100);
    }),
  );
});

test.each([
  ['off', 'off'],
  ['Unlimited', 'off'],
  ['none', 'off'],
  ['$2.50', 2.5],
  ['.5', 0.5],
  ['0', undefined],
  ['0.00', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['', undefined],
  ['five', undefined],
])('a cap flag of %s', (text, expected) => {
  expect(parseCap(text)).toBe(expected);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -0.01, 2e9])('%d is no amount', (usd) => {
  expect(() => toMicros(usd)).toThrow(RangeError);
});

test.each<[string, CapFacts, number | null, string]>([
  ['the flag wins', { flag: 1, preapprovedUsd: 2, estUsd: 0.4, configuredUsd: 3 }, 1, 'user'],
  ['off is uncapped', { flag: 'off', estUsd: 0.4 }, null, 'user'],
  ['then the preapproval', { preapprovedUsd: 2, estUsd: 0.4, configuredUsd: 3 }, 2, 'user'],
  ['then the estimate', { estUsd: 0.4, configuredUsd: 3 }, 0.6, 'derived'],
  ['then the configuration', { estUsd: null, configuredUsd: 3 }, 3, 'user'],
  ['then the default', { estUsd: null }, 5, 'default'],
])('%s', (_name, facts, capUsd, source) => {
  expect(decideCap(facts)).toEqual({ capUsd, source });
});

describe('preapproval', () => {
  test.each<[string, Effect[], number | null | undefined, number | undefined, boolean, boolean]>([
    ['nothing to agree to', [], undefined, undefined, false, true],
    ['paid under the limit', ['paid'], 0.4, 0.5, false, true],
    ['paid at the limit', ['paid'], 0.1 + 0.2, 0.3, false, true],
    ['paid over the limit', ['paid'], 0.51, 0.5, false, false],
    ['paid with no estimate', ['paid'], null, 5, false, false],
    ['paid with an absent estimate', ['paid'], undefined, 5, false, false],
    ['paid without a setting', ['paid'], 0, undefined, true, false],
    ['a negative estimate', ['paid'], -1, 5, false, false],
    ['an install', ['persistent_install'], undefined, undefined, true, true],
    ['an install without a setting', ['persistent_install'], undefined, 5, false, false],
    ['an install that stores a credential', ['persistent_install', 'credentials'], undefined, 5, true, false],
    ['paid and install', ['paid', 'persistent_install'], 1, 5, true, true],
    ['destructive', ['destructive'], 0, 5, true, false],
    ['credentials', ['credentials'], 0, 5, true, false],
    ['paid and egress', ['paid', 'egress'], 0, 5, true, false],
  ])('%s', (_name, consent, est, limit, install, covered) => {
    const preapproval = { persistentInstall: install, ...(limit !== undefined && { paidMaxUsdPerRun: limit }) };
    expect(covers(preapproval, consent, est)).toBe(covered);
  });
});
