// What commands of this home have said of content that a search may miss: the same is not said again for half an hour.
// A small file; one that cannot be read or written only means that it is said again.
import { join } from 'node:path';
import type { CoverageCounts } from '@gbrain/wire/notice';
import type { Home } from '../host.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

/** Source: AGENT_OPERATOR v1, Coverage notices. */
const KEPT_MS = 30 * 60_000;

type Seen = Readonly<Record<string, CoverageCounts>>;

interface SeenFile {
  at: string;
  coverage: Seen;
}

const fileOf = (home: Home): string => join(home.root, 'notices', 'seen-coverage.json');

/** Counts that were said lately, by code. */
export async function readSeenCoverage(home: Home, now: Date): Promise<Seen> {
  const content = (await readJsonFile(fileOf(home)).catch(() => undefined)) as Partial<SeenFile> | undefined;
  const ageMs = now.getTime() - Date.parse(content?.at ?? '');
  return ageMs >= 0 && ageMs < KEPT_MS && content?.coverage ? content.coverage : {};
}

/** Keeps what was said now; nothing is written where it says no more than before. */
export async function keepSeenCoverage(home: Home, seen: { before: Seen; now: Seen; at: Date }): Promise<void> {
  if (JSON.stringify(seen.before) === JSON.stringify(seen.now)) return;
  const content: SeenFile = { at: seen.at.toISOString(), coverage: seen.now };
  await writeJsonFile(fileOf(home), content).catch(() => undefined);
}
