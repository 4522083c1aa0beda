// All workers: start, health, and which worker a session is pinned to. It knows no session's state and no effect.
import type { CallParams, InitializeResult } from '@gbrain/brain-protocol/harness';
import type { JsonObject } from '@gbrain/brain-protocol/json';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { CheckSchema } from '../session/decide-tool.ts';
import { Refusal } from '../session/refusal.ts';
import type { IdentityStore } from './identity.ts';
import type { StartLink } from './link.ts';
import type { ResolvedRegistration } from './registration.ts';
import { Worker } from './worker.ts';

/** What the pool is built from. */
export interface PoolPorts {
  clock: Clock;
  log: Log;
  initializeMs: number;
  startLink: StartLink;
  identities: IdentityStore;
  /** Makes and names the folder of a registration. */
  stateDir(registration: string): string;
  onCall(worker: Worker, params: CallParams): Promise<unknown>;
  /** A harness is not the one that the data folder belongs to: the server must not go on. */
  onMismatch(registration: string, reason: string): void;
}

interface Group {
  registration: ResolvedRegistration;
  workers: Worker[];
  configurationSchema: JsonObject | undefined;
}

/** The workers of every registration. */
export class Pool {
  readonly #groups = new Map<string, Group>();
  readonly #assigned = new Map<string, Worker>();
  #draining = false;

  constructor(registrations: readonly ResolvedRegistration[], ports: PoolPorts) {
    for (const registration of registrations) {
      const group: Group = { registration, workers: [], configurationSchema: undefined };
      for (let index = 0; index < registration.workers; index += 1) {
        group.workers.push(new Worker(registration, index, toWorkerPorts(group, ports)));
      }
      this.#groups.set(registration.name, group);
    }
  }

  /** Starts every worker; resolves when each has been initialized, or has failed for the first time. */
  async start(): Promise<void> {
    await Promise.all(this.#workers().map((worker) => worker.start()));
  }

  /** True while any worker can serve. */
  isReady(): boolean {
    return !this.#draining && this.#workers().some((worker) => worker.status === 'ready');
  }

  /** True when the map has such a registration. */
  has(registration: string): boolean {
    return this.#groups.has(registration);
  }

  /** The deployment's configuration with the session's over it, key by key; checked when the harness gave a schema. */
  mergeConfiguration(registration: string, own: JsonObject | undefined, check: CheckSchema): JsonObject {
    const group = this.#findGroup(registration);
    const merged = { ...group.registration.configuration, ...own };
    const fault = group.configurationSchema && check(group.configurationSchema, merged);
    if (fault === undefined) return merged;
    throw new Refusal('invalid_request', `The configuration does not fit ${registration}: ${fault}`, { status: 422 });
  }

  /** The worker of a session: the one it has, else the least loaded usable one. Waits for an initialize under way. */
  async assign(registration: string, sessionId: string): Promise<Worker> {
    const group = this.#findGroup(registration);
    const assigned = this.#assigned.get(sessionId);
    if (assigned) return assigned;
    while (!group.workers.some((worker) => worker.status === 'ready')) {
      const starting = group.workers.filter((worker) => worker.status === 'starting');
      if (starting.length === 0) break;
      await Promise.race(starting.map((worker) => worker.settled()));
    }
    const again = this.#assigned.get(sessionId);
    if (again) return again;
    const [best] = group.workers.filter((worker) => worker.status === 'ready').sort(compareLoad);
    if (!best) {
      throw new Refusal('overloaded', `No worker of ${registration} can serve.`, {
        details: { agentloop: registration },
      });
    }
    best.sessions.add(sessionId);
    this.#assigned.set(sessionId, best);
    return best;
  }

  /** The worker that a session has; undefined when it has none. */
  find(sessionId: string): Worker | undefined {
    return this.#assigned.get(sessionId);
  }

  /** Frees a session's assignment, so that its next activation is balanced anew. */
  unassign(sessionId: string): void {
    this.#assigned.get(sessionId)?.sessions.delete(sessionId);
    this.#assigned.delete(sessionId);
  }

  /** The session's worker, else any usable one of its registration; undefined when there is none. */
  findForDelete(registration: string, sessionId: string): Worker | undefined {
    const own = this.#assigned.get(sessionId);
    if (own?.status === 'ready') return own;
    return this.#groups.get(registration)?.workers.find((worker) => worker.status === 'ready');
  }

  /** No new activations from now on. */
  drain(): void {
    this.#draining = true;
  }

  /** Ends every worker. */
  async close(graceMs: number): Promise<void> {
    this.#draining = true;
    await Promise.all(this.#workers().map((worker) => worker.close(graceMs)));
  }

  #workers(): Worker[] {
    return [...this.#groups.values()].flatMap((group) => group.workers);
  }

  #findGroup(registration: string): Group {
    const group = this.#groups.get(registration);
    if (group) return group;
    throw new Refusal('overloaded', `This server has no registration ${registration}.`, {
      details: { agentloop: registration },
      retryable: false,
    });
  }
}

function toWorkerPorts(group: Group, ports: PoolPorts) {
  const { name } = group.registration;
  return {
    ...ports,
    stateDir: ports.stateDir(name),
    onIdentity(result: InitializeResult): string | undefined {
      const refused = ports.identities.bind(name, result);
      if (refused !== undefined) ports.onMismatch(name, refused);
      else group.configurationSchema = result.configuration_schema;
      return refused;
    },
    onChange() {},
  };
}

/** Fewest sessions, then fewest runs, then the lower index. */
function compareLoad(left: Worker, right: Worker): number {
  return left.sessions.size - right.sessions.size || left.active - right.active || left.index - right.index;
}
