// The file plane of settings: config.json of the home, a flat or nested object of dotted keys.
import { statSync } from 'node:fs';
import { raise } from '../failure.ts';
import type { FileConfig, Home } from '../host.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function flatten(value: Json, prefix: string, into: Map<string, string>): Map<string, string> {
  for (const [key, inner] of Object.entries(value)) {
    if (isObject(inner)) flatten(inner, `${prefix}${key}.`, into);
    else if (inner !== null && inner !== undefined) into.set(`${prefix}${key}`, String(inner));
  }
  return into;
}

function withoutKey(value: Json, key: string): Json {
  const out: Json = {};
  for (const [name, inner] of Object.entries(value)) {
    if (name === key) continue;
    out[name] = isObject(inner) && key.startsWith(`${name}.`) ? withoutKey(inner, key.slice(name.length + 1)) : inner;
  }
  return out;
}

async function readObject(path: string): Promise<Json> {
  const content = (await readJsonFile(path)) ?? {};
  if (!isObject(content)) raise('config_error', { path, reason: 'not_an_object' });
  return content;
}

/** What tells one state of a file from the next: every change of ours brings a new file, one by hand a new time. */
function stampOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true });
    return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
  } catch {
    // What hinders the look hinders the reading too, and that says it in our words.
    return undefined;
  }
}

/** The settings of a file, read anew only when the file has changed: every call looks several of them up. */
function cachedRead(path: string): () => Promise<ReadonlyMap<string, string>> {
  let kept: { stamp: string; settings: ReadonlyMap<string, string> } | undefined;
  return async () => {
    const stamp = stampOf(path);
    if (stamp !== undefined && kept?.stamp === stamp) return kept.settings;
    const settings = flatten(await readObject(path), '', new Map());
    kept = stamp === undefined ? undefined : { stamp, settings };
    return settings;
  };
}

/** The file plane of a home. Keys that another version wrote are kept through every change. */
export const fileConfigOf = (home: Home): FileConfig => ({
  read: cachedRead(home.configFile),
  write: async (key, value) => {
    const content = withoutKey(await readObject(home.configFile), key);
    await writeJsonFile(home.configFile, value === undefined ? content : { ...content, [key]: value });
  },
});
