// What the storage port promises, on both engines: transactions, batches, bounds, faults, retries.
// It must not know tables of the product; it makes its own.
import { eachStore, hasPostgres, openTestPooled, storeSuite, type TestStore } from '@gbrain/testkit/stores';
import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from './sql.ts';
import type { Sql, Store, StoreFault } from './store.ts';

const text = (statement: string): Sql => ({ text: statement, params: [] });
const slow = text('select count(*) from generate_series(1, 1000000000)');

async function faultOf(work: Promise<unknown>): Promise<StoreFault | undefined> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return undefined;
  expect(error).toMatchObject({ name: 'StoreError' });
  return (error as { fault: StoreFault }).fault;
}

function contract(given: () => TestStore): void {
  let store: Store;
  const count = async (note: string) => {
    const [row] = await store.query<{ n: number }>(sql`select count(*) as n from contract where note = ${note}`);
    return row?.n;
  };
  const insert = (id: number, note: string) => sql`insert into contract (id, note) values (${id}, ${note})`;
  beforeAll(async () => {
    store = given().store;
    await store.batch([
      text('create table contract (id bigint primary key, note text collate "C" not null check (note <> \'bad\'))'),
      text('create table child (id bigint references contract (id))'),
    ]);
  });

  describe('transactions', () => {
    test('commit what the body did and give its value', async () => {
      const value = await store.tx(async (tx) => {
        await tx.query(insert(1, 'commit'));
        return tx.query(sql`select id from contract where note = 'commit'`);
      });
      expect(value).toEqual([{ id: 1 }]);
      expect(await count('commit')).toBe(1);
    });

    test('roll back when the body throws, and throw its error', async () => {
      const failure = new Error('mine');
      await expect(
        store.tx(async (tx) => {
          await tx.query(insert(2, 'rollback'));
          throw failure;
        }),
      ).rejects.toBe(failure);
      expect(await count('rollback')).toBe(0);
    });

    test('fail when the body swallows an error of a statement', async () => {
      const work = store.tx(async (tx) => {
        await tx.query(insert(3, 'swallow'));
        await tx.query(insert(3, 'swallow')).catch(() => undefined);
      });
      expect(await faultOf(work)).toBe('unique_violation');
      expect(await count('swallow')).toBe(0);
    });

    test('a body without statements costs nothing and succeeds', async () => {
      expect(await store.tx(async () => 7)).toBe(7);
    });

    test('read-only ones refuse writes and see one snapshot', async () => {
      expect(await faultOf(store.tx((tx) => tx.query(insert(4, 'ro')), { readOnly: true }))).toBe('read_only');
    });

    test('a handle that outlives its transaction is refused', async () => {
      const leaked = await store.tx(async (tx) => tx);
      expect(await faultOf(leaked.query(sql`select 1 as one`))).toBe('closed');
    });

    test('calling the store from inside is refused rather than waiting for itself', async () => {
      expect(await faultOf(store.tx(() => store.query(sql`select 1 as one`)))).toBe('other');
    });

    test('run side by side without mixing', async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          store.tx(async (tx) => {
            await tx.query(insert(100 + i, `side-${i}`));
            if (i % 2 === 1) throw new Error('odd');
          }),
        ).map((work) => work.catch(() => undefined)),
      );
      const rows = await store.query<{ id: number }>(sql`select id from contract where note like 'side-%' order by id`);
      expect(rows.map((row) => row.id)).toEqual(Array.from({ length: 10 }, (_, i) => 100 + 2 * i));
    });

    test('run a script of several commands and undo it too', async () => {
      const work = store.tx(async (tx) => {
        await tx.script('create table scripted (x int); insert into scripted values (1), (2);');
        expect(await tx.query(sql`select count(*) as n from scripted`)).toEqual([{ n: 2 }]);
        throw new Error('undo');
      });
      await expect(work).rejects.toThrow('undo');
      expect(await faultOf(store.query(sql`select * from scripted`))).toBe('schema_missing');
    });
  });

  describe('savepoints', () => {
    test('one failed part leaves the others', async () => {
      await store.tx(async (tx) => {
        for (const [i, note] of ['sp', 'bad', 'sp', 'bad', 'sp'].entries()) {
          await tx.savepoint(() => tx.query(insert(200 + i, note))).catch(() => undefined);
        }
      });
      expect(await count('sp')).toBe(3);
    });

    test('nest, and an outer failure undoes the inner success', async () => {
      await store.tx(async (tx) => {
        await tx.query(insert(210, 'nest'));
        await tx
          .savepoint(async () => {
            await tx.savepoint(() => tx.query(insert(211, 'nest')));
            await tx.savepoint(() => tx.query(insert(211, 'nest'))).catch(() => undefined);
            await tx.query(insert(212, 'nest'));
            throw new Error('outer');
          })
          .catch(() => undefined);
        await tx.savepoint(async () => undefined);
        await tx.query(insert(213, 'nest'));
      });
      const rows = await store.query(sql`select id from contract where note = 'nest' order by id`);
      expect(rows).toEqual([{ id: 210 }, { id: 213 }]);
    });

    test('a body that swallows its failure still undoes its part', async () => {
      const inner = await store.tx(async (tx) => {
        const fault = await faultOf(
          tx.savepoint(async () => {
            await tx.query(insert(220, 'inner'));
            await tx.query(insert(220, 'inner')).catch(() => undefined);
          }),
        );
        await tx.query(insert(221, 'inner'));
        return fault;
      });
      expect(inner).toBe('unique_violation');
      expect(await count('inner')).toBe(1);
    });
  });

  describe('queued statements', () => {
    test('travel with the next round trip or the commit, in order', async () => {
      const seen = await store.tx(async (tx) => {
        await tx.queue([insert(240, 'queued')]);
        const rows = await tx.query(sql`select id from contract where note = 'queued'`);
        await tx.queue([insert(241, 'queued'), insert(242, 'queued')]);
        return rows;
      });
      expect(seen).toEqual([{ id: 240 }]);
      expect(await count('queued')).toBe(3);
    });

    test('one that the database refuses undoes the transaction, and later ones work', async () => {
      const fault = store.tx((tx) => tx.queue([insert(243, 'refused'), insert(243, 'refused')]));
      expect(await faultOf(fault)).toBe('unique_violation');
      expect(await count('refused')).toBe(0);
      await store.tx((tx) => tx.queue([insert(243, 'refused')]));
      expect(await count('refused')).toBe(1);
    });

    test('fail inside the savepoint in which they were queued', async () => {
      const fault = await store.tx(async (tx) => {
        await tx.queue([insert(244, 'outer')]);
        const inner = await faultOf(tx.savepoint(() => tx.queue([insert(245, 'outer'), insert(245, 'outer')])));
        await tx.queue([insert(246, 'outer')]);
        return inner;
      });
      expect(fault).toBe('unique_violation');
      expect(await count('outer')).toBe(2);
    });
  });

  describe('batches', () => {
    test('give the rows of each statement in order', async () => {
      const results = await store.batch([insert(300, 'batch'), sql`select 1 as a`, sql`select 2 as b`]);
      expect(results).toEqual([[], [{ a: 1 }], [{ b: 2 }]]);
      expect(await store.batch([])).toEqual([]);
    });

    test('are one transaction outside a transaction', async () => {
      expect(await faultOf(store.batch([insert(301, 'whole'), insert(301, 'whole'), insert(302, 'whole')]))).toBe(
        'unique_violation',
      );
      expect(await count('whole')).toBe(0);
    });

    test('stop at the first error inside one', async () => {
      await store.tx(async (tx) => {
        await tx.query(insert(310, 'stop'));
        await tx
          .savepoint(() => tx.batch([insert(311, 'stop'), insert(311, 'stop'), insert(312, 'stop')]))
          .catch(() => 0);
      });
      expect(await count('stop')).toBe(1);
    });

    test('a value that cannot be bound leaves the transaction usable', async () => {
      await store.tx(async (tx) => {
        await expect(tx.query(sql`select ${{ a: 1 }}`)).rejects.toThrow(TypeError);
        await tx.query(insert(320, 'bindable'));
      });
      expect(await count('bindable')).toBe(1);
    });

    test('carry large values both ways', async () => {
      const bytes = new Uint8Array(3_000_000).map((_, i) => (i * 7) % 256);
      const long = 'ä漢🙂'.repeat(400_000);
      const [row] = await store.query<{ b: Uint8Array; t: string }>(
        sql`select ${bytes}::bytea as b, ${long}::text as t`,
      );
      expect(Buffer.compare(row?.b as Uint8Array, bytes)).toBe(0);
      expect(row?.t === long).toBe(true);
    });
  });

  describe('faults', () => {
    const cases: [StoreFault, () => Promise<unknown>][] = [
      ['unique_violation', () => store.batch([insert(400, 'fault'), insert(400, 'fault')])],
      ['check_violation', () => store.query(insert(401, 'bad'))],
      ['check_violation', () => store.query(text('insert into contract (id) values (402)'))],
      ['foreign_key_violation', () => store.query(sql`insert into child values (999999)`)],
      ['schema_missing', () => store.query(sql`select * from absent`)],
      ['schema_missing', () => store.query(sql`select absent from contract`)],
      ['other', () => store.query(text('select nonsense('))],
      ['other', () => store.query(sql`select 9007199254740993::bigint as beyond`)],
    ];
    test.each(cases)('%s', async (fault, work) => {
      expect(await faultOf(work())).toBe(fault);
    });

    test('carry our words; the engine’s stay in the cause', async () => {
      const error = await store.query(insert(401, 'bad')).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ at: 'contract_note_check', message: 'A value is outside what its column allows' });
      expect((error as { cause: { message: string } }).cause.message).toContain('violates check constraint');
    });
  });

  describe('bounds', () => {
    test('a statement past its deadline ends and later callers work', async () => {
      expect(await faultOf(store.query(slow, { timeoutMs: 200 }))).toBe('timeout');
      expect(await store.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    });

    test('a cancelled statement ends and later callers work', async () => {
      const controller = new AbortController();
      const work = faultOf(store.query(slow, { signal: controller.signal }));
      setTimeout(() => controller.abort(), 50);
      expect(await work).toBe('aborted');
      expect(await store.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    });

    test('a TimeoutError of the caller counts as a deadline', async () => {
      expect(await faultOf(store.query(slow, { signal: AbortSignal.timeout(50) }))).toBe('timeout');
    });

    test('a caller who has gone already is not served', async () => {
      expect(await faultOf(store.query(insert(500, 'gone'), { signal: AbortSignal.abort() }))).toBe('aborted');
      expect(await faultOf(store.tx((tx) => tx.query(insert(500, 'gone')), { signal: AbortSignal.abort() }))).toBe(
        'aborted',
      );
      expect(await count('gone')).toBe(0);
    });

    test('a transaction is undone when its caller leaves between two statements', async () => {
      const controller = new AbortController();
      const work = store.tx(
        async (tx) => {
          await tx.query(insert(510, 'left'));
          controller.abort();
          await new Promise(() => {});
        },
        { signal: controller.signal },
      );
      expect(await faultOf(work)).toBe('aborted');
      expect(await count('left')).toBe(0);
    });

    test('a transaction is undone when a statement of it is cancelled, and others go on', async () => {
      const work = store.tx(
        async (tx) => {
          await tx.query(insert(520, 'cut'));
          await tx.query(slow);
        },
        { timeoutMs: 300 },
      );
      const behind = Array.from({ length: 5 }, (_, i) => store.query(sql`select ${i}::int as i`));
      expect(await faultOf(work)).toBe('timeout');
      expect((await Promise.all(behind)).flat()).toEqual([0, 1, 2, 3, 4].map((i) => ({ i })));
      expect(await count('cut')).toBe(0);
    });

    test('a lost reply to a write says so', async () => {
      const work = store.query(
        text("insert into contract select 530, 'lost' from (select count(*) from generate_series(1, 1000000000)) as s"),
        { timeoutMs: 200 },
      );
      // A server cancels and tells; the embedded engine can only be killed, which leaves the outcome open.
      expect(await faultOf(work)).toBe(given().engine === 'pglite' ? 'outcome_unknown' : 'timeout');
      expect(await count('lost')).toBe(0);
    });
  });

  describe('conflicts', () => {
    // No second connection exists in the embedded engine, so the server's own word for a conflict is raised there.
    const conflict = text("do $$ begin raise exception 'conflict' using errcode = '40001'; end $$");

    test('a serialisation failure repeats the body, even one that it wrapped or caught', async () => {
      let tries = 0;
      await store.tx(async (tx) => {
        tries += 1;
        await tx.query(insert(700 + tries, 'retry'));
        if (tries === 1) await tx.query(conflict);
        if (tries === 2) {
          await tx.query(conflict).catch((cause: unknown) => {
            throw new Error('wrapped', { cause });
          });
        }
        if (tries === 3) await tx.savepoint(() => tx.query(conflict)).catch(() => undefined);
      });
      expect(tries).toBe(4);
      expect(await store.query(sql`select id from contract where note = 'retry'`)).toEqual([{ id: 704 }]);
    });

    test('it is given up after three repeats', async () => {
      let tries = 0;
      const work = store.tx(async (tx) => {
        tries += 1;
        await tx.query(conflict);
      });
      expect(await faultOf(work)).toBe('serialization');
      expect(tries).toBe(4);
    });

    test('counters that many raise at once lose nothing', async () => {
      await store.query(text('create table counters (id int primary key, n int not null)'));
      await store.query(text('insert into counters values (1, 0), (2, 0)'));
      await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          store.tx(
            async (tx) => {
              // Opposite orders make deadlocks, and serializable makes conflicts, where connections are many.
              for (const id of i % 2 === 0 ? [1, 2] : [2, 1]) {
                await tx.query(sql`update counters set n = n + 1 where id = ${id}`);
              }
            },
            { isolation: i < 4 ? 'serializable' : 'read committed' },
          ),
        ).map((work) => work.catch((error: { fault: string }) => expect(error.fault).toBe('serialization'))),
      );
      const [first, second] = await store.query<{ n: number }>(sql`select n from counters order by id`);
      expect(first?.n).toBe(second?.n);
      expect(first?.n).toBeGreaterThan(0);
    });
  });

  describe('reopening', () => {
    test('what was committed is there, and a closed store refuses', async () => {
      await store.query(insert(600, 'kept'));
      const old = store;
      store = await given().reopen();
      expect(await count('kept')).toBe(1);
      expect(await faultOf(old.query(sql`select 1 as one`))).toBe('closed');
      expect(await faultOf(old.tx(async () => 1))).toBe('closed');
      await expect(old.close()).resolves.toBeUndefined();
    });

    test('close lets a running transaction finish', async () => {
      const old = store;
      let go = () => {};
      const paused = new Promise<void>((resolve) => {
        go = resolve;
      });
      const work = old.tx(async (tx) => {
        await tx.query(insert(610, 'drain'));
        await paused;
        await tx.query(insert(611, 'drain'));
      });
      await new Promise(setImmediate);
      const reopened = given().reopen();
      go();
      await work;
      store = await reopened;
      expect(await count('drain')).toBe(2);
    });
  });
}

eachStore('store contract', contract);
storeSuite('store contract (behind a pooler)', { open: openTestPooled, present: hasPostgres() }, (given) => {
  contract(given);
  test('sessions really changed hands', () => {
    expect(given().pooler.handovers).toBeGreaterThan(20);
  });
});
