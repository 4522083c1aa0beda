// What must hold, checked while a schedule runs and at its end, from what is durable and what the outside has seen.
import type { Batch } from '@gbrain/brain/journal/journal';
import { MemoryStore } from '@gbrain/brain/journal/memory';
import { fromStored } from '@gbrain/brain/journal/record';
import { isSettled } from '@gbrain/brain/session/command';
import type { SessionState } from '@gbrain/brain/session/state';
import { type Effect, type Loose, WatchedSession } from './watched.ts';

/** Durable storage that checks every commit, and the book of what was seen outside. */
export class Oracle extends MemoryStore {
  readonly violations: string[] = [];
  readonly #watched = new Map<string, WatchedSession>();
  readonly #accepted = new Map<string, { sessionId: string; sequence: number }>();
  readonly #secrets = new Map<string, string>();

  /** Notes that something did not hold. Few are kept: the first is what counts. */
  report(what: string): void {
    if (this.violations.length < 20) this.violations.push(what);
  }

  override apply(batches: readonly Batch[]): void {
    super.apply(batches);
    for (const { row, records = [], deleteSession } of batches) {
      if (row) {
        const watched = this.#find(row.sessionId);
        for (const stored of records) watched.take(fromStored(stored) as Loose);
        // A session that a restart must look at is marked so.
        if (isSettled(watched.state) !== row.atRest)
          this.report(`${row.sessionId}: its row says at rest ${row.atRest}`);
      }
      if (deleteSession) this.#watched.delete(deleteSession);
    }
  }

  /** The model key of a session; it must never be seen in a record. */
  hide(sessionId: string, secret: string): void {
    this.#secrets.set(sessionId, secret);
  }

