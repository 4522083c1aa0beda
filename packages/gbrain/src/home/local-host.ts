// The host of a process: settings of its home, ids, clock, and the brain that it may open. Made in bin/ only.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { activateContent, type ContentDirectory } from '../areas/content/directory.ts';
import { countPages } from '../areas/setup/brain.sql.ts';
import type { OpenBrain } from '../brain.ts';
import { raise } from '../failure.ts';
import { passPoint } from '../fault-points.ts';
import type { BrainOwner, Home, Host, MadeBrain, ServeOptions, WantedBrain } from '../host.ts';
import { claimBrain, type OwnerIdentity } from '../owner/claim.ts';
import { OwnerFault } from '../owner/owner-fault.ts';
import { machineFacts, readOwnerPaths, readOwnerRecord } from '../owner/rendezvous.ts';
import type { Registry } from '../registry.ts';
import { findSetting } from '../settings.ts';
import { StoreError } from '../store/store.ts';
import { fileConfigOf } from './file-config.ts';
import { defaultDataDir } from './home.ts';
import { locateBrain } from './locate.ts';
import { type OpenOptions, openBrainAt, shownUrl } from './open-brain.ts';
import { searchLanguage } from './words-file.ts';

/** What a process knows of itself before it has a host. */
export interface ProcessFacts {
  version: string;
  registry: Registry;
  home: Home;
  env: Readonly<Record<string, string | undefined>>;
  launcher: string;
  docsBase?: string;
  /** Where unexpected faults are written, stack included. */
  log(line: string): void;
}

/** The brain of a process, opened at most once and closed with it. */
export interface BrainSlot {
  /** Opens at the first call; set by whoever holds the lock. */
  open(): Promise<OpenBrain>;
}

/** Serves MCP on the pipe; bound in bin/, where transports are known. */
export type ServeStdio = (host: Host, options: ServeOptions) => Promise<void>;

/** What a host can do with other programs; bound in bin/, where transports are known. */
export interface Doors {
  serveStdio: ServeStdio;
  connectTools: Host['connectTools'];
}

/**
 * A UUID whose first half is the time (version 7, RFC 9562), so that what is written together stands together in an
 * index: one of random order touches another page of it with every write.
 */
