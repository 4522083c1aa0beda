// The kind of file that declares a health check: `areas/<area>/<name>.check.ts`. A check reads and never spends.
import type { OpenBrain } from './brain.ts';
import type { Caller } from './context.ts';
import type { FixSpec } from './fix.ts';
import type { Host } from './host.ts';

/** What part of the setup a readiness row speaks of. Source: facts/contract K.2. */
export type Capability =
  | 'embeddings'
  | 'chat_llm'
  | 'worker'
  | 'writeback'
  | 'backup'
  | 'tool_surface'
  | 'sync'
  | 'migrations'
  | 'harness_wiring';

/** How ready a part can be. */
export const READINESS_STATES = [
  'ok',
  'disabled_by_choice',
  'not_applicable',
  'missing',
  'degraded',
  'unknown',
] as const;

/** How ready it is. `disabled_by_choice` and `not_applicable` are nobody's fault and never a warning. */
export type ReadinessState = (typeof READINESS_STATES)[number];

/** What a check of a capability adds to its result. */
export interface Readiness {
  state: ReadinessState;
  /** From the vocabulary of the capability. */
  reason: string;
  /** `probed` when it was tried, `config` when only settings and records were read. */
  tier: 'config' | 'probed';
}

/** A record that a repair changes, at the state at which it was seen. */
export interface RepairRecord {
  /** Name of it for a person. */
  id: string;
  sourceId: string;
  /** Arguments of the call for it. */
  input: Record<string, unknown>;
  /** Any other state of the record is another plan. */
  revision: string;
}

/**
 * A repair that rewrites what somebody wrote, one way out of several: it runs when the user names its kind and agrees
 * to its records.
 */
export interface Repair {
  /** The operation that is called for each record; also the kind that is named. */
  kind: string;
  /** What it does, as a sentence. */
  why: string;
  records: readonly RepairRecord[];
}

interface Found {
  message: string;
  /** Ways out that the user chooses between. */
  repairs?: readonly Repair[];
  details?: Record<string, unknown>;
  readiness?: Readiness;
}

/** What a check found. A row that warns or fails has a fix, or says why there is none. */
export type CheckResult =
  | (Found & { status: 'ok'; fix?: FixSpec })
  | (Found & { status: 'warn' | 'fail'; fix: FixSpec })
  | (Found & { status: 'warn' | 'fail'; fixUnavailable: string });

/** Where a check looks. */
export interface CheckPlace {
  host: Host;
  caller: Caller;
  /** Ends when the time of the check is up. */
  signal: AbortSignal;
  /** The check was asked for by name, so it may try what it otherwise only reads (start a server of ours). */
  mayProbe: boolean;
  /** The user asked for the probe of a provider, and agreed where that is paid. */
  isProbeAgreed?: boolean;
}

interface CheckFacts {
  name: string;
  category: 'brain' | 'skill' | 'ops' | 'meta';
  /** One sentence for the docs. */
  summary: string;
  requirement: string;
  /** The readiness row that this check is the source of. */
  capability?: Capability;
  /** Whether a remote client may see that row. Source: facts/contract K.2. */
  isHttpVisible?: boolean;
  /** Longest time it may take, in milliseconds; 10,000 unless said. */
  limitMs?: number;
}

/** A check of files, settings and processes: it works without an open brain. */
export interface PlaceCheck extends CheckFacts {
  needsBrain: false;
  run(at: CheckPlace): Promise<CheckResult>;
}

/** A check of the brain's rows: it runs in the process that has the brain open. */
export interface BrainCheck extends CheckFacts {
  needsBrain: true;
  run(at: CheckPlace & { brain: OpenBrain }): Promise<CheckResult>;
}

/** One row of `doctor`. */
export type Check = PlaceCheck | BrainCheck;

/** Declares a check; the default export of its file. */
export const defineCheck = (check: Check): Check => check;
