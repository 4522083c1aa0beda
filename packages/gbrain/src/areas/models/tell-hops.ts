// Tells that a request went to another chat model: once a process, and never over HTTP.
import type { Context } from '../../context.ts';
import type { ChatHop } from './ask-chat.ts';

let isTold = false;

/** Adds `chat_fallback_hop` for the first hop of this process. The operation declares the notice. */
export function tellHops(ctx: Context<string>, hops: readonly ChatHop[]): void {
  const [hop] = hops;
  if (!hop || isTold || ctx.caller.transport === 'http') return;
  isTold = true;
  ctx.notice('chat_fallback_hop', { ...hop });
}

/** Forgets what was told, as a new process has. For tests. */
export function forgetHops(): void {
  isTold = false;
}
