// A plan's hash does not depend on any order, and depends on every part.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Effect } from './action.ts';
import { decidePlanMismatch, isPlanHash, type PlanSelection, planHash } from './plan-hash.ts';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

const record = fc.record({
  id: fc.string({ maxLength: 4 }),
  revision: fc.option(fc.string({ maxLength: 4 })),
  source_incarnation: fc.option(fc.string({ maxLength: 4 })),
});
const effect = fc.constantFrom<Effect>('paid', 'destructive', 'credentials', 'egress', 'persistent_install');
const selection: fc.Arbitrary<PlanSelection> = fc.record({
  brain: fc.string({ maxLength: 4 }),
  source: fc.option(fc.string({ maxLength: 4 })),
  operation: fc.string({ maxLength: 4 }),
  records: fc.array(record, { maxLength: 5 }),
  parameters: fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 })),
  effects: fc.array(effect, { maxLength: 4 }),
});

test('order and repeated effects are no part of it', () => {
  fc.assert(
    fc.property(selection, (plan) => {
      const other: PlanSelection = {
        effects: [...plan.effects, ...plan.effects].reverse(),
        parameters: Object.fromEntries(Object.entries(plan.parameters).reverse()),
        records: [...plan.records].reverse(),
        operation: plan.operation,
        source: plan.source,
        brain: plan.brain,
      };
      expect(planHash(other, sha256)).toBe(planHash(plan, sha256));
      expect(isPlanHash(planHash(plan, sha256))).toBe(true);
    }),
  );
});

test('every part is', () => {
  const plan: PlanSelection = {
    brain: 'host',
    source: 'default',
    operation: 'purge',
    records: [{ id: 'a', revision: 'r1', source_incarnation: 'i' }],
    parameters: { keep: 3 },
    effects: ['destructive'],
  };
  const changed: Partial<PlanSelection>[] = [
    { brain: 'work' },
    { source: null },
    { operation: 'reinit' },
    { records: [] },
    { records: [{ id: 'a', revision: 'r2', source_incarnation: 'i' }] },
    { records: [{ id: 'a', revision: 'r1', source_incarnation: null }] },
    { records: [...plan.records, ...plan.records] },
    { parameters: { keep: 4 } },
    { effects: ['destructive', 'paid'] },
  ];
  const hashes = [plan, ...changed.map((change) => ({ ...plan, ...change }))].map((one) => planHash(one, sha256));
  expect(new Set(hashes).size).toBe(hashes.length);
  // A literal, so that approvals stored by one version are read by the next.
  expect(hashes[0]).toBe('ph_22574a3d12b893f6e685f1e8');
});

test('a broken hash function is not believed', () => {
  const plan: PlanSelection = { brain: '', source: null, operation: '', records: [], parameters: {}, effects: [] };
  expect(() => planHash(plan, () => 'abc')).toThrow(TypeError);
});

test.each([
  [undefined, 'ph_a', 'missing'],
  ['', 'ph_a', 'missing'],
  ['ph_b', 'ph_a', 'changed'],
  ['ph_a', 'ph_a', undefined],
])('approved %s against %s is %s', (expected, current, mismatch) => {
  expect(decidePlanMismatch(expected, current)).toBe(mismatch);
});
