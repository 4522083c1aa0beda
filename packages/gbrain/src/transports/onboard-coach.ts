// The advice of one stdio session: looks at what each call has shown, against figures that are refreshed only while the
// session is idle. It holds up no call, and is silent until it has figures.
import { gapsShownBy, type OnboardCounts } from '../areas/health/onboarding.ts';
import type { Caller } from '../context.ts';
import { COUNTS_KEPT_MS, type KeptCounts, keepCounts, keptCounts } from '../home/onboard-counts.ts';
import type { Host } from '../host.ts';
import type { Outcome } from '../outcome.ts';

/** What a coach needs of its session. */
export interface CoachPlace {
  host: Host;
  /** Runs a call where the brain is open; undefined while it is not. */
  ask(op: string, caller: Caller, signal: AbortSignal): Promise<Outcome | undefined>;
}

/** The owner's figures: they are of the whole brain, and only counts come back. */
const OWNER: Caller = {
  transport: 'cli',
  principal: 'local',
  scopes: ['admin'],
  surface: 'full',
  surfaceSource: 'default',
  access: 'full',
  owner: true,
};

const BRAIN = 'host';

/** Decides which advice the result of a call deserves. */
export class OnboardCoach {
  readonly #place: CoachPlace;
  readonly #kept: () => Promise<KeptCounts | undefined>;
  readonly #over = new AbortController();
  #inFlight = 0;
  #refreshing: Promise<void> | undefined;
  /** A refresh is tried once a session for figures that are too old, so a brain that cannot answer is left alone. */
  #triedAtMs = Number.NEGATIVE_INFINITY;

  constructor(place: CoachPlace) {
    this.#place = place;
    this.#kept = keptCounts(place.host.home, BRAIN);
  }

  /** A call begins; give the function back to say that it is over. */
  begin(): () => void {
    this.#inFlight += 1;
    return () => {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#refreshSoon();
    };
  }

  /** Cuts a refresh off: the session is over. Resolves when nothing runs any more. */
  async end(): Promise<void> {
    this.#over.abort();
    await this.#refreshing?.catch(() => undefined);
  }

  /** Codes of the advice that this result shows, with their data. */
  async advice(call: {
    op: string;
    input: Readonly<Record<string, unknown>>;
    output: unknown;
    meta?: Record<string, unknown>;
  }): Promise<{ code: string; data: OnboardCounts & Record<string, unknown> }[]> {
    const { host } = this.#place;
    if (host.env.GBRAIN_NO_ONBOARD_NUDGE === '1') return [];
    const kept = await this.#kept();
    if (!kept || this.#isOld(kept.at)) return [];
    return gapsShownBy(call, kept.counts).map((code) => ({ code, data: { ...kept.counts } }));
  }

  #isOld(at: Date): boolean {
    return this.#place.host.now().getTime() - at.getTime() > COUNTS_KEPT_MS;
  }

  #refreshSoon(): void {
    const { host } = this.#place;
    if (host.env.GBRAIN_NO_ONBOARD_NUDGE === '1' || this.#refreshing || this.#over.signal.aborted) return;
    if (host.now().getTime() - this.#triedAtMs < COUNTS_KEPT_MS) return;
    this.#triedAtMs = host.now().getTime();
    this.#refreshing = this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
  }

  async #refresh(): Promise<void> {
    const { host } = this.#place;
    const kept = await this.#kept();
    if (kept && !this.#isOld(kept.at)) {
      this.#triedAtMs = kept.at.getTime();
      return;
    }
    // A request that came meanwhile goes first; the next idle moment tries again.
    if (this.#inFlight > 0) {
      this.#triedAtMs = Number.NEGATIVE_INFINITY;
      return;
    }
    const outcome = await this.#place.ask('run_onboard', OWNER, this.#over.signal);
    if (outcome?.kind !== 'ok') return;
    const { counts } = outcome.output as { counts: OnboardCounts };
    await keepCounts(host.home, BRAIN, { at: host.now(), counts });
  }
}
