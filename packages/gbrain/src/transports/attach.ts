// How a process reaches its brain: as the owner, through the owner's socket, or directly on a Postgres server.

import type { Call, CallIo } from '../call.ts';
import type { Caller, Progress } from '../context.ts';
import { Raised, raise } from '../failure.ts';
import { passPoint } from '../fault-points.ts';
import { openOptions, ownerPathsOf, refuseOwnerFault } from '../home/local-host.ts';
import { type Located, requireBrain } from '../home/locate.ts';
import type { Host } from '../host.ts';
import { invoke } from '../invoke.ts';
import type { Operation } from '../operation.ts';
import type { Outcome } from '../outcome.ts';
import type { OwnerIdentity, OwnerLock } from '../owner/claim.ts';
import type { OwnerClient } from '../owner/client.ts';
import { type Election, openOrForward, type Wait } from '../owner/elect.ts';
import { hostOwner } from '../owner/host.ts';
import { OwnerFault } from '../owner/owner-fault.ts';
import { type OwnerInfo, readOwnerRecord } from '../owner/rendezvous.ts';
import { CallDeclined, CallFailed, LinkLost } from '../owner/sent-call.ts';
import { normaliseThrown } from '../pipeline/normalise.ts';
import { meantTarget } from '../pipeline/target.ts';
import { wireSchema } from '../schema.ts';
import type { Attached } from './attached.ts';
import type { SentBefore, SentCommand } from './command-frame.ts';
import { runSentCommand } from './owner-command.ts';
import type { ProcessBrain } from './process-brain.ts';

/** What reaching a brain takes. */
export interface AttachOptions {
  host: Host;
  /** The brain of this process: told how to open, and closed here. */
  brain: ProcessBrain;
  identity: OwnerIdentity;
  /** Longest wait for an owner that opens or closes; 0 tries once. */
  deadlineMs: number;
  signal: AbortSignal;
  onWait?(wait: Wait): void;
  /** Opens the brain as it is, for this process alone: no migration is applied and no call of others is served. */
  observes?: boolean;
}

/** What goes over the owner's socket as one call: an operation, or a whole command line. */
type Forwarded = { call: Call; caller: Caller } | { command: SentCommand };

const DRAIN_MS = 10_000;
/** An owner that is ending needs up to its drain before the brain is free; a call that it declined waits for that. */
const HANDOVER_MS = DRAIN_MS + 20_000;

/** Runs the calls that other processes forward. */
const serveForwarded =
  (host: Host) =>
  async (value: unknown, io: CallIo): Promise<unknown> => {
    const sent = value as Forwarded;
    if ('command' in sent) return runSentCommand(host, sent.command, io, atEdge);
    const outcome = await invoke(host, sent.call, sent.caller, io);
    await passPoint('outcome_ready');
    return outcome;
  };

async function elect(options: AttachOptions, dataDir: string): Promise<Election> {
  const { host, identity, deadlineMs, signal, onWait } = options;
  try {
    const paths = ownerPathsOf(dataDir, host.env);
    return await openOrForward({ paths, identity, caller: null, deadlineMs, signal, ...(onWait && { onWait }) });
  } catch (error) {
    return refuseOwnerFault(error);
  }
}

/** The lock is freed only when the store is closed, and whatever became of the closing. */
async function closeOwned(brain: ProcessBrain, lock: OwnerLock): Promise<void> {
  try {
    await brain.close();
    await passPoint('owner_closed');
  } finally {
    lock.release();
  }
}

/** The socket of an owner; without one others learn who has the brain and wait. */
function listen(host: Host, { lock }: Extract<Election, { kind: 'owner' }>) {
  return hostOwner({ lock, handle: serveForwarded(host) }).catch((error: unknown) => {
    // That is better than nobody having it.
    if (error instanceof OwnerFault && error.fault === 'no_socket_folder') return undefined;
    lock.release();
    return refuseOwnerFault(error);
  });
}

async function asOwner(
  options: AttachOptions,
  located: Openable,
  election: Extract<Election, { kind: 'owner' }>,
): Promise<Attached> {
  const { host, brain, identity, observes } = options;
  brain.use(located, { ...openOptions(host), ...(observes && { observes }) }, { host, isServer: identity.serve });
  brain.ownedBy(() => election.lock.check());
  await passPoint('owner_locked');
  const socket = observes ? undefined : await listen(host, election);
  await passPoint('owner_listening');
  return {
    kind: 'owner',
    invoke: (call, caller, io) => invoke(host, call, caller, io),
    close: async () => {
      await passPoint('owner_closing');
      try {
        await socket?.drain(DRAIN_MS);
      } finally {
        await closeOwned(brain, election.lock);
      }
    },
  };
}

type Openable = Extract<Located, { kind: 'pglite' | 'postgres' }>;

/**
 * A call as it leaves this process: on the brain and source that this process means, whatever the owner's environment
 * says; a write with its request id, so that its receipt can be asked for after a lost link.
 */
function atEdge(host: Host, call: Call, requestId = host.newId()): Call {
  const operation = host.registry.operation(call.op);
  const takesId = operation?.mutating && 'request_id' in wireSchema(operation, { listFullOnly: true }).properties;
  const args = takesId && call.args.request_id === undefined ? { ...call.args, request_id: requestId } : call.args;
  return { ...host.ambient, ...call, args };
}

/** True when the same call may be sent again: a read, a repeatable write, or a write that names its receipt. */
function mayResend(host: Host, call: Call, wasSent: boolean): boolean {
  const operation = host.registry.operation(call.op);
  return !wasSent || !operation?.mutating || operation.idempotent || call.args.request_id !== undefined;
}

