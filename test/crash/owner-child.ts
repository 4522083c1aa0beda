// A process of the owner tests: opens the brain of its argument and does what its parent sends over the IPC channel.
import { rmSync, writeFileSync } from 'node:fs';
import { claimBrain } from '../../packages/gbrain/src/owner/claim.ts';
import type { OwnerClient } from '../../packages/gbrain/src/owner/client.ts';
import { type Election, openOrForward } from '../../packages/gbrain/src/owner/elect.ts';
import { hostOwner, type OwnerHost } from '../../packages/gbrain/src/owner/host.ts';
import { readOwnerPaths } from '../../packages/gbrain/src/owner/rendezvous.ts';
import type { CallIo } from '../../packages/gbrain/src/owner/served-call.ts';
import { machine } from './owner-testbed.ts';

interface Command {
  do: 'open' | 'claim' | 'call' | 'release' | 'exit';
  deadlineMs?: number;
  host?: boolean;
  call?: { op: string; value?: unknown };
}

const paths = readOwnerPaths(process.argv[2]!, machine);
const witness = `${paths.brain}.witness`;
const identity = { version: '0.1.0', transport: 'stdio' as const, serve: true };
let election: Election | undefined;
let host: OwnerHost | undefined;
const report = (event: string, facts: Record<string, unknown> = {}): void => {
  process.send!({ event, pid: process.pid, ...facts });
};

async function handle(call: unknown, io: CallIo): Promise<unknown> {
  const { op, value } = call as { op: string; value?: unknown };
  if (op === 'echo') return { value, by: process.pid };
  if (op === 'hold') {
    report('holding');
    await new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve(), { once: true }));
    report('aborted', { why: io.signal.reason.why });
    return 'let go';
  }
  throw new Error(`no such op: ${op}`);
}

/** Being owner is witnessed by a file that only one process can make: two owners at a time would be seen. */
async function becomeOwner(withHost: boolean): Promise<void> {
  if (election?.kind !== 'owner') return;
  writeFileSync(witness, String(process.pid), { flag: 'wx' });
  if (withHost) host = await hostOwner({ lock: election.lock, handle });
}

async function release(): Promise<void> {
  if (election?.kind === 'client') election.client.close();
  if (election?.kind === 'owner') {
    await host?.close();
    rmSync(witness);
    election.lock.release();
  }
  election = undefined;
  host = undefined;
}

async function obey(command: Command): Promise<void> {
  if (command.do === 'open') {
    let waits = 0;
    election = await openOrForward({
      paths,
      identity,
      caller: { pid: process.pid },
      deadlineMs: command.deadlineMs ?? 20_000,
      onWait: () => {
        waits += 1;
      },
    });
    await becomeOwner(command.host ?? true);
    report(election.kind, { waits, ...(election.kind === 'held' ? { held: election } : {}) });
  } else if (command.do === 'claim') {
    const lock = claimBrain(paths, identity);
    if (lock.held) election = { kind: 'owner', lock };
    report('claimed', { held: lock.held });
  } else if (command.do === 'call') {
    const outcome = await (election as { client: OwnerClient }).client.call(command.call);
    report('outcome', { outcome });
  } else if (command.do === 'release') {
    await release();
    report('released');
  } else {
    process.exit(0);
  }
}

process.on('message', (command: Command) => {
  obey(command).catch((error: Error & { sent?: boolean; fault?: string }) => {
    report('error', { name: error.name, message: error.message, sent: error.sent, fault: error.fault });
  });
});
process.on('disconnect', () => process.exit(0));
report('ready');
