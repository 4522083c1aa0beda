// The change feed is read in the order of its columns, on both engines: transaction numbers are numbers, not texts.
import { eachStore } from '@gbrain/testkit/stores';
import { expect, test } from 'vitest';
import { sql } from '../../store/sql.ts';
import { readFeed, readFeedEnd } from './search.sql.ts';

const START = { xid: '0', position: 0 };

eachStore('the change feed', (given) => {
  test('no change is jumped over where the numbers of transactions get one digit more', async () => {
    const { store } = given();
    // Numbers of long ago, so that every one of them is settled.
    await store.query(sql`insert into changes (position, xid, kind, source_id)
      overriding system value select n, (n + 7)::text::xid8, 'page_written', 'default' from generate_series(1, 5) n`);
    const seen: string[] = [];
    for (let after = START; ; ) {
      const rows = await readFeed(store, after, 2);
      seen.push(...rows.map(({ xid }) => xid));
      const last = rows.at(-1);
      if (!last) break;
      after = { xid: last.xid, position: last.position };
    }
    expect(seen).toEqual(['8', '9', '10', '11', '12']);
    expect((await readFeedEnd(store))?.xid).toBe('12');
  });
});
