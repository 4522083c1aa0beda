// The figures behind the advice of a stdio session, kept in the home so that no call waits for them.
import { join } from 'node:path';
import type { OnboardCounts } from '../areas/health/onboarding.ts';
import type { Home } from '../host.ts';
import { keptJson, writeJsonFile } from './json-file.ts';

/** How long figures are good. Source: AGENT_OPERATOR v1, Onboarding coaching on stdio. */
export const COUNTS_KEPT_MS = 6 * 60 * 60_000;

/** Figures with the time at which they were read. */
export interface KeptCounts {
  at: Date;
  counts: OnboardCounts;
}

const fileOf = (home: Home, brain: string): string => join(home.root, `onboard-counts-${brain}.json`);

const KEYS = ['pages', 'links', 'entities', 'entities_linked', 'entities_dated', 'chunks', 'chunks_waiting'] as const;

function countsOf(file: unknown): KeptCounts | undefined {
  const content = file as { at?: unknown; counts?: Record<string, unknown> } | undefined;
  const at = new Date(String(content?.at));
  const isWhole = KEYS.every((key) => typeof content?.counts?.[key] === 'number');
  return isWhole && !Number.isNaN(at.getTime())
    ? { at, counts: content!.counts as unknown as OnboardCounts }
    : undefined;
}

/** Reads the kept figures of a brain, the file when it has changed; undefined when there are none that can be read. */
export function keptCounts(home: Home, brain: string): () => Promise<KeptCounts | undefined> {
  const read = keptJson(fileOf(home, brain), countsOf);
  return () => read().catch(() => undefined);
}

/** The kept figures of a brain, once. It never rejects. */
export const readKeptCounts = (home: Home, brain: string): Promise<KeptCounts | undefined> => keptCounts(home, brain)();

/** Keeps figures. A home that cannot be written costs the advice and nothing else. */
export const keepCounts = (home: Home, brain: string, { at, counts }: KeptCounts): Promise<void> =>
  writeJsonFile(fileOf(home, brain), { at: at.toISOString(), counts }).catch(() => undefined);
