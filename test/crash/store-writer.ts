// The process that the kill test kills: it commits rows one after another and says which ones were acknowledged.
// Arguments: data folder, first row.
import { writeSync } from 'node:fs';
import { openPglite } from 'gbrain/store/pglite';
import { sql } from 'gbrain/store/sql';

const [dataDir = '', first = '0'] = process.argv.slice(2);
const store = await openPglite({ dataDir });
for (let row = Number(first); ; row += 1) {
  await store.tx(async (tx) => {
    await tx.query(sql`insert into kept (row, note) values (${row}, ${`note ${row} `.repeat(300)})`);
    await tx.query(sql`update kept set turn = turn + 1 where row = ${row - 5}`);
  });
  // Straight to the pipe: what was said before the kill has left this process.
  writeSync(1, `${row}\n`);
}
