// Codes of a database that fails under an open brain, and of faults that the product does not know.
import { raw, sql } from 'gbrain/store/sql';
import type { Provocation, Stage } from '../walk.ts';

type Statement = ReturnType<typeof sql>;

const run =
  (...statements: Statement[]) =>
  async (at: Stage): Promise<void> => {
    const { store } = await at.brain();
    for (const statement of statements) await store.query(statement);
  };

/** Every insert of a page fails, as a server with a fault of its own would refuse it. */
const refuseInserts = run(
  sql`create function walk_refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
  sql`create trigger walk_refuse before insert on pages for each row execute function walk_refuse()`,
);
const takeInserts = run(sql`drop trigger walk_refuse on pages`, sql`drop function walk_refuse()`);

/** A column of another type than any code of ours made: reading it is a fault that nobody foresaw. */
const damage = (table: string, column: string) => run(raw(`alter table ${table} alter column ${column} type text`));
const mend = (table: string, column: string) =>
  run(raw(`alter table ${table} alter column ${column} type timestamptz(3) using ${column}::timestamptz`));

async function versions(at: Stage): Promise<void> {
  const put = { slug: 'faults/versions', force: true };
  for (const content of ['one\n', `two for ${at.door}\n`])
    await (await at.session()).body('put_page', { ...put, content });
  await run(sql`alter table page_versions alter column created_at drop default`)(at);
  await damage('page_versions', 'created_at')(at);
}

async function facts(at: Stage): Promise<void> {
  await (await at.session()).body('remember', { fact: `Faults are known at ${at.door}`, provenance: 'the walk' });
  await damage('facts', 'created_at')(at);
}

export const faults: readonly Provocation[] = [
  {
    code: 'database_error',
    state: refuseInserts,
    cli: () => ['put', 'faults/refused', '--content', 'x\n'],
    mcp: () => ['put_page', { slug: 'faults/refused', content: 'x\n' }],
    next: 'run',
    clear: takeInserts,
  },
  {
    code: 'internal_error',
    state: versions,
    cli: () => ['history', 'faults/versions'],
    mcp: () => ['get_versions', { slug: 'faults/versions' }],
    next: 'report',
    clear: mend('page_versions', 'created_at'),
  },
  {
    code: 'internal',
    way: 'the same, in a verb',
    state: facts,
    cli: () => ['recall', 'faults'],
    mcp: () => ['recall', { query: 'faults' }],
    next: 'report',
    clear: mend('facts', 'created_at'),
  },
];
