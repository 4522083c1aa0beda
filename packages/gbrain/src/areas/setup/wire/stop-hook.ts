// The command that an agent app runs when its agent has answered, as the app's settings keep it. It is written only
// while the user wants facts saved, and whatever becomes of it the app sees an end without a fault.
import { shellQuote } from '@gbrain/wire/shell-quote';
import type { Host } from '../../../host.ts';
import type { Entry } from './apps.ts';

/** Seconds after which the app gives the command up; the command itself is over long before. */
const TIMEOUT_S = 5;

/** The entry of this gbrain. A status of 2 would hold the agent up, so none but 0 comes out, installed or not. */
export function stopHookEntry(host: Host): Entry {
  const home = host.env.GBRAIN_HOME ? `GBRAIN_HOME=${shellQuote([host.home.root])} ` : '';
  const command = `${home}${shellQuote([host.launcher])} hook stop >/dev/null 2>&1 || true`;
  return { hooks: [{ type: 'command', command, timeout: TIMEOUT_S }] };
}

/** True for an entry of a gbrain and of nobody else. */
export function isStopHook(value: unknown): boolean {
  const { hooks } = (value ?? {}) as { hooks?: unknown };
  if (!Array.isArray(hooks) || hooks.length !== 1) return false;
  const { command } = (hooks[0] ?? {}) as { command?: unknown };
  return typeof command === 'string' && /gbrain\S* hook stop(?:\s|$)/.test(command);
}

/** Whether the user wants facts saved unasked. */
export async function savesUnasked(host: Host): Promise<boolean> {
  const { value } = await host.setting('memory.auto_writeback');
  return value === 'salient' || value === 'all';
}
