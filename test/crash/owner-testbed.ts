// Temporary brains and processes for the owner tests; knows the owner's room and no operation.
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Machine,
  machineFacts,
  type OwnerPaths,
  readOwnerPaths,
} from '../../packages/gbrain/src/owner/rendezvous.ts';

/** Facts of this machine without the user's own runtime folder, so that tests leave nothing there. */
export const machine: Machine = { ...machineFacts({}), tempDir: '/tmp' };

/** A folder that is removed with `dispose`, and the places of a brain in it. */
export class TestHome implements Disposable {
  readonly folder = mkdtempSync('/tmp/gbrain-owner-');
  readonly paths: OwnerPaths = readOwnerPaths(join(this.folder, 'brain'), machine);
  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What a test process reports; `event` says which. Source: owner-child.ts. */
export interface ChildEvent {
  event: string;
  pid?: number;
  [key: string]: unknown;
}

/** A real process that opens brains on command. */
export class Child {
  readonly process: ChildProcess;
  readonly events: ChildEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #seen = 0;

  constructor(brain: string, options: ForkOptions = {}) {
    const script = fileURLToPath(new URL('./owner-child.ts', import.meta.url));
    this.process = fork(script, [brain], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], ...options });
    this.process.on('message', (message) => this.#add(message as ChildEvent));
    this.process.once('exit', (code, signal) => this.#add({ event: 'exit', code, signal }));
  }

  #add(event: ChildEvent): void {
    this.events.push(event);
    for (const wake of this.#waiting) wake();
  }

  send(command: Record<string, unknown>): void {
    this.process.send(command);
  }

  /** The next event of one of these kinds; events before it are passed over. Rejects when the process ends first. */
  async next(...kinds: string[]): Promise<ChildEvent> {
    for (;;) {
      while (this.#seen < this.events.length) {
        const event = this.events[this.#seen++]!;
        if (kinds.includes(event.event)) return event;
        if (event.event === 'exit') throw new Error(`the process ended: ${JSON.stringify(this.events.slice(-3))}`);
      }
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }

  /** Sends a command and waits for what it reports. */
  ask(command: Record<string, unknown>, ...kinds: string[]): Promise<ChildEvent> {
    this.send(command);
    return this.next(...kinds);
  }

  /** Ends the process at once and waits until the system has it gone. */
  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await gone;
  }
}
