// temporary_files: what interrupted runs left beside the brain and in the home, and copies taken before an upgrade.
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { defineCheck } from '../../../check.ts';
import { locateBrain } from '../../../home/locate.ts';
import { counted } from '../../../row-text.ts';

/** Younger files may belong to a run that goes on. */
const SETTLED_MS = 60 * 60_000;
/** So many bytes are worth a word. */
const MANY_BYTES = 1024 * 1024 * 1024;

const LEFT_BEHIND = [/\.tmp$/, /\.new$/, /\.new-\w+$/, /\.\d+\.(probe|check)$/];
const COPY = /\.before-\d+/;

interface Entry {
  path: string;
  bytes: number;
  isOld: boolean;
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return found?.size ?? 0;
  const names = await readdir(path, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(path, name)).catch(() => undefined))?.size ?? 0),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

async function entriesOf(folder: string, isWanted: (name: string) => boolean, nowMs: number): Promise<Entry[]> {
  const names = (await readdir(folder).catch(() => [])).filter(isWanted);
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      const isOld = found !== undefined && nowMs - found.mtimeMs > SETTLED_MS;
      return { path, bytes: await sizeOf(path), isOld };
    }),
  );
}

export default defineCheck({
  name: 'temporary_files',
  category: 'ops',
  summary: 'What interrupted runs and upgrades left beside the brain.',
  requirement: 'facts/user-faults P6, P58',
  needsBrain: false,
  run: async ({ host }) => {
    const located = await locateBrain(host);
    const nowMs = host.now().getTime();
    const isLeft = (name: string) => LEFT_BEHIND.some((pattern) => pattern.test(name));
    const home = await entriesOf(host.home.root, isLeft, nowMs);
    const dataDir = located.kind === 'pglite' ? located.dataDir : undefined;
    const besides = dataDir === undefined || dirname(dataDir) === host.home.root ? [] : [dirname(dataDir)];
    const beside = await Promise.all(
      besides.map((folder) => entriesOf(folder, (name) => name.startsWith(basename(dataDir!)) && isLeft(name), nowMs)),
    );
    const copies = dataDir
      ? await entriesOf(dirname(dataDir), (name) => name.startsWith(basename(dataDir)) && COPY.test(name), nowMs)
      : [];
    const left = [...home, ...beside.flat()].filter(({ isOld }) => isOld);
    const bytes = [...left, ...copies].reduce((sum, one) => sum + one.bytes, 0);
    const details = { left: left.map(({ path }) => path), copies: copies.map(({ path }) => path), bytes };
    const said = [
      left.length > 0 ? `${counted(left.length, 'file')} of interrupted runs` : '',
      copies.length > 0 ? `${counted(copies.length, 'copy', 'copies')} from before an upgrade` : '',
    ].filter(Boolean);
    const message = said.length === 0 ? 'nothing is left over' : said.join(' and ');
    if (bytes < MANY_BYTES) return { status: 'ok', message, details };
    return {
      status: 'warn',
      message: `${message} hold ${Math.round(bytes / 1024 / 1024)} MiB`,
      details,
      fixUnavailable: 'gbrain removes no copy of a brain by itself; the details name them, and the user decides.',
    };
  },
});
