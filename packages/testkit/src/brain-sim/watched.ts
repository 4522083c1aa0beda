// One session as the oracle watches it: every durable record is checked against those before it. Knows no server.
import { applyRecord } from '@gbrain/brain/session/fold';
import { emptyState, type SessionRecord, type SessionState } from '@gbrain/brain/session/state';

/** A record whose payload is looked into. */
export type Loose = SessionRecord & { payload: Record<string, unknown> };

/** An effect as the journal has it. */
export interface Effect {
  type: 'model' | 'tool';
  sequence: number;
  /** Times that the outside received it. */
  received: number;
  /** The outside answered it with a success. */
  succeeded: boolean;
  /** Its server died while it was open. */
  orphaned: boolean;
  /** Terminal records. */
  ends: Loose[];
}

/** A turn as the journal has it. */
export interface WatchedTurn {
  sequence: number;
  cancelAsked: boolean;
  modelCalls: number;
  end?: Loose;
}

/** Bounds that the simulated server is given. */
export const SIM_BOUNDS = { modelCalls: 5, emittedBytes: 3000 } as const;

/** Kinds that only a loop's own activation may write. */
const LOOP_KINDS = new Set(['output_emitted', 'note']);

const MARKER = 'brain.harness.activation';

/** What is durable of a session, and the rules that bind each record to those before it. */
export class WatchedSession {
  readonly state: SessionState;
  readonly records: Loose[] = [];
  readonly effects = new Map<number, Effect>();
  readonly turns: WatchedTurn[] = [];
  /** Activations whose run a harness has received. */
  readonly entered = new Set<number>();
  /** Activations that met a fatal error. */
  readonly doomed = new Set<number>();
  /** The transcript that the loop was last told is saved, as text. */
  savedTranscript = '[]';
  /** The activation whose marker stands. */
  unresolved: number | undefined;
  #activation: { sequence: number; open: boolean; emitted: number } | undefined;
  readonly #report: (what: string) => void;

  constructor(sessionId: string, report: (what: string) => void) {
    this.state = emptyState(sessionId);
    this.#report = (what) => report(`${sessionId}: ${what}`);
  }

  /** Takes the next durable record. */
  take(record: Loose): void {
    if (record.recordedAtMs < this.state.lastRecordedAtMs) this.#report(`time went back at ${record.sequence}`);
    try {
      applyRecord(this.state, structuredClone(record));
    } catch (error) {
      this.#report(`a durable record does not fold: ${(error as Error).message}`);
    }
    const ended = this.records.some(({ kind }) => kind === 'session_ended');
    this.records.push(record);
    // What a session says after its end is only how its environments and tools were let go of.
    if (ended && !/^(environment|tool_cancel)_/.test(record.kind)) this.#report(`${record.kind} after the end`);
    this.#watchEffects(record);
    this.#watchTurns(record);
    this.#watchActivation(record);
    this.#watchLoop(record);
  }

  #watchEffects(record: Loose): void {
    const { kind, sequence, payload } = record;
    if (kind === 'model_call_started' || kind === 'tool_call_started') {
      const type = kind === 'model_call_started' ? 'model' : 'tool';
      this.effects.set(sequence, { type, sequence, received: 0, succeeded: false, orphaned: false, ends: [] });
      const turn = this.turns.at(-1);
      if (turn && type === 'model') turn.modelCalls += 1;
      if (turn && turn.modelCalls > SIM_BOUNDS.modelCalls) this.#report(`${turn.modelCalls} model calls in a turn`);
      if (!this.#activation?.open) this.#report(`${kind} ${sequence} outside of an activation`);
    }
    if (!/^(model|tool)_call_(ended|failed)$/.test(kind)) return;
    const effect = this.effects.get(payload.sequence as number);
    if (!effect || effect.ends.length > 0) this.#report(`${kind} ${payload.sequence} ends nothing that is open`);
    effect?.ends.push(record);
  }

  #watchTurns(record: Loose): void {
    const { kind, sequence } = record;
    const last = this.turns.at(-1);
    if (kind === 'turn_started') {
      if (last && !last.end) this.#report(`turn ${sequence} began inside ${last.sequence}`);
      if (this.unresolved !== undefined) this.#report(`turn ${sequence} on an unresolved activation`);
      this.turns.push({ sequence, cancelAsked: false, modelCalls: 0 });
    }
    if (kind === 'turn_cancel_requested' && last) {
      if (last.cancelAsked) this.#report(`turn ${last.sequence} was asked to stop twice`);
      last.cancelAsked = true;
    }
    if (kind !== 'turn_ended' && kind !== 'turn_failed') return;
    if (!last || last.end) this.#report(`${kind} ${sequence} ends no turn`);
    else last.end = record;
    if (kind === 'turn_ended' && last?.cancelAsked) this.#report('a cancelled turn ended well');
    if (this.#activation?.open) this.#report(`${kind} ${sequence} inside an activation`);
  }

  #watchActivation({ kind, sequence, payload }: Loose): void {
    if (kind === 'activation_started') {
      this.#activation = { sequence, open: true, emitted: 0 };
      this.unresolved = sequence;
    }
    if (kind === 'kv_delete' && payload.key === MARKER) this.unresolved = undefined;
    if (kind !== 'activation_ended' && kind !== 'activation_failed') return;
    const entered = this.entered.has(this.#activation?.sequence ?? 0);
    if (kind === 'activation_failed' && entered && this.unresolved === undefined) {
      this.#report('a run that was entered and failed left no marker');
    }
    if (kind === 'activation_ended') this.#checkEndedWell(this.#activation?.sequence ?? 0);
    if (this.#activation) this.#activation.open = false;
  }

  #checkEndedWell(activation: number): void {
    this.unresolved = undefined;
    if (this.doomed.has(activation)) this.#report(`activation ${activation} ended well after a fatal error`);
    for (const { type, sequence, ends } of this.effects.values()) {
      const isReturned = this.records.some(
        ({ kind, payload }) => kind === 'tool_call_returned' && payload.sequence === sequence,
      );
      if (ends.length === 0 && !isReturned) this.#report(`the activation ended and ${type} ${sequence} is open`);
    }
  }

  /** What a loop writes lies in its activation and within its bounds. */
  #watchLoop({ kind, sequence, payload, origin }: Loose): void {
    if (kind === 'kv_set' && String(payload.key).startsWith('brain.') && payload.key !== MARKER) {
      this.#report(`a loop wrote the key ${payload.key}`);
    }
    if (!LOOP_KINDS.has(kind) || origin?.kind !== 'agentloop') return;
    const activation = this.#activation;
    if (!activation?.open || activation.sequence !== origin.sequence) {
      this.#report(`${kind} ${sequence} of a loop outside of its activation`);
      return;
    }
    activation.emitted += JSON.stringify(payload).length;
    if (activation.emitted > SIM_BOUNDS.emittedBytes) this.#report(`${activation.emitted} bytes were emitted`);
  }
}
