// Takes host details out of what a remote client reads; it knows no envelope, only keys and text that give a host away.
import type { Action, McpCall } from './action.ts';

/** Keys whose values describe the host; dropped at every depth. Source: contract facts A.2. */
export const HOST_KEYS: ReadonlySet<string> = new Set([
  'pid',
  'lock_owner',
  'path',
  'data_dir',
  'database_path',
  'asset',
]);

// A path segment may hold spaces as long as another segment follows; the bound keeps matching linear.
const CHARS = '[^\\s/"\'`()<>{}\\[\\],;|]';
const SEGMENT = `(?:${CHARS}+(?: ${CHARS}+){0,3}(?=/)|${CHARS}*)`;
// A slash inside a word (a slug, a fraction), inside a URL or behind an HTTP method starts no path of the host.
const NO_URL = '(?<!:(?=//))(?<!\\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )(?!/\\.well-known/)';
const BEFORE = `(?<![\\p{L}\\p{N}_.~>\\]/-])${NO_URL}`;
const BEFORE_ROOT = `(?<![\\w.~>\\]/-])${NO_URL}`;
const ROOTS = 'home|root|Users|tmp|var|etc|opt|srv|mnt|usr|data|private|Volumes|workspace|run|proc|dev|nix|app';
const PATH = new RegExp(
  [
    '(?<![A-Za-z0-9])(?:[A-Za-z]:[\\\\/](?!/)|\\\\\\\\)[^\\s"\'`()<>|,;]+',
    'file://(?:/[^\\s"\'`()<>,;]*)+',
    `${BEFORE_ROOT}/(?:${ROOTS})(?![\\p{L}\\p{N}_-])(?:/${SEGMENT})*`,
    `${BEFORE}(?:~[\\w.-]*)?/${SEGMENT}(?:/${SEGMENT})+`,
    `${BEFORE}~[\\w.-]*/[^\\s"'\`()<>,;]+`,
  ].join('|'),
  'gu',
);
const PID = /(?<![A-Za-z])(PID|pid)([ =:]+)\d+/g;
const URL_LOGIN = /(?<=[a-z]:\/\/)[^\s/@"']+:[^\s/@"']*(?=@)/g;
const SECRET_NAME = /\b[A-Z][A-Z0-9_]*_(?:API_KEY|TOKEN|SECRET)\b/g;

/** `text` with absolute paths, process ids, URL logins and names of secrets replaced by placeholders. URLs stay. */
export function redactText(text: string): string {
  return text
    .replace(URL_LOGIN, '<redacted>')
    .replace(PID, '$1$2<redacted>')
    .replace(SECRET_NAME, '<provider key>')
    .replace(PATH, (path) => `<path>${/[.:!?]+$/.exec(path)?.[0] ?? ''}`);
}

/** A JSON value without host keys and with every string redacted. */
export function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([key]) => !HOST_KEYS.has(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, redactValue(item)]));
}

/**
 * A stored step with its prose and argv redacted, `then` left to its own rendering. MCP calls stay whole: their
 * arguments are the remote caller's own, and a changed argument would make another call of it. `docs` is public.
 */
export function redactAction(action: Action): Action {
  const { argv, preview_argv, inputs, verify, user_message } = action;
  return {
    ...action,
    why: redactText(action.why),
    ...(argv && { argv: argv.map(redactText) }),
    ...(preview_argv && { preview_argv: preview_argv.map(redactText) }),
    ...(user_message && { user_message: redactText(user_message) }),
    ...(inputs && { inputs: inputs.map(({ name, how }) => ({ name, how: redactText(how) })) }),
    ...(verify && { verify: redactVerify(verify) }),
  };
}

function redactVerify(verify: { argv?: string[]; mcp?: McpCall }): { argv?: string[]; mcp?: McpCall } {
  return { ...verify, ...(verify.argv && { argv: verify.argv.map(redactText) }) };
}
