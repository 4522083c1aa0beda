// The file plane of settings: config.json of the home, a flat or nested object of dotted keys.
import { raise } from '../failure.ts';
import type { FileConfig, Home } from '../host.ts';
import { keptJson, readJsonFile, writeJsonFile } from './json-file.ts';

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

function objectOf(content: unknown, path: string): Json {
  const object = content ?? {};
  if (!isObject(object)) raise('config_error', { path, reason: 'not_an_object' });
  return object;
}

/** The file plane of a home. Keys that another version wrote are kept through every change. */
export const fileConfigOf = (home: Home): FileConfig => ({
  read: keptJson(home.configFile, (content) => flatten(objectOf(content, home.configFile), '', new Map())),
  write: async (key, value) => {
    const content = withoutKey(objectOf(await readJsonFile(home.configFile), home.configFile), key);
    await writeJsonFile(home.configFile, value === undefined ? content : { ...content, [key]: value });
  },
});
