// A brain within reach of a process, however it is reached. It opens nothing.
import type { Call, CallIo } from '../call.ts';
import type { Caller } from '../context.ts';
import type { Outcome } from '../outcome.ts';
import type { OwnerInfo } from '../owner/rendezvous.ts';

/** A brain within reach. */
export interface Attached {
  /** How: `owner` and `direct` run calls here, `client` in the owner's process. */
  readonly kind: 'owner' | 'direct' | 'client';
  /** Data folder of an embedded brain. */
  readonly path?: string;
  /** Of a client: who owns the brain, and when it ends. */
  readonly owner?: OwnerInfo;
  readonly ended?: Promise<void>;
  invoke(call: Call, caller: Caller, io: CallIo): Promise<Outcome>;
  /** Lets the calls of other processes finish, then closes the brain and frees its lock. */
  close(): Promise<void>;
}
