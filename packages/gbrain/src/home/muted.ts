// Which notices the owner, the stdio sessions and each client have muted: a small file of the home.
import type { Home } from '../host.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

/** Muted codes by audience; `global` is the owner's list. Source: facts/contract C.2. */
export interface MutedLists {
  global: string[];
  clients: Record<string, string[]>;
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** The lists; empty when there is no file. */
export async function readMuted(home: Home): Promise<MutedLists> {
  const content = (await readJsonFile(home.mutedFile)) as Partial<MutedLists> | undefined;
  const clients = Object.entries(content?.clients ?? {}).map(([audience, codes]) => [audience, strings(codes)]);
  return { global: strings(content?.global), clients: Object.fromEntries(clients) };
}

/** Replaces the lists. */
export const writeMuted = (home: Home, lists: MutedLists): Promise<void> => writeJsonFile(home.mutedFile, lists);

/** Codes that an audience does not see: its own list and the owner's. */
export const mutedFor = (lists: MutedLists, audience: string): ReadonlySet<string> =>
  new Set([...lists.global, ...(lists.clients[audience] ?? [])]);
