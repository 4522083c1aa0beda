// What became of a turn, told from its events. Pure.
import type { JsonValue } from '@gbrain/brain-protocol/json';
import type { Message } from '@gbrain/brain-protocol/message';
import type { Failure } from '@gbrain/brain-protocol/outcome';
import { isEvent, type LiveFrame, type SessionEvent } from './events.ts';

/** What became of a turn. */
export interface TurnOutcome {
  /** Record that began the turn. */
  readonly sequence: number;
  readonly status: 'ended' | 'failed' | 'pending';
  /** What the loop returned; only of a turn that ended, and only when it returned something. */
  readonly result?: JsonValue;
  /** Why it failed. `interrupted`: the server stopped. */
  readonly failure?: Failure;
  /** The record that ended the turn; undefined while it is pending. */
  readonly terminal?: SessionEvent;
  /** The loop's last answer. */
  readonly answer?: Message;
  /** Text of the answer; '' without one. */
  readonly text: string;
  /** Sequence of the last event that was looked at. */
  readonly through: number;
}

/** Gathers the events of one turn. */
export class TurnReader {
  #outcome: TurnOutcome;

  constructor(sequence: number) {
    this.#outcome = { sequence, status: 'pending', text: '', through: sequence };
  }

  get outcome(): TurnOutcome {
    return this.#outcome;
  }

  /** Takes the next event; true when the turn is over. */
  take(event: SessionEvent | LiveFrame): boolean {
    if (event.live || event.sequence <= this.#outcome.sequence) return false;
    this.#outcome = { ...this.#outcome, through: event.sequence };
    const answer = findAnswer(event);
    if (answer) this.#outcome = { ...this.#outcome, answer, text: toText(answer) };
    if (isEvent(event, 'turn_ended')) {
      const { result } = event.data;
      const ended = { status: 'ended' as const, terminal: event };
      this.#outcome = { ...this.#outcome, ...ended, ...(result !== undefined && { result }) };
    }
    if (isEvent(event, 'turn_failed')) {
      this.#outcome = { ...this.#outcome, status: 'failed', terminal: event, failure: event.data };
    }
    return this.#outcome.status !== 'pending';
  }
}

/** Only what a loop emitted counts as its answer; a tool may not speak for it. */
function findAnswer(event: SessionEvent): Message | undefined {
  if (event.type !== 'output_emitted' || event.origin?.kind !== 'agentloop') return undefined;
  const { type, message } = event.data as { type?: unknown; message?: unknown };
  return type === 'assistant_message' ? (message as Message) : undefined;
}

/** The text blocks of a message, joined. */
export function toText(message: Message): string {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}
