// The change feed is read in the order of its columns, on both engines: transaction numbers are numbers, not texts.
import { eachStore } from '@gbrain/testkit/stores';
import { expect, test } from 'vitest';
import { FEED_START } from '../../store/feed.ts';
import { sql } from '../../store/sql.ts';
import { readFeed, readFeedEnd } from './search.sql.ts';

eachStore('the change feed', (given) => {
  test('no change is jumped over where the numbers of transactions get one digit more', async () => {
    const { store } = given();
    // Numbers of long ago, so that every one of them is settled.
    await store.query(sql`insert into changes (position, xid, kind, source_id)
      overriding system value select n, (n + 7)::text::xid8, 'page_written', 'default' from generate_series(1, 5) n`);
    const seen: number[] = [];
    for (let cursor = FEED_START; ; ) {
      const part = await readFeed(store, cursor, 2);
      seen.push(...part.rows.map(({ xid }) => xid));
      if (!part.hasMore) break;
      cursor = part.cursor;
    }
    expect(seen).toEqual([8, 9, 10, 11, 12]);
    expect((await readFeedEnd(store)).rows.at(-1)?.xid).toBe(12);
  });
});
