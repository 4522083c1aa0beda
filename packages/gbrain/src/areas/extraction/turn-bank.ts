// Turns that wait to be extracted, as files of the home: a hook puts them down without opening the brain, and whoever
// has the brain open takes them up. A file is named by its text, so the same turn is one file; credentials are struck
// out before anything is written.
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readJsonFile, writeJsonFile } from '../../home/json-file.ts';
import type { Home } from '../../host.ts';
import { secretDetector } from '../secrets/detector.ts';
import { isWorthExtracting } from './worth-extracting.ts';

/** Most turns that one session may put down. Source: facts/engine E.4. */
export const TURNS_A_SESSION = 30;
/** Turns that nobody has taken up by then go. Source: facts/engine E.4. */
const KEPT_MS = 30 * 86_400_000;

/** A turn as its file keeps it. */
export interface BankedTurn {
  text: string;
  /** The app that it was said to. */
  app: string;
  session: string;
  /** When it was said, ISO 8601. */
  at: string;
  /** How often a model answered nothing of use. */
  attempts: number;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const folderOf = (home: Home): string => join(home.root, 'turns');
const sessionFile = (home: Home, session: string): string =>
  join(folderOf(home), 'sessions', `${sha256(session).slice(0, 32)}.json`);

const isTurn = (value: unknown): value is BankedTurn => {
  const { text, app, session, at, attempts } = (value ?? {}) as Record<string, unknown>;
  return [text, app, session, at].every((one) => typeof one === 'string') && Number.isInteger(attempts);
};

/** Turns that a session has put down before, by their digests. */
async function harvested(home: Home, session: string): Promise<string[]> {
  const found = (await readJsonFile(sessionFile(home, session)).catch(() => undefined)) as { turns?: unknown };
  return Array.isArray(found?.turns) ? found.turns.filter((one): one is string => typeof one === 'string') : [];
}

/** A turn that was just said. */
export type SaidTurn = Omit<BankedTurn, 'attempts'>;

/**
 * Puts down those of a session's turns that may state a fact and were not put down before; gives how many. Rejects when
 * credentials cannot be looked for: then nothing is written.
 */
export async function bankTurns(home: Home, session: string, turns: readonly SaidTurn[]): Promise<number> {
  const worth = turns.filter(({ text }) => isWorthExtracting(text));
  if (worth.length === 0) return 0;
  const before = await harvested(home, session);
  const secrets = await secretDetector();
  const known = new Set(before);
  for (const turn of worth) {
    if (known.size >= TURNS_A_SESSION) break;
    const text = secrets.redact(turn.text).text.trim();
    const hash = sha256(text);
    if (known.has(hash)) continue;
    await writeJsonFile(join(folderOf(home), `${hash}.json`), { ...turn, text, attempts: 0 });
    known.add(hash);
  }
  if (known.size > before.length) await writeJsonFile(sessionFile(home, session), { turns: [...known] });
  return known.size - before.length;
}

/** A waiting turn and the file that keeps it. */
export interface WaitingFile {
  file: string;
  turn: BankedTurn;
}

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).map((name) => join(folder, name));

/** How many turns wait. */
export const countBanked = async (home: Home): Promise<number> => (await filesIn(folderOf(home))).length;

/** The turns that have waited longest. A file that is no turn is left alone. */
export async function readBanked(home: Home, limit: number): Promise<WaitingFile[]> {
  const read = await Promise.all(
    (await filesIn(folderOf(home))).map(async (file) => {
      const turn = await readJsonFile(file).catch(() => undefined);
      return isTurn(turn) ? [{ file, turn }] : [];
    }),
  );
  return read
    .flat()
    .sort((a, b) => (a.turn.at < b.turn.at ? -1 : 1))
    .slice(0, limit);
}

/** Takes a turn away: it was dealt with. */
export const dropBanked = ({ file }: WaitingFile): Promise<void> => rm(file, { force: true });

/** Keeps that a model answered nothing of use. */
export const keepAttempt = ({ file, turn }: WaitingFile): Promise<void> =>
  writeJsonFile(file, { ...turn, attempts: turn.attempts + 1 });

/** Takes away what is too old; gives how many turns went. */
export async function sweepBank(home: Home, now: Date): Promise<number> {
  const folder = folderOf(home);
  let gone = 0;
  for (const file of [...(await filesIn(folder)), ...(await filesIn(join(folder, 'sessions')))]) {
    const found = await stat(file).catch(() => undefined);
    if (!found || now.getTime() - found.mtimeMs < KEPT_MS) continue;
    await rm(file, { force: true });
    if (!file.includes(join('turns', 'sessions'))) gone += 1;
  }
  return gone;
}