  /** The session that was made with a model key. */
  findBySecret(secret: string): string {
    return [...this.#secrets].find(([, known]) => known === secret)?.[0] ?? `the session of ${secret}`;
  }

  /** The folded durable state of a session. */
  stateOf(sessionId: string): SessionState | undefined {
    return this.#watched.get(sessionId)?.state;
  }

  /** The outside received a request: its intent must be durable, and it must be the first time. */
  onReceived(sessionId: string, type: Effect['type'], sequence: number | undefined): Effect | undefined {
    const effects = this.#watched.get(sessionId)?.effects;
    const newest = [...(effects?.values() ?? [])].findLast((effect) => effect.type === type);
    const effect = sequence === undefined ? newest : effects?.get(sequence);
    if (!effect) {
      this.report(`${sessionId}: a ${type} request without a durable intent`);
      return undefined;
    }
    effect.received += 1;
    if (effect.received > 1) this.report(`${sessionId}: ${type} ${effect.sequence} was sent twice`);
    return effect;
  }

  /** A harness was given an outcome: it must be durable. */
  onObserved(sessionId: string, sequence: number, kinds: readonly string[]): void {
    const known = this.#watched.get(sessionId)?.records.some((record) => {
      return kinds.includes(record.kind) && record.payload.sequence === sequence;
    });
    if (!known) this.report(`${sessionId}: the outcome of ${sequence} was observed before it was durable`);
  }

  /** A harness has seen so many model results: at least so many must be durable. */
  onModelResults(sessionId: string, count: number): void {
    const records = this.#watched.get(sessionId)?.records ?? [];
    const durable = records.filter(({ kind }) => kind === 'model_call_ended').length;
    if (count > durable) this.report(`${sessionId}: ${count} model results were observed and ${durable} are durable`);
  }

  /** A run arrived at a harness: its activation must be durable and the only one unresolved. */
  onRun(sessionId: string, sequence: number, transcript: unknown): void {
    const watched = this.#watched.get(sessionId);
    if (watched?.unresolved !== sequence) {
      this.report(`${sessionId}: run ${sequence} arrived before its activation was durable`);
    }
    watched?.entered.add(sequence);
    if (watched && JSON.stringify(transcript) !== watched.savedTranscript) {
      this.report(`${sessionId}: run ${sequence} begins with another transcript`);
    }
  }

  /** A loop was told a fatal error: its activation cannot end well, whatever it makes of that. */
  onFatal(sessionId: string, sequence: number): void {
    this.#watched.get(sessionId)?.doomed.add(sequence);
  }

  /** A loop was told that its transcript is saved. The next run, which takes a success before it, begins with it. */
  onTranscriptSaved(sessionId: string, transcript: unknown): void {
    const watched = this.#watched.get(sessionId);
    if (watched) watched.savedTranscript = JSON.stringify(transcript);
  }

  /** A server has died: what is open now can only be recorded unknown. */
  onDeath(): void {
    for (const { effects } of this.#watched.values()) {
      for (const effect of effects.values()) if (effect.ends.length === 0) effect.orphaned = true;
    }
  }

  /** The server said yes to a message; the turn must be durable, and the same key must never mean another turn. */
  onAccepted(sessionId: string, key: string, sequence: number): void {
    const turn = this.#watched.get(sessionId)?.turns.find((one) => one.sequence === sequence);
    if (!turn) this.report(`${sessionId}: turn ${sequence} was acknowledged and is not durable`);
    const known = this.#accepted.get(key);
    if (known && known.sequence !== sequence) {
      this.report(`${sessionId}: the key ${key} has turns ${known.sequence} and ${sequence}`);
    }
    this.#accepted.set(key, { sessionId, sequence });
  }

  /** The server said that a turn is over, with the session's last record; both must be durable. */
  onTurnAnswered(sessionId: string, lastSequence: number): void {
    const watched = this.#watched.get(sessionId);
    if (!watched) return;
    const turn = watched.turns.findLast(({ sequence }) => sequence <= lastSequence);
    if (watched.records.length < lastSequence || !turn?.end) {
      this.report(`${sessionId}: the end of a turn was acknowledged and is not durable`);
    }
  }

  /** The server said that a session has ended. */
  onEnded(sessionId: string): void {
    const status = this.#watched.get(sessionId)?.state.status;
    if (status !== 'ended') this.report(`${sessionId}: its end was acknowledged and it is ${status}`);
  }

  /** The server said that a cancel is durable. A turn that ran must have been asked to stop. */
  onCancelled(sessionId: string, turn: number | undefined): void {
    const found = this.#watched.get(sessionId)?.turns.find((one) => one.sequence === turn);
    if (found && !found.cancelAsked && !found.end) {
      this.report(`${sessionId}: the cancel of turn ${turn} was acknowledged and is not durable`);
    }
  }

  /** At the end of a schedule, when nothing is left to happen: everything is at rest and told once. */
  finish(): void {
    for (const [sessionId, watched] of this.#watched) {
      if (!isSettled(watched.state)) this.report(`${sessionId}: not at rest in the end: ${watched.state.status}`);
      for (const effect of watched.effects.values()) this.#checkEffect(sessionId, effect);
      for (const turn of watched.turns) if (!turn.end) this.report(`${sessionId}: turn ${turn.sequence} has no end`);
      const secret = this.#secrets.get(sessionId);
      if (secret && JSON.stringify(watched.records).includes(secret))
        this.report(`${sessionId}: a secret was recorded`);
    }
    for (const [key, { sessionId, sequence }] of this.#accepted) {
      const turns = this.#watched.get(sessionId)?.turns;
      if (turns && !turns.some((turn) => turn.sequence === sequence)) {
        this.report(`${sessionId}: the accepted turn ${sequence} of ${key} is gone`);
      }
    }
  }

  /** Everything durable as text; two runs of one seed give the same. */
  toText(): string {
    return JSON.stringify([[...this.records], [...this.requests], [...this.sessions]]);
  }

  #find(sessionId: string): WatchedSession {
    const known = this.#watched.get(sessionId);
    if (known) return known;
    const watched = new WatchedSession(sessionId, (what) => this.report(what));
    this.#watched.set(sessionId, watched);
    return watched;
  }

  #checkEffect(sessionId: string, { type, sequence, ends, received, succeeded, orphaned }: Effect): void {
    const say = (what: string) => this.report(`${sessionId}: ${type} ${sequence} ${what}`);
    if (ends.length !== 1) {
      say(`has ${ends.length} endings`);
      return;
    }
    const { payload } = ends[0] as Loose;
    const { status } = (payload.outcome as { status?: string } | undefined) ?? {};
    const isUnknown = payload.ambiguous === true || status === 'unknown';
    if (orphaned && !isUnknown) say('was open when its server died and is not told as unknown');
    if (type === 'model' && payload.ambiguous === false && succeeded) say('happened and is told as certain failure');
    const saysDone = type === 'model' ? 'result' in payload : status === 'ok';
    if (saysDone && received === 0) say('is told as done and was never received');
  }
}