function timeOrderedId(): string {
  const ms = Date.now().toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Faults of the place where the brain lives: a person can mend them, and a stack would only hide what they are. */
const OF_THE_PLACE: ReadonlySet<string> = new Set(['disk_full', 'read_only', 'damaged', 'unreachable']);

/** What the log says of a fault that nobody waits for, or that has no code. */
function logLine(what: string, error: unknown): string {
  const at = error instanceof StoreError && error.fault === 'outcome_unknown' ? error.cause : error;
  if (at instanceof OwnerFault || (at instanceof StoreError && OF_THE_PLACE.has(at.fault))) {
    return `gbrain: ${what} failed: ${at.message}`;
  }
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `gbrain: ${what} failed unexpectedly: ${told}`;
}

/** Paths of the owner's lock, record and socket of an embedded brain. */
export const ownerPathsOf = (dataDir: string, env: ProcessFacts['env']) => readOwnerPaths(dataDir, machineFacts(env));

/** Whether a process of this number lives; one that belongs to somebody else does. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function ownerOf(dataDir: string, env: ProcessFacts['env']): BrainOwner | undefined {
  const info = readOwnerRecord(ownerPathsOf(dataDir, env))?.info;
  if (!info) return undefined;
  const { pid, transport, serve, version, startedAt } = info;
  return { pid, transport, serve, version, startedAt, isAlive: isAlive(pid) };
}

/** Turns a fault of the lock's place into a registered failure. */
export function refuseOwnerFault(error: unknown): never {
  if (!(error instanceof OwnerFault)) throw error;
  raise('storage_error', { operation: 'opening the brain', reason: error.fault, why: error.message }, error);
}

/** How this home opens its brain. */
export const openOptions = (host: Pick<Host, 'home' | 'env' | 'reportFault'>): OpenOptions => ({
  language: searchLanguage(host.env),
  homeRoot: host.home.root,
  reportFault: (operation, thrown) => host.reportFault(operation, thrown),
});

/** The content directory of a brain that this home makes. */
async function contentOf(brain: OpenBrain, host: Host): Promise<ContentDirectory> {
  try {
    return await activateContent(brain, host.home.root);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'disk_full' : 'read_only';
    return raise('storage_error', { operation: 'making the content directory', reason }, error);
  }
}

async function makePglite(host: Host, facts: ProcessFacts): Promise<MadeBrain> {
  const located = await locateBrain(host);
  if (located.kind === 'repair_failed')
    raise('recovery_required', { path: located.dataDir, record: located.record, reason: 'repair_failed' });
  const dataDir = located.kind === 'pglite' || located.kind === 'missing' ? located.dataDir : defaultDataDir(host.home);
  await mkdir(host.home.root, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    raise(
      'storage_error',
      { operation: `making ${host.home.root}`, reason: error.code === 'ENOSPC' ? 'disk_full' : 'read_only' },
      error,
    );
  });
  const identity: OwnerIdentity = { version: host.version, transport: 'cli', serve: false };
  let lock: ReturnType<typeof claimBrain>;
  try {
    lock = claimBrain(ownerPathsOf(dataDir, facts.env), identity);
  } catch (error) {
    return refuseOwnerFault(error);
  }
  if (!lock.held) {
    // It is there and open in another process: what was asked for is done, and its pages are not this process' to
    // count.
    if (located.kind === 'pglite') return { engine: 'pglite', path: dataDir, existing: true };
    const owner = readOwnerRecord(ownerPathsOf(dataDir, facts.env))?.info;
    raise('lock_busy', { reason: owner?.serve ? 'live_serve' : 'timeout', ...(owner && { pid: owner.pid }) });
  }
  try {
    const existing = located.kind === 'pglite';
    const brain = await openBrainAt({ kind: 'pglite', dataDir }, { ...openOptions(host), create: !existing });
    const pages = existing ? await countPages(brain.store) : 0;
    const content = await contentOf(brain, host).finally(() => brain.close());
    await passPoint('init_made');
    await host.fileConfig.write('engine', 'pglite');
    return { engine: 'pglite', path: dataDir, pages, existing, content };
  } finally {
    lock.release();
  }
}

async function makePostgres(host: Host, url: string): Promise<MadeBrain> {
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    raise('invalid_params', { param: 'url', problem: 'shape', expected: 'postgres://user@host/database' });
  }
  const brain = await openBrainAt({ kind: 'postgres', url }, { ...openOptions(host), create: true });
  const pages = await countPages(brain.store);
  await brain.close();
  await host.fileConfig.write('engine', 'postgres');
  await host.fileConfig.write('database_url', url);
  return { engine: 'postgres', path: shownUrl(url), pages, existing: pages > 0 };
}

/** The host of this process; `slot` opens its brain, `doors` serve its pipe and reach other servers. */
export function makeHost(facts: ProcessFacts, slot: BrainSlot, doors: Doors): Host {
  const { version, registry, home, env, launcher, docsBase } = facts;
  const fileConfig = fileConfigOf(home);
  const host: Host = {
    version,
    registry,
    home,
    fileConfig,
    env,
    launcher,
    ...(docsBase && { docsBase }),
    ambient: {
      ...(env.GBRAIN_BRAIN_ID && { brain: env.GBRAIN_BRAIN_ID }),
      ...(env.GBRAIN_SOURCE && { source: env.GBRAIN_SOURCE }),
    },
    now: () => new Date(),
    newId: timeOrderedId,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    setting: async (key) => {
      const row = registry.settings.get(key);
      if (!row) throw new Error(`setting ${key} is not registered`);
      return findSetting(row, key, { env, file: await fileConfig.read() });
    },
    serveStdio: (options) => doors.serveStdio(host, options),
    connectTools: doors.connectTools,
    createBrain: (wanted: WantedBrain) =>
      wanted.engine === 'pglite' ? makePglite(host, facts) : makePostgres(host, wanted.url),
    brainOwner: (dataDir) => ownerOf(dataDir, env),
    openBrain: async (id) => {
      if (id !== 'host') raise('unknown_brain', { brain: id.slice(0, 64) });
      return slot.open();
    },
    reportFault: (operation, thrown) => facts.log(logLine(operation, thrown)),
  };
  return host;
}
