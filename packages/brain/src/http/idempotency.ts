// Idempotency keys: a claim rides on a request's first commit, its answer on the last; both outlive a restart.
import { hash } from 'node:crypto';
import { canonicalJson } from '@gbrain/wire/canonical-json';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal/journal.ts';
import type { BatchExtra } from '../session/live.ts';
import { Refusal } from '../session/refusal.ts';
import type { RequestExtras } from '../session/sessions.ts';
import { type Answer, jsonAnswer, refusalAnswer, toRefusal } from './answer.ts';

/** One mutation: who asks for what. */
export interface Mutation {
  scope: string;
  key: string;
  body: unknown;
  /** Headers of the answer that is stored. */
  headers?: Record<string, string>;
}

interface InFlight {
  bodyHash: string;
  answer: Promise<Answer>;
}

/** Does each mutation once. */
export class Idempotency {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #scrub: (text: string) => string;
  readonly #inFlight = new Map<string, InFlight>();

  constructor(journal: Journal, clock: Clock, scrub: (text: string) => string) {
    this.#journal = journal;
    this.#clock = clock;
    this.#scrub = scrub;
  }

  /**
   * Runs `work`, or replays what it answered before. A duplicate that comes while it runs waits for the same answer.
   * A claim whose answer was lost with a server is `ambiguous` and is not run again.
   */
  async run(mutation: Mutation, work: (extras: RequestExtras) => Promise<Answer>): Promise<Answer> {
    const { scope, key, body } = mutation;
    const bodyHash = hash('sha256', canonicalJson(body ?? null));
    const id = `${scope}\n${key}`;
    const running = this.#inFlight.get(id);
    if (running) {
      refuseOtherBody(running.bodyHash, bodyHash);
      return running.answer;
    }
    const known = this.#journal.readRequest(scope, key);
    if (known) {
      refuseOtherBody(known.bodyHash, bodyHash);
      if (known.answer) return known.answer;
      throw new Refusal(
        'ambiguous',
        'This request was begun before and its answer is not known. It is not done again.',
      );
    }
    const answer = this.#perform(mutation, bodyHash, work);
    this.#inFlight.set(id, { bodyHash, answer });
    try {
      return await answer;
    } finally {
      this.#inFlight.delete(id);
    }
  }

  async #perform(
    mutation: Mutation,
    bodyHash: string,
    work: (extras: RequestExtras) => Promise<Answer>,
  ): Promise<Answer> {
    const { scope, key, headers = {} } = mutation;
    let claimed = false;
    let stored = false;
    const store = (answer: Answer): BatchExtra => {
      stored = true;
      return { answers: [{ scope, key, answer }] };
    };
    const extras: RequestExtras = {
      claim: () => {
        claimed = true;
        return { claims: [{ scope, key, bodyHash, createdAtMs: this.#clock.nowMs() }] };
      },
      answer: (body, status = 200) => store(jsonAnswer(status, body, headers)),
    };
    try {
      return await work(extras);
    } catch (error) {
      // A refusal before anything was begun leaves no trace; one after it is the answer for good.
      const definite = error instanceof Refusal && error.code !== 'internal' && error.status !== 503;
      if (claimed && !stored && definite) {
        await this.#journal.append(store(refusalAnswer(toRefusal(error), this.#scrub)), { barrier: true });
      }
      throw error;
    }
  }
}

function refuseOtherBody(known: string, given: string): void {
  if (known === given) return;
  throw new Refusal('conflict', 'The Idempotency-Key was used with another body.', {
    details: { reason: 'idempotency_key_reused' },
  });
}
