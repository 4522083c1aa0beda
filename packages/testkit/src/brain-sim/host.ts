// A simulated client process that runs tools: one command stream that breaks and comes back, results that come late.
import type { HostCommand, ToolUpdate } from '@gbrain/brain-protocol/host';
import { checkToolInput } from './network.ts';
import type { Oracle } from './oracle.ts';
import type { Random } from './random.ts';
import type { SimClock } from './sim-clock.ts';
import type { SimServer } from './sim-server.ts';

/** The one host of a schedule. */
export class SimHost {
  /** Registered before the first life, as if by an earlier one. */
  readonly hostId = 'host_00000000000000000000';
  readonly #clock: SimClock;
  readonly #random: Random;
  readonly #oracle: Oracle;
  #server: SimServer | undefined;
  #connection = 0;

  constructor({ clock, random, oracle }: { clock: SimClock; random: Random; oracle: Oracle }) {
    this.#clock = clock;
    this.#random = random;
    this.#oracle = oracle;
    oracle.hosts.set(this.hostId, { hostId: this.hostId, tokenHash: '', createdAtMs: 0 });
  }

  /** Another life of the server has begun. */
  attach(server: SimServer): void {
    this.#server = server;
    server.life.timer(this.#random.int(1, 50), () => this.#connect(server));
  }

  #connect(server: SimServer): void {
    this.#connection += 1;
    const mine = this.#connection;
    const isMine = () => this.#connection === mine;
    const disconnect = server.hosts.connect(this.hostId, {
      send: (command) => {
        // A line that is under way when its connection breaks may be lost.
        const isLost = this.#random.chance(0.05);
        this.#clock.timer(this.#random.int(0, 5), () => {
          if (isMine() && !isLost) this.#take(command);
        });
      },
      end: () => {},
    });
    if (!this.#random.chance(0.3)) return;
    server.life.timer(this.#random.int(50, 900), () => {
      if (!isMine()) return;
      this.#connection += 1;
      disconnect();
      server.life.timer(this.#random.int(1, 200), () => this.#connect(server));
    });
  }

  #take({ operation, session_id, sequence }: HostCommand): void {
    if (operation.type !== 'invoke_tool') return;
    checkToolInput(this.#oracle, operation.input);
    const effect = this.#oracle.onReceived(session_id, 'tool', sequence);
    if (effect) effect.succeeded = true;
    const kind = this.#random.int(0, 9);
    if (kind === 0) return;
    const ok = { status: 'ok' as const, value: sequence };
    if (kind === 1) this.#report(session_id, sequence, { type: 'returned', outcome: ok }, this.#random.int(1, 60));
    this.#report(session_id, sequence, { type: 'finish', outcome: ok }, this.#random.int(kind === 1 ? 61 : 1, 300));
  }

  #report(sessionId: string, sequence: number, update: ToolUpdate, afterMs: number): void {
    this.#clock.timer(afterMs, () => {
      const server = this.#server;
      if (!server?.life.alive) return;
      try {
        const session = server.sessions.open(sessionId);
        server.tools.update(session, sequence, update).catch((error: Error) => this.#onRefused(error));
      } catch (error) {
        this.#onRefused(error as Error);
      }
    });
  }

  /** Late, or for a session that is gone: a refusal is the right answer. */
  #onRefused(error: Error): void {
    if (error.name !== 'Refusal') this.#oracle.report(`a host's report broke: ${error.message}`);
  }
}