async function forward(client: OwnerClient, sent: Forwarded, io: CallIo): Promise<Outcome> {
  const onProgress = (value: unknown) => io.progress(value as Progress);
  const stdin = io.stdin?.();
  return (await client.call(sent, { signal: io.signal, onProgress, ...(stdin && { stdin }) })) as Outcome;
}

/** What became of a call that the owner has not answered: a write that it may have begun is looked up, not repeated. */
function lostCall(operation: Operation | undefined, call: Call, error: unknown): unknown {
  const isAnswered = !(error instanceof LinkLost || error instanceof CallDeclined || error instanceof CallFailed);
  if (isAnswered) return error;
  const wasSent = error instanceof CallFailed || (error instanceof LinkLost && error.sent);
  if (wasSent && operation?.mutating) {
    const { request_id: requestId } = call.args;
    return new Raised('write_outcome_unknown', { operation: call.op, ...(requestId !== undefined && { requestId }) });
  }
  return new Raised('owner_unavailable', { reason: wasSent ? 'outcome_unknown' : 'not_sent' }, error);
}

function lostOutcome(host: Host, call: Call, error: unknown): Outcome {
  const { registry } = host;
  const operation = registry.operation(call.op);
  const mutating = operation?.mutating ?? false;
  const point = { operation: call.op, input: call.args, mutating, idempotent: operation?.idempotent ?? true };
  const failure = normaliseThrown(registry, lostCall(operation, call, error), point);
  const target = operation && meantTarget(operation, call, host);
  return { kind: 'failed', op: call.op, failure, ...(target && { target }) };
}

/** A brain for a command that was sent to an owner and has no answer: the same request, and never a second one. */
export function attachedAgain(host: Host, attached: Attached, { requestId, wasSent }: SentBefore): Attached {
  return {
    ...attached,
    close: () => attached.close(),
    invoke: async (raw, caller, io) => {
      const call = atEdge(host, raw, requestId);
      if (!mayResend(host, call, wasSent)) return lostOutcome(host, call, new LinkLost(true));
      return attached.invoke(call, caller, io);
    },
  };
}

class Client implements Attached {
  readonly kind = 'client';
  readonly path: string;
  readonly owner?: OwnerInfo;
  readonly ended: Promise<void>;
  readonly #options: AttachOptions;
  #client: OwnerClient;
  #promoted: Promise<Attached> | undefined;
  #isClosed = false;

  constructor(options: AttachOptions, client: OwnerClient, path: string) {
    this.#options = options;
    this.#client = client;
    this.path = path;
    this.ended = client.closed;
    const record = readOwnerRecord(ownerPathsOf(path, options.host.env));
    if (record) this.owner = record.info;
  }

  async invoke(raw: Call, caller: Caller, io: CallIo): Promise<Outcome> {
    const { host } = this.#options;
    const call = atEdge(host, raw);
    if (this.#promoted) return this.#again(call, caller, io);
    try {
      return await forward(this.#client, { call, caller }, io);
    } catch (error) {
      const wasSent = error instanceof LinkLost ? error.sent : !(error instanceof CallDeclined);
      const isLost = error instanceof LinkLost || error instanceof CallDeclined;
      if (!isLost || !mayResend(host, call, wasSent)) return this.#failed(call, error);
      return this.#again(call, caller, io);
    }
  }

  /** The owner is gone: this process becomes the owner or finds the next one, and the call runs there. */
  async #again(call: Call, caller: Caller, io: CallIo): Promise<Outcome> {
    // A late call must not open a brain that nobody would close.
    if (this.#isClosed) return this.#failed(call, new LinkLost(false));
    try {
      const deadlineMs = Math.max(this.#options.deadlineMs, HANDOVER_MS);
      // One attempt, however many calls have lost their owner: this process opens the brain once.
      this.#promoted ??= attach({ ...this.#options, deadlineMs });
      const next = await this.#promoted;
      this.#client.close();
      return await next.invoke(call, caller, io);
    } catch (error) {
      // The next call tries anew.
      this.#promoted = undefined;
      return this.#failed(call, error);
    }
  }

  #failed(call: Call, error: unknown): Outcome {
    return lostOutcome(this.#options.host, call, error);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#client.close();
    const promoted = await this.#promoted?.catch(() => undefined);
    await promoted?.close();
  }
}

/** Reaches the brain of this home. Fails with a registered code: `no_brain`, `lock_busy`, `brain_unopenable`, ... */
export async function attach(options: AttachOptions): Promise<Attached> {
  const { host, brain } = options;
  const located = await requireBrain(host);
  if (located.kind === 'postgres') {
    brain.use(
      located,
      { ...openOptions(host), ...(options.observes && { observes: true }) },
      { host, isServer: options.identity.serve },
    );
    return { kind: 'direct', invoke: (call, caller, io) => invoke(host, call, caller, io), close: () => brain.close() };
  }
  const election = await elect(options, located.dataDir);
  switch (election.kind) {
    case 'owner':
      return asOwner(options, located, election);
    case 'client':
      return new Client(options, election.client, located.dataDir);
    case 'held':
      return raise('lock_busy', {
        reason: election.record?.serve ? 'live_serve' : 'timeout',
        path: located.dataDir,
        owner: election.record,
        ...(election.record && { pid: election.record.pid }),
        ...(election.refusal && { why: election.refusal.message }),
      });
  }
}
