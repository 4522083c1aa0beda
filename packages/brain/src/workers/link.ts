// The link to one harness process as a port: requests, callbacks, death. The real one is a child process.
import type { CallParams } from '@gbrain/brain-protocol/harness';

/** Why a process is gone. `protocol`: it broke the protocol and was killed for it. */
export interface LinkEnd {
  reason: 'exited' | 'protocol' | 'killed';
  message: string;
}

/** A started harness process. */
export interface WorkerLink {
  readonly pid: number | undefined;
  /** Sends a request; rejects with the JsonRpcError that was answered, or when the process is gone. */
  request(method: string, params: Record<string, unknown>): Promise<unknown>;
  /** Resolves once, when the process is gone or its pipes are of no more use. */
  readonly ended: Promise<LinkEnd>;
  /** Closes stdin, which asks a harness to end. */
  closeInput(): void;
  /** Kills the whole process group. */
  kill(): void;
}

/** Starts the process of a worker slot. `onCall` answers its `brain/call` requests, in the order of arrival. */
export type StartLink = (start: {
  registration: string;
  command: string;
  args: string[];
  stateDir: string;
  onCall(params: CallParams): Promise<unknown>;
}) => WorkerLink;
