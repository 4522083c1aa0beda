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
const SEGMENT = '[^\\s/"\'`()<>{}\\[\\],;|]+(?: [^\\s/"\'`()<>{}\\[\\],;|]+){0,3}(?=/)|[^\\s/"\'`()<>{}\\[\\],;|]*';
const BEFORE = '(?<![\\w.:/~>\\]-])';
const ROOTS = 'home|root|Users|tmp|var|etc|opt|srv|mnt|usr|data|private|Volumes|workspace|run|proc|dev|nix|app';
const POSIX = `${BEFORE}(?:file://)?(?:~[\\w.-]*)?/(?:${SEGMENT})(?:/(?:${SEGMENT}))+`;
const POSIX_ROOT = `${BEFORE}(?:file://)?/(?:${ROOTS})(?![\\w/-])`;
const HOME = `${BEFORE}~/[^\\s"'\`()<>,;]+`;
const WINDOWS = '(?<![A-Za-z0-9])(?:[A-Za-z]:[\\\\/]|\\\\\\\\)[^\\s"\'`()<>|,;]+';
const PATH = new RegExp(`${WINDOWS}|${POSIX}|${POSIX_ROOT}|${HOME}`, 'g');
const PID = /\b(PID|pid)([ =:]+)\d+/g;
const SECRET_NAME = /\b[A-Z][A-Z0-9_]*_(?:API_KEY|TOKEN|SECRET)\b/g;

/** `text` with absolute paths, process ids and names of secrets replaced by placeholders. URLs stay. */
export function redactText(text: string): string {
  return text
    .replace(PATH, (path) => `<path>${/[.:!?]+$/.exec(path)?.[0] ?? ''}`)
    .replace(PID, '$1$2<redacted>')
    .replace(SECRET_NAME, '<provider key>');
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
