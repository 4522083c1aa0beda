// Client processes that run tools: their tokens, their one command stream each, and what was sent to whom. Sends once.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HostCommand, HostCredentials } from '@gbrain/brain-protocol/host';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal/journal.ts';
import { Refusal } from '../session/refusal.ts';
import type { Limits } from '../settings.ts';

/** Time that a lost connection may take to come back before what was sent over it counts as unknown. */
export const HOST_RECONNECT_MS = 5000;

/** An open command stream. */
export interface HostStream {
  send(command: HostCommand): void;
  /** Another connection took over, or the host is gone. */
  end(): void;
}

/** What happens to a command that invokes a tool. */
export interface CommandWatch {
  /** It left over a connection. */
  onSent(): void;
  /** Its connection was lost and did not come back; nobody knows whether it was received. */
  onLost(): void;
}

interface QueuedCommand {
  command: HostCommand;
  watch: CommandWatch | undefined;
}

interface Host {
  tokenHash: string;
  stream: HostStream | undefined;
  /** Commands that wait for a connection. */
  queue: QueuedCommand[];
  /** Commands that were sent and have no result yet, by session and sequence. */
  sent: Map<string, CommandWatch>;
  cancelTimer: (() => void) | undefined;
  used: boolean;
}

/** What the service is built from. `randomText` gives as many letters and digits as asked. */
export interface HostPorts {
  clock: Clock;
  limits: Limits;
  journal: Journal;
  randomText(length: number): string;
}

/** The hosts of a server. */
export class HostService {
  readonly #ports: HostPorts;
  readonly #hosts = new Map<string, Host>();

  constructor(ports: HostPorts) {
    this.#ports = ports;
    for (const { hostId, tokenHash } of ports.journal.listHosts()) {
      this.#hosts.set(hostId, newHost(tokenHash));
    }
  }

  /** Registers a host; resolves when it is durable. One that never connects is forgotten after a while. */
  async register(): Promise<HostCredentials> {
    const { limits, journal, clock, randomText } = this.#ports;
    if (this.#hosts.size >= limits.maxHosts)
      throw new Refusal('overloaded', `There are ${limits.maxHosts} hosts already.`);
    const hostId = `host_${randomText(24)}`;
    const token = randomText(43);
    const host = { ...newHost(digest(token)), used: false };
    this.#hosts.set(hostId, host);
    await journal.append(
      { hosts: [{ hostId, tokenHash: host.tokenHash, createdAtMs: clock.nowMs() }] },
      { barrier: true },
    );
    if (limits.hostUnconnectedMs > 0) {
      host.cancelTimer = clock.timer(limits.hostUnconnectedMs, () => {
        if (host.used) return;
        this.#hosts.delete(hostId);
        void journal.append({ dropHosts: [hostId] }, { barrier: false });
      });
    }
    return { host_id: hostId, token };
  }

  /** Whether the token is that host's. Compares digests in constant time. */
  isAuthorized(hostId: string, token: string): boolean {
    const host = this.#hosts.get(hostId);
    const given = Buffer.from(digest(token));
    const known = Buffer.from(host?.tokenHash ?? digest(''));
    return timingSafeEqual(given, known) && host !== undefined;
  }

  /** True when such a host is registered. A session that names it keeps it from expiring. */
  claim(hostId: string): boolean {
    const host = this.#hosts.get(hostId);
    if (host) host.used = true;
    return host !== undefined;
  }

  /** Connects a command stream and displaces an older one; gives what disconnects it. */
  connect(hostId: string, stream: HostStream): () => void {
    const host = this.#find(hostId);
    host.cancelTimer?.();
    host.cancelTimer = undefined;
    host.used = true;
    host.stream?.end();
    host.stream = stream;
    for (const { command, watch } of host.queue.splice(0)) this.#deliver(host, command, watch);
    return () => this.#disconnect(host, stream);
  }

  /** Sends a command, or keeps it for the host's next connection. Throws when too many wait. */
  send(hostId: string, command: HostCommand, watch?: CommandWatch): void {
    const host = this.#find(hostId);
    if (host.stream) {
      this.#deliver(host, command, watch);
      return;
    }
    if (host.queue.length >= this.#ports.limits.maxHostCommands) {
      throw new Refusal('overloaded', `${host.queue.length} commands wait for this host already.`);
    }
    host.queue.push({ command, watch });
  }

  /** Forgets a command that has its result, or that nobody waits for; true when it had not been sent yet. */
  settle(hostId: string, sessionId: string, sequence: number): boolean {
    const host = this.#hosts.get(hostId);
    if (!host) return false;
    host.sent.delete(key(sessionId, sequence));
    const before = host.queue.length;
    host.queue = host.queue.filter(({ command }) => command.session_id !== sessionId || command.sequence !== sequence);
    return host.queue.length < before;
  }

  /** Ends every stream; for shutdown. */
  close(): void {
    for (const host of this.#hosts.values()) {
      host.cancelTimer?.();
      host.stream?.end();
    }
  }

  #find(hostId: string): Host {
    const host = this.#hosts.get(hostId);
    if (!host) throw new Refusal('not_found', 'There is no such host.');
    return host;
  }

  #deliver(host: Host, command: HostCommand, watch: CommandWatch | undefined): void {
    if (watch) {
      host.sent.set(key(command.session_id, command.sequence), watch);
      watch.onSent();
    }
    host.stream?.send(command);
  }

  #disconnect(host: Host, stream: HostStream): void {
    if (host.stream !== stream) return;
    host.stream = undefined;
    if (host.sent.size === 0) return;
    const orphaned = [...host.sent];
    host.cancelTimer = this.#ports.clock.timer(HOST_RECONNECT_MS, () => {
      for (const [id, watch] of orphaned) if (host.sent.delete(id)) watch.onLost();
    });
  }
}

function newHost(tokenHash: string): Host {
  return { tokenHash, stream: undefined, queue: [], sent: new Map(), cancelTimer: undefined, used: true };
}

function key(sessionId: string, sequence: number): string {
  return `${sessionId} ${sequence}`;
}

/** SHA-256 of a token, as hex. */
export function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
