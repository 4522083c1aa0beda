// The plan frees the lock first, and only where that is needed.
import { expect, test } from 'vitest';
import type { Action } from './action.ts';
import { withOwnerStopped } from './exclusive-plan.ts';

const REPAIR: Action = {
  argv: ['gbrain', 'doctor', '--remediate'],
  consent: ['paid'],
  actor: 'agent',
  why: 'It repairs.',
  verify: { argv: ['gbrain', 'doctor', '--json'] },
  requires_exclusive: true,
};
const OWNER = { pid: 48213, description: 'another agent session' };

test('the user stops the owner, then the step runs with its own check', () => {
  const plan = withOwnerStopped(REPAIR, OWNER);
  expect(plan).toMatchObject({ argv: ['kill', '48213'], actor: 'user', consent: [], requires_exclusive: false });
  expect(plan.user_message).toContain('48213');
  expect(plan.verify).toBeUndefined();
  expect(plan.then).toBe(REPAIR);
});

test('a step that needs no lock, and one without an owner, stay as they are', () => {
  const free = { ...REPAIR, requires_exclusive: false };
  expect(withOwnerStopped(free, OWNER)).toBe(free);
  expect(withOwnerStopped(REPAIR, undefined)).toBe(REPAIR);
});
