// Hosts over a clock of their own: what is sent once, what waits, what is lost, and which token opens which host.
import type { HostCommand } from '@gbrain/brain-protocol/host';
import { describe, expect, it } from 'vitest';
import { MemoryJournal, MemoryStore } from '../journal/memory.ts';
import { parseSettings } from '../settings.ts';
import { HOST_RECONNECT_MS, HostService } from './hosts.ts';

class Bench {
  readonly store = new MemoryStore();
  readonly timers: { ms: number; then: () => void; gone: boolean }[] = [];
  readonly heard: string[] = [];
  service: HostService;
  #texts = 0;

  constructor() {
    this.service = this.open();
  }

  open(): HostService {
    const clock = { nowMs: () => 0, timer: (ms: number, then: () => void) => this.#timer(ms, then) };
    const journal = new MemoryJournal(this.store, { timer: clock.timer });
    const { limits } = parseSettings({ 'max-host-commands': '1' }, {});
    const randomText = (length: number) => String(++this.#texts).padEnd(length, 'x');
    return new HostService({ clock, limits, journal, randomText });
  }

  connect(hostId: string, name: string) {
    return this.service.connect(hostId, {
      send: ({ sequence }) => this.heard.push(`${name} gets ${sequence}`),
      end: () => this.heard.push(`${name} ends`),
    });
  }

  send(hostId: string, sequence: number): void {
    const command = { session_id: 'ses_1', sequence } as HostCommand;
    this.service.send(hostId, command, {
      onSent: () => this.heard.push(`${sequence} sent`),
      onLost: () => this.heard.push(`${sequence} lost`),
    });
  }

  fire(ms: number): void {
    for (const timer of this.timers.splice(0)) if (timer.ms === ms && !timer.gone) timer.then();
  }

  #timer(ms: number, then: () => void): () => void {
    const timer = { ms, then, gone: false };
    this.timers.push(timer);
    return () => {
      timer.gone = true;
    };
  }
}

describe('hosts', () => {
  it('get each command once, the newest connection first of all', async () => {
    const bench = new Bench();
    const { host_id } = await bench.service.register();
    bench.send(host_id, 1);
    expect(() => bench.send(host_id, 2)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    const leave = bench.connect(host_id, 'first');
    bench.connect(host_id, 'second');
    leave();
    bench.send(host_id, 3);
    expect(bench.heard).toEqual(['1 sent', 'first gets 1', 'first ends', '3 sent', 'second gets 3']);
  });

  it('that go away lose what was sent and not settled, after a time to come back in', async () => {
    const bench = new Bench();
    const { host_id } = await bench.service.register();
    const leave = bench.connect(host_id, 'a');
    bench.send(host_id, 1);
    bench.send(host_id, 2);
    bench.service.settle(host_id, 'ses_1', 1);
    leave();
    bench.send(host_id, 3);
    bench.fire(HOST_RECONNECT_MS);
    expect(bench.heard).toEqual(['1 sent', 'a gets 1', '2 sent', 'a gets 2', '2 lost']);
  });

  it('that come back in time lose nothing', async () => {
    const bench = new Bench();
    const { host_id } = await bench.service.register();
    bench.connect(host_id, 'a')();
    const leave = bench.connect(host_id, 'b');
    bench.send(host_id, 1);
    leave();
    bench.connect(host_id, 'c');
    bench.fire(HOST_RECONNECT_MS);
    expect(bench.heard).toEqual(['1 sent', 'b gets 1']);
  });

  it('are known by their own token, also after a restart, and forgotten when they never connect', async () => {
    const bench = new Bench();
    const [one, two] = [await bench.service.register(), await bench.service.register()];
    expect(bench.service.isAuthorized(one.host_id, one.token)).toBe(true);
    expect(bench.service.isAuthorized(one.host_id, two.token)).toBe(false);
    expect(bench.service.isAuthorized('host_none', '')).toBe(false);
    expect(JSON.stringify([...bench.store.hosts.values()])).not.toContain(one.token);
    bench.service.claim(one.host_id);
    bench.fire(60_000);
    expect(bench.service.isAuthorized(two.host_id, two.token)).toBe(false);
    expect(bench.open().isAuthorized(one.host_id, one.token)).toBe(true);
  });

  it('take back what was not sent yet, so that it never is', async () => {
    const bench = new Bench();
    const { host_id } = await bench.service.register();
    bench.send(host_id, 1);
    expect(bench.service.settle(host_id, 'ses_1', 1)).toBe(true);
    bench.connect(host_id, 'a');
    expect(bench.heard).toEqual([]);
  });
});
