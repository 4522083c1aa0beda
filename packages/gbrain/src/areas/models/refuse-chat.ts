// The refusal of work that needs a chat model where there is none: one wording of why and one way on, for every
// operation that asks one.
import type { Context } from '../../context.ts';
import type { NoModel } from './find-model.ts';

/** What the work is, for the words of its refusal. */
export interface ChatNeed {
  /** Such as "An answer". */
  what: string;
  /** What can be done until then. */
  advice: string;
  why: string;
  /** What the fix leads to, for the user. */
  result: string;
  userMessage: string;
}

function describeMissing(none: NoModel): string {
  if (none.none === 'off') return 'chat_model is off';
  if (none.none === 'not_configured') return 'none is configured and no key is set';
  if (none.none === 'key_missing') return `${none.ref} has no key (${none.provider.keyEnv})`;
  return none.none === 'address_missing' ? `${none.ref} has no address` : `${none.ref} does not exist`;
}

/** Ends with `unavailable`, which the operation declares. */
export function refuseNoChat(ctx: Context<string>, none: NoModel, need: ChatNeed): never {
  return ctx.fail('unavailable', {
    reason: 'no_llm',
    message: `${need.what} needs a chat model: ${describeMissing(none)}.`,
    advice: need.advice,
    why: need.why,
    fix: {
      call: { op: 'providers_list', input: {} },
      actor: 'user',
      consent: ['credentials', 'paid'],
      why: `It shows the providers and the variable that holds the key of each; with one set, ${need.result}.`,
      userMessage: need.userMessage,
    },
  });
}
