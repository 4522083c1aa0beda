// What an engine keeps parsed is exactly what the server has parsed, through errors, schema changes and many texts.
import { openTestPglite, type TestStore } from '@gbrain/testkit/stores';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeptStatements } from './kept-statements.ts';
import type { Reply } from './protocol.ts';
import { sql } from './sql.ts';
import type { Store } from './store.ts';

const reply = (parsedCount: number, code?: string): Reply => ({
  results: [],
  tags: [],
  parsedCount,
  ...(code && { error: { severity: 'ERROR', code, message: '' } }),
});

/** One burst of which the server parses everything. */
function pass(kept: KeptStatements, ...texts: string[]) {
  const names = kept.namesFor(texts);
  kept.settle(texts, names, reply(names.filter(({ isKnown }) => !isKnown).length));
  return names;
}

describe('names', () => {
  test('a text gets a name at its second time and is known from the third on', () => {
    const kept = new KeptStatements();
    expect(pass(kept, 'a')).toEqual([{ name: '', isKnown: false }]);
    const [second] = pass(kept, 'a');
    expect(second).toMatchObject({ isKnown: false, name: expect.stringMatching(/./) });
    expect(pass(kept, 'a', 'a')).toEqual([
      { name: second?.name, isKnown: true },
      { name: second?.name, isKnown: true },
    ]);
  });

  test('what the server did not come to parse is asked for anew', () => {
    const kept = new KeptStatements();
    pass(kept, 'a', 'b');
    const names = kept.namesFor(['a', 'b']);
    kept.settle(['a', 'b'], names, reply(1, '23505'));
    expect(kept.namesFor(['a', 'b']).map(({ isKnown }) => isKnown)).toEqual([true, false]);
  });

  test('a text is parsed anew after many uses, under the same name', () => {
    const kept = new KeptStatements();
    pass(kept, 'a');
    const [{ name } = { name: '' }] = pass(kept, 'a');
    const uses = Array.from({ length: 600 }, () => pass(kept, 'a')[0]!);
    expect(new Set(uses.map((one) => one.name))).toEqual(new Set([name]));
    expect(uses.filter(({ isKnown }) => !isKnown)).toHaveLength(2);
  });

  test('the text that was used longest ago gives way, and no name has two texts', () => {
    const kept = new KeptStatements();
    const texts = Array.from({ length: 400 }, (_, i) => `t${i}`);
    for (const text of texts) for (let i = 0; i < 2; i += 1) pass(kept, text);
    expect(pass(kept, 't399')[0]?.isKnown).toBe(true);
    expect(pass(kept, 't0')[0]?.isKnown).toBe(false);
    const names = kept.namesFor(texts.slice(200)).filter(({ isKnown }) => isKnown);
    expect(new Set(names.map(({ name }) => name)).size).toBe(names.length);
  });

  test('a burst with more new texts than there are names keeps what it can', () => {
    const kept = new KeptStatements();
    const texts = Array.from({ length: 200 }, (_, i) => `t${i}`);
    const more = Array.from({ length: 200 }, (_, i) => `m${i}`);
    pass(kept, ...texts);
    pass(kept, ...more);
    expect(new Set(pass(kept, ...texts, ...more).map(({ name }) => name)).size).toBeLessThanOrEqual(257);
  });
});

describe('on the engine', () => {
  let opened: TestStore;
  let store: Store;
  beforeAll(async () => {
    opened = await openTestPglite();
    store = opened.store;
    await store.query(sql`create table kept (id int primary key, note text)`);
  });
  afterAll(() => opened.remove());

  test('an error in a burst leaves the following ones right', async () => {
    const insert = (id: number) => sql`insert into kept values (${id}, ${'x'})`;
    for (let id = 0; id < 4; id += 1) {
      await store.query(insert(id));
      await expect(store.batch([insert(id), sql`select ${id}::int as never`])).rejects.toMatchObject({
        fault: 'unique_violation',
      });
    }
    expect(await store.query(sql`select count(*) as n from kept`)).toEqual([{ n: 4 }]);
  });

  test('a kept text survives a change of the schema', async () => {
    const all = sql`select * from kept where id = ${1}`;
    for (let i = 0; i < 4; i += 1) expect(await store.query(all)).toEqual([{ id: 1, note: 'x' }]);
    await store.tx((tx) => tx.script('alter table kept add column more int default 7'));
    for (let i = 0; i < 3; i += 1) expect(await store.query(all)).toEqual([{ id: 1, note: 'x', more: 7 }]);
    await store.query(sql`alter table kept drop column more`);
    // Without a script nobody could know; the refused text is forgotten, and the next time is right.
    await store.query(all).catch(() => undefined);
    expect(await store.query(all)).toEqual([{ id: 1, note: 'x' }]);
  });
});
