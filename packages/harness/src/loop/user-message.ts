// What an activation tells the model first: the user's words, and events that happened outside the loop. Pure.
import type { Event } from '@gbrain/brain-protocol/event';
import type { Block, Message } from '@gbrain/brain-protocol/message';
import type { UserInput } from '@gbrain/brain-protocol/session';

/** Most text of one event, and of all events together, that a message carries. */
const EVENT_UNITS = 8192;
const EVENTS_UNITS = 65_536;

/**
 * One `user` message. Events come first, each marked `[event <type> <sequence>]`, so that nobody takes them for the
 * user's words; what does not fit is counted.
 */
export function toUserMessage(input: UserInput | undefined, events: readonly Event[]): Message {
  const content: Block[] = toEventTexts(events).map((text) => ({ type: 'text', text }));
  if (input) content.push(...toBlocks(input));
  if (content.length === 0) content.push({ type: 'text', text: '[event] Nothing was said.' });
  return { role: 'user', content };
}

function toBlocks({ message, media = [] }: UserInput): Block[] {
  const said: Block[] = typeof message === 'string' ? [{ type: 'text', text: message }] : message;
  return [...said, ...media];
}

function toEventTexts(events: readonly Event[]): string[] {
  const texts: string[] = [];
  let units = 0;
  for (const [index, { event_type, sequence, data }] of events.entries()) {
    const body = JSON.stringify(data);
    const cut = body.length > EVENT_UNITS ? `${body.slice(0, EVENT_UNITS)} [cut]` : body;
    units += cut.length;
    if (units > EVENTS_UNITS && texts.length > 0) {
      texts.push(`[event] ${events.length - index} more are not shown.`);
      break;
    }
    texts.push(`[event ${event_type} ${sequence}] ${cut}`);
  }
  return texts;
}
