// The server's settings: one table of names, defaults and bounds, read from flags and variables given to it.
import { resolve } from 'node:path';
import { closest } from '@gbrain/wire/did-you-mean';
import { parseMasterKey } from './journal/seal.ts';

/** A setting that cannot be used. */
export class SettingError extends Error {
  readonly code = 'invalid_setting';
}

interface NumberSetting {
  env: string;
  default: number;
  /** What the number is multiplied with to get the setting's own unit. */
  scale: number;
  min: number;
  about: string;
}

/** Settings that are numbers; 0 is "no bound" for the deadlines. Source: sessions facts E.2, decisions 46, 50, 54. */
export const NUMBER_SETTINGS = {
  maxModelCalls: number('BRAIN_MAX_MODEL_CALLS', 128, units(0), 'model calls a turn; 0 is no bound'),
  maxTurnMs: number('BRAIN_MAX_TURN_SECS', 1800, seconds(0), 'a turn from its worker slot on'),
  maxToolMs: number('BRAIN_MAX_TOOL_SECS', 120, seconds(0), 'one tool call'),
  maxModelMs: number('BRAIN_MAX_MODEL_SECS', 120, seconds(0), 'one model call'),
  maxModelConnectMs: number('BRAIN_MAX_MODEL_CONNECT_SECS', 10, seconds(0), 'connecting to a model provider'),
  maxEmittedBytes: number('BRAIN_MAX_EMITTED_BYTES', 1_048_576, units(0), 'what an activation and its tools emit'),
  maxModelOutputBytes: number('BRAIN_MAX_MODEL_OUTPUT_BYTES', 4_194_304, units(1), 'the output of a model call'),
  maxModelDeltaBytes: number('BRAIN_MAX_MODEL_DELTA_BYTES', 65_536, units(1), 'one streamed delta'),
  maxModelStreamBytes: number('BRAIN_MAX_MODEL_STREAM_BYTES', 33_554_432, units(1), 'the stream of a model call'),
  maxModelFrameBytes: number('BRAIN_MAX_MODEL_FRAME_BYTES', 8_388_608, units(1), 'one frame of that stream'),
  maxModelErrorBytes: number('BRAIN_MAX_MODEL_ERROR_BYTES', 16_384, units(1), 'the error body of a provider'),
  maxJournalQueueBytes: number('BRAIN_MAX_JOURNAL_QUEUE_BYTES', 67_108_864, units(1), 'what waits for the journal'),
  maxSessionQueueBytes: number('BRAIN_MAX_SESSION_QUEUE_BYTES', 8_388_608, units(1), 'the same for one session'),
  maxLiveBacklog: number('BRAIN_MAX_LIVE_BACKLOG', 1024, units(1), 'events that a slow reader may be behind'),
  maxRequestBytes: number('BRAIN_MAX_REQUEST_BYTES', 33_554_432, units(1), 'the body of a request'),
  maxLineBytes: number('BRAIN_MAX_LINE_BYTES', 33_554_432, units(1024), 'a line of the harness protocol'),
  maxEnvironmentResponseBytes: number('BRAIN_MAX_ENVIRONMENT_RESPONSE_BYTES', 33_554_432, units(1), 'an answer'),
  maxEnvironmentMs: number('BRAIN_MAX_ENVIRONMENT_SECS', 120, seconds(0), 'one environment operation'),
  maxEnvironmentConnectMs: number('BRAIN_MAX_ENVIRONMENT_CONNECT_SECS', 5, seconds(0), 'connecting to one'),
  maxHosts: number('BRAIN_MAX_HOSTS', 4096, units(1), 'registered hosts'),
  maxHostCommands: number('BRAIN_MAX_HOST_COMMANDS', 128, units(1), 'commands that wait for a host'),
  hostUnconnectedMs: number('BRAIN_HOST_UNCONNECTED_SECS', 60, seconds(0), 'a host that never connected'),
  requestRetentionMs: number('BRAIN_REQUEST_RETENTION_SECS', 86_400, seconds(1), 'stored answers of requests'),
  sessionIdleTtlMs: number('BRAIN_SESSION_IDLE_TTL_SECS', 600, seconds(0), 'an idle session in memory; 0 is for ever'),
  initializeMs: number('BRAIN_INITIALIZE_SECS', 30, seconds(0), 'initialize of a harness'),
  drainMs: number('BRAIN_DRAIN_SECS', 30, seconds(0), 'turns that run when the server is told to stop'),
} as const satisfies Record<string, NumberSetting>;

