// What only a server can do to a store: be away, refuse, hang up, answer late; and what a round trip costs.
import { type CountingProxy, openCountingProxy } from '@gbrain/testkit/counting-proxy';
import { cluster, freePort, serverPackage } from '@gbrain/testkit/postgres-cluster';
import { openTestPostgres, type TestStore } from '@gbrain/testkit/stores';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPostgres } from './postgres.ts';
import { sql } from './sql.ts';
import type { Sql, Store } from './store.ts';

const word = (text: string): Sql => ({ text, params: [] });
const one = sql`select 1 as one`;

describe.skipIf(!serverPackage())('a server', () => {
  let opened: TestStore;
  beforeAll(async () => {
    opened = await openTestPostgres();
    await opened.store.query(word('create table kept (row int primary key, note text)'));
  });
  afterAll(() => opened.remove());
  const through = (port: number) => opened.place.replace(/:\d+\//, `:${port}/`);
  const backends = async () => {
    const [row] = await opened.store.query<{ n: number }>(sql`
      select count(*) as n from pg_stat_activity where datname = current_database() and state = 'active'
      and pid <> pg_backend_pid()`);
    return row?.n;
  };

  describe('that cannot be used', () => {
    test('nobody listens: unreachable', async () => {
      await expect(openPostgres({ url: through(await freePort()) })).rejects.toMatchObject({ fault: 'unreachable' });
    });
    test('no such host: unreachable', async () => {
      const url = opened.place.replace('127.0.0.1', 'host.invalid');
      await expect(openPostgres({ url })).rejects.toMatchObject({ fault: 'unreachable' });
    });
    test('wrong password: auth_failed, without the password in the message', async () => {
      const error: unknown = await openPostgres({ url: opened.place.replace(':test@', ':wrong@') }).catch((e) => e);
      expect(error).toMatchObject({ fault: 'auth_failed', at: '28P01' });
      expect((error as Error).message).not.toContain('wrong');
    });
    test('no such database: unreachable', async () => {
      const url = (await cluster()).url('absent');
      await expect(openPostgres({ url })).rejects.toMatchObject({ fault: 'unreachable', at: '3D000' });
    });
  });

  describe('behind a proxy', () => {
    let proxy: CountingProxy;
    let store: Store;
    beforeEach(async () => {
      proxy = await openCountingProxy((await cluster()).port);
      store = await openPostgres({ url: through(proxy.port), connectionsMax: 2 });
    });
    afterEach(async () => {
      await store.close();
      await proxy.close();
    });
    const counted = async (work: () => Promise<unknown>) => {
      const before = proxy.roundTrips;
      await work();
      return proxy.roundTrips - before;
    };

    test('a read, and a batch of any length, are one round trip', async () => {
      expect(await counted(() => store.query(one))).toBe(1);
      const many = Array.from({ length: 50 }, (_, i) => sql`select ${i}::int as i, ${'x'.repeat(2_000)}::text as t`);
      expect(await counted(() => store.batch(many))).toBe(1);
    });

    test('a transaction costs one a burst and one for its commit', async () => {
      const trips = await counted(() =>
        store.tx(async (tx) => {
          await tx.batch([one, sql`select * from kept where row = 1 for update`]);
          await tx.savepoint(() => tx.batch(Array.from({ length: 12 }, (_, i) => sql`insert into kept values (${i})`)));
        }),
      );
      expect(trips).toBe(3);
    });

    test('a failed transaction costs one more, for the rollback', async () => {
      const trips = await counted(() => store.tx((tx) => tx.query(word('select 1 / 0'))).catch(() => undefined));
      expect(trips).toBe(2);
    });

    test('a connection that broke while idle is replaced without a word', async () => {
      await store.query(one);
      proxy.cut();
      await expect.poll(() => store.query(one)).toEqual([{ one: 1 }]);
      proxy.cut();
      expect(await store.tx((tx) => tx.query(one))).toEqual([{ one: 1 }]);
    });

    test('a connection that breaks inside a transaction repeats the body', async () => {
      let tries = 0;
      await store.tx(async (tx) => {
        tries += 1;
        await tx.query(sql`insert into kept values (${100 + tries})`);
        if (tries === 1) proxy.cut();
        await tx.query(one);
      });
      expect(tries).toBe(2);
      expect(await store.query(sql`select row from kept where row between 100 and 110`)).toEqual([{ row: 102 }]);
    });

    test('a reply that never comes after a commit was sent is outcome_unknown, and is never repeated', async () => {
      let tries = 0;
      const work = store.tx(async (tx) => {
        tries += 1;
        await tx.query(sql`insert into kept values (200, 'sent')`);
        proxy.mute(true);
        // The line is cut once the server has answered the commit, whose reply is held back.
        proxy.onHeld = () => proxy.cut();
      });
      await expect(work).rejects.toMatchObject({ fault: 'outcome_unknown' });
      proxy.mute(false);
      expect(tries).toBe(1);
      await expect
        .poll(() => opened.store.query(sql`select note from kept where row = 200`))
        .toEqual([{ note: 'sent' }]);
    });

    test('a cancelled statement also ends on the server', async () => {
      const signal = AbortSignal.timeout(100);
      const work = store.query(word('select pg_sleep(600)'), { signal });
      await expect(work).rejects.toMatchObject({ fault: 'timeout' });
      await expect.poll(backends).toBe(0);
    });

    test('callers beyond the connections wait in order, and one who leaves does not block the next', async () => {
      const held: (() => void)[] = [];
      const holders = [1, 2].map(() =>
        store.tx(async (tx) => {
          await tx.query(one);
          await new Promise<void>((resolve) => held.push(resolve));
        }),
      );
      await expect.poll(() => held.length).toBe(2);
      const controller = new AbortController();
      const leaves = store.query(one, { signal: controller.signal });
      const stays = store.query(one);
      controller.abort();
      await expect(leaves).rejects.toMatchObject({ fault: 'aborted' });
      for (const go of held) go();
      expect(await stays).toEqual([{ one: 1 }]);
      await Promise.all(holders);
    });
  });

  describe('behind a transaction pooler', () => {
    test('no prepared statement and no lock stays on the session', async () => {
      const store = await openPostgres({ url: opened.place, connectionsMax: 1 });
      await store.tx(async (tx) => {
        await tx.query(sql`select pg_advisory_xact_lock(7)`);
        await tx.query(one);
      });
      const left = sql`select
        (select count(*) from pg_prepared_statements) as statements,
        (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`;
      expect(await store.query(left)).toEqual([{ statements: 0, locks: 0 }]);
      await store.close();
    });

    test('a server whose formats differ decodes alike', async () => {
      const defaults = '-c datestyle=German,DMY -c timezone=Asia/Tokyo -c bytea_output=escape';
      const store = await openPostgres({ url: `${opened.place}?options=${encodeURIComponent(defaults)}` });
      const [row] = await store.query(sql`select '2026-05-06 07:08:09.5+00'::timestamptz as t, '\\x00ff'::bytea as b`);
      expect(row).toEqual({ t: new Date('2026-05-06T07:08:09.500Z'), b: new Uint8Array([0, 255]) });
      await store.close();
    });
  });

  test('that ends a session lets its transaction run again', async () => {
    const store = await openPostgres({ url: opened.place, connectionsMax: 1 });
    let tries = 0;
    const rows = await store.tx(async (tx) => {
      tries += 1;
      const [me] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      if (tries === 1) await opened.store.query(sql`select pg_terminate_backend(${me?.pid}::int)`);
      return tx.query(one);
    });
    expect(rows).toEqual([{ one: 1 }]);
    expect(tries).toBe(2);
    await store.close();
  });

  test('more than one statement waits for a row: a lock that is never freed is a timeout', async () => {
    await opened.store.query(sql`insert into kept values (300, 'locked')`);
    let free = () => {};
    const holder = opened.store.tx(async (tx) => {
      await tx.query(sql`update kept set note = 'held' where row = 300`);
      await new Promise<void>((resolve) => {
        free = resolve;
      });
    });
    const waiting = opened.store.query(sql`update kept set note = 'late' where row = 300`, { timeoutMs: 300 });
    await expect(waiting).rejects.toMatchObject({ fault: 'timeout' });
    free();
    await holder;
    expect(await opened.store.query(sql`select note from kept where row = 300`)).toEqual([{ note: 'held' }]);
  });
});
