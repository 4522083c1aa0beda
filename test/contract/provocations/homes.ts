// Codes of a home whose brain is not there, not free, not whole or not reachable. Each case has a home of its own.
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HomeInProcess } from '@gbrain/testkit/home-in-process';
import { ownerPathsOf } from 'gbrain/home/local-host';
import { claimBrain } from 'gbrain/owner/claim';
import { openPglite } from 'gbrain/store/pglite';
import { sql } from 'gbrain/store/sql';
import type { Provocation } from '../walk.ts';

/** A case with the home that it stands in. */
export interface HomeCase extends Provocation {
  home(): Promise<HomeInProcess>;
}

const empty = async (): Promise<HomeInProcess> => new HomeInProcess();
const withBrain = (): Promise<HomeInProcess> => HomeInProcess.withBrain();

const locks = new Map<string, { release(): void }>();

export const homes: readonly HomeCase[] = [
  { code: 'no_brain', home: empty, cli: () => ['list'], next: 'run', settles: true },
  {
    code: 'no_brain',
    way: 'its folder is gone',
    home: withBrain,
    state: async ({ home }) => renameSync(home.brainPath, `${home.brainPath}.moved`),
    cli: () => ['list'],
    next: 'ask_user',
    settles: true,
  },
  { code: 'unknown_brain', home: withBrain, cli: () => ['list', '--brain', 'work'], next: 'run' },
  {
    code: 'lock_busy',
    home: withBrain,
    state: async ({ home }) => {
      const identity = { version: '1', transport: 'stdio', serve: true } as const;
      const lock = claimBrain(ownerPathsOf(home.brainPath, {}), identity);
      if (!lock.held) throw new Error('the brain is open elsewhere');
      locks.set(home.root, lock);
    },
    cli: () => ['list', '--timeout', '0.2'],
    next: 'run',
    clear: async ({ home }) => locks.get(home.root)?.release(),
  },
  {
    code: 'migrations_pending',
    home: withBrain,
    state: async ({ home }) => {
      const store = await openPglite({ dataDir: home.brainPath });
      await store.query(sql`insert into schema_migrations (version, name, breaking, checksum)
        values (9000, '9000_newer', true, 'x')`);
      await store.close();
    },
    cli: () => ['list'],
    next: {},
  },
  {
    code: 'migrations_pending',
    way: 'a table is gone',
    home: withBrain,
    state: async ({ home }) => {
      const store = await openPglite({ dataDir: home.brainPath });
      await store.query(sql`drop table pages cascade`);
      await store.close();
    },
    cli: () => ['list'],
    next: {},
  },
  {
    code: 'recovery_required',
    home: withBrain,
    state: async ({ home }) => writeFileSync(`${home.brainPath}.repair-failed.json`, '{"tried":"a repair"}\n'),
    cli: () => ['list'],
    next: 'ask_user',
  },
  {
    code: 'brain_unopenable',
    home: withBrain,
    state: async ({ home }) => truncateSync(join(home.brainPath, 'global/pg_control'), 10),
    cli: () => ['list'],
    next: 'run',
  },
  {
    code: 'storage_error',
    way: 'the place of the lock is a folder',
    home: withBrain,
    state: async ({ home }) => {
      rmSync(`${home.brainPath}.owner.lock`);
      mkdirSync(`${home.brainPath}.owner.lock`);
    },
    cli: () => ['list'],
    next: 'run',
  },
  {
    code: 'brain_unreachable',
    home: withBrain,
    // Nothing listens on the port of discard.
    state: async ({ home }) => {
      await home.cli(['config', 'set', 'database_url', 'postgres://gbrain@127.0.0.1:9/gbrain']);
      await home.cli(['config', 'unset', 'engine']);
    },
    cli: () => ['list'],
    next: 'tell_user_to_run',
  },
  {
    code: 'config_error',
    home: withBrain,
    state: async ({ home }) => writeFileSync(join(home.root, 'config.json'), '{ "engine": '),
    cli: () => ['list'],
    next: 'tell_user_to_run',
  },
  {
    code: 'eval_refused',
    home: empty,
    state: async ({ home }) => {
      const folder = join(home.folder, 'questions');
      mkdirSync(folder);
      writeFileSync(join(folder, 'queries.jsonl'), '{"_id": "q1", "text": "who drinks tea"}\n');
      writeFileSync(join(folder, 'qrels.txt'), 'q1 0 people/alice-example 1\n');
    },
    cli: ({ home }) => ['eval', 'run', join(home.folder, 'questions')],
    next: 'run',
  },
  {
    code: 'serve_status_only',
    home: empty,
    mcp: () => ['list_pages', {}],
    next: 'run',
  },
];
