// Which notices the owner, the stdio sessions and each client have muted: a small file of the home.
import type { Home } from '../host.ts';
import { keptJson, readJsonFile, writeJsonFile } from './json-file.ts';

/** Muted codes by audience; `global` is the owner's list. Source: facts/contract C.2. */
export interface MutedLists {
  global: string[];
  clients: Record<string, string[]>;
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

function listsOf(content: unknown): MutedLists {
  const { global, clients } = (content ?? {}) as Partial<MutedLists>;
  const byClient = Object.entries(clients ?? {}).map(([audience, codes]) => [audience, strings(codes)]);
  return { global: strings(global), clients: Object.fromEntries(byClient) };
}

/** The lists; empty when there is no file. */
export const readMuted = async (home: Home): Promise<MutedLists> => listsOf(await readJsonFile(home.mutedFile));

/** Reads the lists again and again; the file only when it has changed. */
export const keptMuted = (home: Home): (() => Promise<MutedLists>) => keptJson(home.mutedFile, listsOf);

/** Replaces the lists. */
export const writeMuted = (home: Home, lists: MutedLists): Promise<void> => writeJsonFile(home.mutedFile, lists);

/** Codes that an audience does not see: its own list and the owner's. */
export const mutedFor = (lists: MutedLists, audience: string): ReadonlySet<string> =>
  new Set([...lists.global, ...(lists.clients[audience] ?? [])]);
