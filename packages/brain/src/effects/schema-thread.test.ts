// Checks that may take long: beside the main thread, within a bound, and a schema that was too slow is left alone.
import { describe, expect, it } from 'vitest';
import { SchemaChecks } from './schema-checks.ts';
import { SchemaThread } from './schema-thread.ts';

/** Takes longer than anybody lives, for what almost matches. */
const ENDLESS = { type: 'string', pattern: '^(a+)+$' };
const ALMOST = `${'a'.repeat(40)}!`;

/** Doubles its work with every step, without any pattern. */
const doubling = () => {
  const pair = (no: number) => ({ allOf: [{ $ref: `#/$defs/a${no + 1}` }, { $ref: `#/$defs/a${no + 1}` }] });
  const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, no) => [`a${no}`, pair(no)]));
  return { $ref: '#/$defs/a0', $defs: { ...$defs, a40: { type: 'integer' } } };
};

describe('the thread of checks', () => {
  it('answers as a check on the spot does', async () => {
    const thread = new SchemaThread();
    const schema = { properties: { at: { format: 'date' } } };
    expect(await thread.ask({ schema, value: { at: '2026-11-30' } })).toBeUndefined();
    expect(await thread.ask({ schema, value: { at: 'today' } })).toContain('#/at');
  });

  it.each([
    ['a pattern without end', ENDLESS, ALMOST],
    ['references without end', doubling(), 7],
  ])('gives %s up, while the main thread goes on, and serves what came behind it', async (_, schema, value) => {
    const thread = new SchemaThread();
    const behind = thread.ask({ schema: { pattern: '^b' }, value: 'b' });
    const [first, second] = [thread.ask({ schema, value }), thread.ask({ schema, value })];
    expect(await behind).toBeUndefined();
    let passages = 0;
    const beat = setInterval(() => {
      passages += 1;
    }, 1);
    expect(await first).toContain('was not checked');
    clearInterval(beat);
    expect(passages).toBeGreaterThan(0);
    expect(await second).toContain('is not used again');
    expect(await thread.ask({ schema: { pattern: '^b' }, value: 'a' })).toContain('pattern');
  });
});

describe('a schema itself', () => {
  const long = (type: string) => ({ properties: { a: { type, description: 'x'.repeat(300) } } });

  it('is looked at by the thread when it is long, and not again when it has no fault', async () => {
    const thread = new SchemaThread();
    let asked = 0;
    const checks = new SchemaChecks((question) => {
      asked += 1;
      return thread.ask(question);
    });
    const find = (schema: object) =>
      checks.decide(
        (_, findFault) => findFault(schema),
        (fault) => fault,
      );
    expect(await find({ type: 'strnig' })).toContain('#/type');
    expect(asked).toBe(0);
    expect(await find(long('strnig'))).toContain('#/properties/a/type');
    expect(await find(long('string'))).toBeUndefined();
    expect(await find(long('string'))).toBeUndefined();
    expect(asked).toBe(2);
  });
});

describe('a decision that checks', () => {
  it('is made at once where the checks are short, and nothing is asked', async () => {
    const checks = new SchemaChecks(() => Promise.reject(new Error('asked')));
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    let decided = false;
    const done = checks.decide(
      (check) => check(schema, {}),
      (fault) => {
        decided = true;
        return fault;
      },
    );
    expect(decided).toBe(true);
    expect(await done).toContain('"n"');
  });

  it('is made anew with the answers, from what is the case then', async () => {
    let now = 'before';
    const checks = new SchemaChecks(async () => {
      now = 'after';
      return 'does not fit';
    });
    const seen = await checks.decide(
      (check) => ({ now, fault: check(ENDLESS, ALMOST) }),
      (decision) => decision,
    );
    expect(seen).toEqual({ now: 'after', fault: 'does not fit' });
  });
});
