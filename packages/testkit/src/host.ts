// A host for tests of operations: the real registry and pipeline on a given store, with a clock and ids of its own.
// It has no home folder and opens nothing; what a test needs beyond that it passes in.
import { createHash, randomUUID } from 'node:crypto';
import { LiveIndex } from 'gbrain/areas/search/live-index';
import { readSourceIds } from 'gbrain/areas/setup/brain.sql';
import type { OpenBrain } from 'gbrain/brain';
import type { Call, CallIo } from 'gbrain/call';
import type { Caller } from 'gbrain/context';
import { errors } from 'gbrain/generated/errors';
import { notices } from 'gbrain/generated/notices';
import { operations } from 'gbrain/generated/operations';
import { settings } from 'gbrain/generated/settings';
import { homeAt } from 'gbrain/home/home';
import type { Host } from 'gbrain/host';
import { invoke } from 'gbrain/invoke';
import type { OkOutcome, Outcome } from 'gbrain/outcome';
import { buildRegistry } from 'gbrain/registry';
import { findSetting } from 'gbrain/settings';
import { sql } from 'gbrain/store/sql';
import type { Store } from 'gbrain/store/store';

/** The owner at a terminal. */
export const OWNER: Caller = {
  transport: 'cli',
  principal: 'local',
  scopes: ['read', 'write', 'admin'],
  surface: 'full',
  surfaceSource: 'default',
  access: 'full',
  owner: true,
};

/** An agent on the owner's pipe: writes, sees nothing private. */
export const AGENT: Caller = {
  transport: 'stdio',
  principal: 'stdio',
  scopes: ['read', 'write'],
  surface: 'full',
  surfaceSource: 'default',
  access: 'full',
  owner: false,
};

/** What a test may decide of its host. */
export interface TestHostOptions {
  /** Default: a clock that goes on by a millisecond with every look, from 2026-03-01. */
  now?(): Date;
  settings?: Readonly<Record<string, string>>;
  env?: Host['env'];
  /** Home folder; one that does not exist unless said. */
  homeRoot?: string;
  launcher?: string;
  /** Who has an embedded brain open; nobody unless said. */
  owner?: Host['brainOwner'];
  /** Reaches another tool server; refused unless said. */
  connectTools?: Host['connectTools'];
  /** Opens the brain `host`; the given store unless said. */
  openBrain?: Host['openBrain'];
}

/** A host with a short way to call. */
export interface TestHost extends Host {
  /** Faults that a call did not expect; a test asserts that there are none. */
  readonly faults: unknown[];
  /** One call through the pipeline. */
  call(op: string, args?: Record<string, unknown>, caller?: Caller, call?: Partial<Call & CallIo>): Promise<Outcome>;
  /** The output of a call that must succeed. */
  ok<T = Record<string, unknown>>(op: string, args?: Record<string, unknown>, caller?: Caller): Promise<T>;
  /** The failure of a call that must fail. */
  refused(
    op: string,
    args?: Record<string, unknown>,
    caller?: Caller,
  ): Promise<Extract<Outcome, { kind: 'failed' }>['failure']>;
}

const registry = buildRegistry({ operations, errors, notices, settings });

function stepClock(): () => Date {
  let at = Date.UTC(2026, 2, 1, 9);
  return () => new Date(at++);
}

const noInput = async function* (): AsyncGenerator<Uint8Array> {};

function brainOf(store: Store): OpenBrain {
  const incarnation = '00000000-0000-4000-8000-000000000002';
  const file = { read: async () => undefined, write: async () => undefined };
  let index: Promise<LiveIndex> | undefined;
  return {
    id: 'host',
    path: 'test',
    brainId: '00000000-0000-4000-8000-000000000001',
    incarnation,
    store,
    index: () => {
      index ??= LiveIndex.open({ store, incarnation, file, language: 'english' });
      return index;
    },
    close: () => store.close(),
    hasSource: async (id) =>
      (await store.query(sql`select 1 from sources where id = ${id} and archived_at is null`)).length > 0,
    sourceIds: () => readSourceIds(store),
  };
}

/** A host whose brain `host` is the given store. */
export function testHost(store: Store, options: TestHostOptions = {}): TestHost {
  const brain = brainOf(store);
  const now = options.now ?? stepClock();
  const file = new Map(Object.entries(options.settings ?? {}));
  const faults: unknown[] = [];
  const unused = (what: string) => async (): Promise<never> => {
    throw new Error(`a test host does not ${what}`);
  };
  const host: Host = {
    version: '0.0.0-test',
    registry,
    home: homeAt(options.homeRoot ?? 'test-home'),
    fileConfig: {
      read: async () => file,
      write: async (key, value) => {
        if (value === undefined) file.delete(key);
        else file.set(key, value);
      },
    },
    env: options.env ?? {},
    ambient: {},
    launcher: options.launcher ?? 'gbrain',
    reportFault: (_, thrown) => void faults.push(thrown),
    now,
    newId: () => randomUUID(),
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    serveStdio: unused('serve'),
    connectTools: options.connectTools ?? unused('connect to servers'),
    createBrain: unused('create brains'),
    brainOwner: options.owner ?? (() => undefined),
    openBrain: options.openBrain ?? (async () => brain),
    setting: async (key) => {
      const row = registry.settings.get(key);
      if (!row) throw new Error(`setting ${key} is not registered`);
      return findSetting(row, key, { env: {}, file });
    },
  };
  return withCalls(host, faults);
}

function withCalls(host: Host, faults: unknown[]): TestHost {
  const call: TestHost['call'] = (op, args = {}, caller = OWNER, rest = {}) =>
    invoke(
      host,
      {
        op,
        args,
        ...(rest.brain !== undefined && { brain: rest.brain }),
        ...(rest.source !== undefined && { source: rest.source }),
        ...(rest.approval && { approval: rest.approval }),
        ...(rest.timeoutMs !== undefined && { timeoutMs: rest.timeoutMs }),
      },
      caller,
      {
        signal: rest.signal ?? new AbortController().signal,
        progress: rest.progress ?? (() => undefined),
        stdin: rest.stdin ?? noInput,
        ...(rest.callBrain && { callBrain: rest.callBrain }),
      },
    );
  return {
    ...host,
    faults,
    call,
    ok: async <T>(op: string, args?: Record<string, unknown>, caller?: Caller) => {
      const outcome = await call(op, args, caller);
      if (outcome.kind === 'ok') return (outcome as OkOutcome).output as T;
      const cause = faults.at(-1);
      throw new Error(`${op} failed: ${outcome.failure.code}: ${outcome.failure.message}`, { cause });
    },
    refused: async (op, args, caller) => {
      const outcome = await call(op, args, caller);
      if (outcome.kind === 'failed') return outcome.failure;
      throw new Error(`${op} succeeded with ${JSON.stringify(outcome.output).slice(0, 200)}`);
    },
  };
}