/** Settings that are text; `secret` ones are never printed. */
export const TEXT_SETTINGS = {
  listen: text('BRAIN_LISTEN', 'address and port; beyond loopback a token is needed'),
  dataDir: text('BRAIN_DATA_DIR', 'the data folder'),
  apiToken: text('BRAIN_API_TOKEN', 'bearer token of the API', true),
  masterKey: text('BRAIN_MASTER_KEY', 'key of sealed values, 32 bytes; default is a file in the data folder', true),
  agentloops: text('BRAIN_AGENTLOOPS', 'registrations: JSON, or a path to it'),
  publicUrl: text('BRAIN_PUBLIC_URL', 'what environments call back to'),
  providersFile: text('BRAIN_PROVIDERS_FILE', 'model providers: a path to JSON'),
  modelBaseUrl: text('BRAIN_MODEL_BASE_URL', 'endpoint of the provider vercel-ai-gateway'),
  openaiBaseUrl: text('BRAIN_OPENAI_BASE_URL', 'endpoint of the provider openai, with /v1'),
  anthropicBaseUrl: text('BRAIN_ANTHROPIC_BASE_URL', 'endpoint of the provider anthropic, with /v1'),
} as const;

function number(env: string, value: number, measure: { scale: number; min: number }, about: string): NumberSetting {
  return { env, default: value, ...measure, about };
}

function seconds(min: number) {
  return { scale: 1000, min };
}

function units(min: number) {
  return { scale: 1, min };
}

function text(env: string, about: string, secret = false) {
  return { env, about, secret };
}

/** Numbers as the server uses them: bytes, counts, and milliseconds where a name ends in `Ms`. */
export type Limits = { [K in keyof typeof NUMBER_SETTINGS]: number };

/** Everything that the server is started with. */
export interface Settings {
  host: string;
  port: number;
  dataDir: string;
  apiToken?: string;
  masterKey?: string;
  agentloops?: string;
  publicUrl?: string;
  providersFile?: string;
  modelBaseUrl?: string;
  openaiBaseUrl?: string;
  anthropicBaseUrl?: string;
  limits: Limits;
}

/** `BRAIN_MAX_TURN_SECS` is `--max-turn-secs`. */
export function toFlag(env: string): string {
  return `--${env.slice('BRAIN_'.length).toLowerCase().replaceAll('_', '-')}`;
}

/** Reads settings; a flag (without its dashes) wins over its variable. Throws a SettingError that names what to fix. */
export function parseSettings(flags: Record<string, string>, env: Record<string, string | undefined>): Settings {
  refuseUnknownFlags(flags);
  const find = (name: string): string | undefined => flags[toFlag(name).slice(2)] ?? env[name];
  const limits = Object.fromEntries(
    Object.entries(NUMBER_SETTINGS).map(([key, setting]) => [key, parseNumber(setting, find(setting.env))]),
  ) as Limits;
  const texts: Record<string, string> = {};
  for (const [key, setting] of Object.entries(TEXT_SETTINGS)) {
    const value = find(setting.env);
    if (value === undefined) continue;
    if (value === '') throw new SettingError(`${setting.env} is set and empty: give it a value, or unset it.`);
    texts[key] = value;
  }
  const { listen = '127.0.0.1:8080', dataDir = 'brain-data', ...rest } = texts;
  const { host, port } = parseListen(listen);
  if (rest.apiToken === undefined && !isLoopback(host)) {
    throw new SettingError(
      `${listen} can be reached from other machines: set BRAIN_API_TOKEN, or listen on 127.0.0.1.`,
    );
  }
  for (const key of ['publicUrl', 'modelBaseUrl', 'openaiBaseUrl', 'anthropicBaseUrl']) checkUrl(key, rest[key]);
  checkMasterKey(rest.masterKey);
  return { host, port, dataDir: resolve(dataDir), ...rest, limits };
}

function refuseUnknownFlags(flags: Record<string, string>): void {
  const known = new Set(
    [...Object.values(NUMBER_SETTINGS), ...Object.values(TEXT_SETTINGS)].map(({ env }) => toFlag(env)),
  );
  for (const flag of Object.keys(flags)) {
    if (known.has(`--${flag}`)) continue;
    const meant = closest(`--${flag}`, [...known]);
    throw new SettingError(`There is no setting --${flag}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`);
  }
}

function parseNumber(setting: NumberSetting, value: string | undefined): number {
  if (value === undefined) return setting.default * setting.scale;
  const parsed = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  const whole = setting.scale === 1 ? Number.isSafeInteger(parsed) : Number.isFinite(parsed);
  if (!whole || parsed < setting.min) {
    throw new SettingError(`${setting.env} is ${JSON.stringify(value)}: give a number of at least ${setting.min}.`);
  }
  return Math.round(parsed * setting.scale);
}

function parseListen(listen: string): { host: string; port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(listen) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port > 65_535) {
    throw new SettingError(`BRAIN_LISTEN is ${JSON.stringify(listen)}: give address:port, such as 127.0.0.1:8080.`);
  }
  return { host, port };
}

/** True for addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function checkUrl(key: string, value: string | undefined): void {
  if (value === undefined) return;
  const url = URL.parse(value);
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (plain) return;
  const { env } = TEXT_SETTINGS[key as keyof typeof TEXT_SETTINGS];
  throw new SettingError(`${env} must be an http(s) URL without credentials, query or fragment.`);
}

function checkMasterKey(value: string | undefined): void {
  if (value === undefined) return;
  try {
    parseMasterKey(value);
  } catch (error) {
    throw new SettingError((error as Error).message);
  }
}
