// Puts a server together from its settings and starts it: folder, journal, workers, HTTP, in that order; and stops it.
import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { systemClock, within } from './clock.ts';
import { ControlService } from './effects/control.ts';
import { EnvironmentClient } from './effects/environment-client.ts';
import { HostService } from './effects/hosts.ts';
import { ModelService } from './effects/model.ts';
import { post } from './effects/post.ts';
import { readProviders } from './effects/providers.ts';
import { SchemaChecks } from './effects/schema-checks.ts';
import { SchemaThread } from './effects/schema-thread.ts';
import { ToolService } from './effects/tool.ts';
import { armFaults } from './fault.ts';
import type { HttpContext } from './http/context.ts';
import { Idempotency } from './http/idempotency.ts';
import { createHttpServer } from './http/server.ts';
import { type DataLock, type DataPaths, lockDataDir, openDataDir } from './journal/data-dir.ts';
import type { Journal } from './journal/journal.ts';
import { createSealer, readMasterKey } from './journal/seal.ts';
import { openSqliteJournal } from './journal/sqlite.ts';
import { createLog, type Log } from './log.ts';
import { Hub } from './session/hub.ts';
import type { LiveSession } from './session/live.ts';
import { createScrubber } from './session/scrub.ts';
import { SessionService } from './session/sessions.ts';
import { TurnService } from './session/turns.ts';
import type { Settings } from './settings.ts';
import { createIdentityStore } from './workers/identity.ts';
import { openProcessList } from './workers/orphans.ts';
import { Pool } from './workers/pool.ts';
import { createProcessStarter } from './workers/process.ts';
import type { ResolvedRegistration } from './workers/registration.ts';

/** Time that workers have to end by themselves after their stdin was closed. */
const WORKER_CLOSE_MS = 2000;

/** Time that answers have to leave after the last turn has ended. */
const ANSWERS_MS = 1000;

/** How often stored answers that are too old are forgotten. */
const EXPIRE_EVERY_MS = 3_600_000;

/** What a server is started with beside its settings. */
export interface ServerOptions {
  settings: Settings;
  registrations: ResolvedRegistration[];
  /** Where log lines go. */
  write(line: string): void;
  env: Record<string, string | undefined>;
  /** A harness is not the one that the data folder belongs to: the process must end. */
  onMismatch(message: string): void;
}

/** A running server. */
export interface RunningServer {
  host: string;
  port: number;
  journal: Journal;
  log: Log;
  /** Resolves when every worker has been initialized or has failed once. */
  workersTried: Promise<void>;
  /** Lets turns finish for a while, then ends everything in order. */
  stop(): Promise<void>;
}

/** Starts a server; it answers when this resolves. Throws DataDirError, JournalOpenError or SettingError. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { settings, env } = options;
  const paths = openDataDir(settings.dataDir);
  const lock = lockDataDir(paths);
  armFaults(env.BRAIN_FAULT, paths.folder);
  const masterKey = readMasterKey(paths, settings.masterKey);
  const fault = env.BRAIN_FAULT;
  const journal = await openSqliteJournal(paths, fault === undefined ? {} : { fault });
  try {
    return await serveJournal(options, { paths, journal, masterKey, lock });
  } catch (error) {
    await journal.close();
    lock.release();
    throw error;
  }
}

interface Storage {
  paths: DataPaths;
  journal: Journal;
  masterKey: Uint8Array;
  lock: DataLock;
}

async function serveJournal(options: ServerOptions, storage: Storage): Promise<RunningServer> {
  const { settings } = options;
  const { paths, journal } = storage;
  const built = build({ ...options, ...storage });
  const { context, pool, log } = built;
  const recovered = await context.sessions.recover();
  if (recovered > 0) log.info('sessions brought to rest after an unclean stop', { sessions: recovered });
  expireRequests(context);
  const http = createHttpServer(context);
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(settings.port, settings.host, resolve);
  });
  const expiring = setInterval(() => expireRequests(context), EXPIRE_EVERY_MS);
  expiring.unref();
  const { port } = http.address() as AddressInfo;
  built.setPublicUrl(settings.publicUrl ?? `http://${hostForUrl(settings.host)}:${port}`);
  writeFileSync(paths.server, JSON.stringify({ pid: process.pid, listen: `${settings.host}:${port}` }), {
    mode: 0o600,
  });
  const workersTried = pool.start();
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    clearInterval(expiring);
    await stopServer(built, http, settings.limits.drainMs);
    await journal.close();
    storage.lock.release();
  };
  return {
    host: settings.host,
    port,
    journal,
    log,
    workersTried,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function stopServer({ context, pool, turns, log }: ReturnType<typeof build>, http: Server, drainMs: number) {
  log.info('stopping', { turns: turns.count });
  context.sessions.drain();
  pool.drain();
  await within(systemClock, drainMs, turns.drain(), () => undefined);
  for (const end of context.streams) end();
  context.hosts.close();
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  // Answers of turns that have just ended are still on their way out.
  await within(systemClock, ANSWERS_MS, closed, () => undefined);
  http.closeAllConnections();
  await pool.close(WORKER_CLOSE_MS);
  // What still ran has lost its worker by now, and its records say so.
  await within(systemClock, WORKER_CLOSE_MS, turns.drain(), () => undefined);
}

interface BuildOptions extends ServerOptions {
  paths: DataPaths;
  journal: Journal;
  masterKey: Uint8Array;
}

function build(options: BuildOptions) {
  const { settings, journal, paths, masterKey } = options;
  const { limits } = settings;
  const clock = systemClock;
  const secrets = new LogSecrets(settings);
  const log = createLog(
    options.write,
    () => clock.nowMs(),
    (text) => secrets.scrub(text),
  );
  journal.onCondition((condition, message) => {
    if (condition === 'open') log.info(message);
    else log.error(message, { condition });
  });
  const providers = readProviders(settings);
  const hub = new Hub(journal);
  const url = { public: '' };
  const client = new EnvironmentClient({ clock, limits, post });
  const hosts = new HostService({ clock, limits, journal, randomText });
  const onObservation = (session: LiveSession) => sessions.wake(session);
  const publicUrl = () => url.public;
  const thread = new SchemaThread();
  const schemas = new SchemaChecks((question) => thread.ask(question));
  const toolPorts = { clock, limits, hosts, environments: client, schemas, publicUrl, randomText, onObservation };
  const tools = new ToolService(toolPorts);
  const deriveToken = (words: string) => createHmac('sha256', masterKey).update(words).digest('base64url');
  const control = new ControlService({ limits, client, schemas, publicUrl, deriveToken, onObservation });
  const models = new ModelService({ clock, limits, hub, providers, post });
  const stateDirs = createStateDirs(paths);
  const turns = new TurnService({
    clock,
    limits,
    log,
    models,
    tools,
    control,
    providers,
    openStateDir: stateDirs.open,
  });
  const pool = buildPool(options, log, turns, stateDirs.registration);
  const sealer = createSealer(masterKey);
  const sessions = new SessionService({
    clock,
    log,
    limits,
    journal,
    sealer,
    providers,
    pool,
    hosts,
    turns,
    tools,
    control,
    schemas,
    randomText,
    removeStateDir: stateDirs.remove,
  });
  secrets.attach(sessions);
  const scrub = (text: string) => secrets.scrub(text);
  const idempotency = new Idempotency(journal, clock, scrub);
  const shared = { settings, clock, log, journal, hub, pool, providers, sessions, models, tools, control, hosts };
  const context: HttpContext = { ...shared, idempotency, scrub, streams: new Set() };
  const setPublicUrl = (value: string) => {
    url.public = value.replace(/\/+$/, '');
  };
  return { context, pool, turns, log, setPublicUrl };
}

function buildPool(
  { paths, settings, registrations, env, onMismatch }: BuildOptions,
  log: Log,
  turns: TurnService,
  stateDir: (registration: string) => string,
): Pool {
  const { list, ended } = openProcessList(paths.workers);
  if (ended.length > 0) log.info('ended workers that an earlier server left behind', { count: ended.length });
  const startLink = createProcessStarter({
    maxLineBytes: settings.limits.maxLineBytes,
    env,
    log,
    onStarted: (pid) => list.add(pid),
    onGone: (pid) => list.remove(pid),
  });
  return new Pool(registrations, {
    clock: systemClock,
    log,
    initializeMs: settings.limits.initializeMs,
    startLink,
    identities: createIdentityStore(paths.agentloops),
    stateDir,
    onCall: async (worker, { session_id, sequence, method, input }) => {
      return turns.findActivation(worker, session_id, sequence).call(method, input);
    },
    onMismatch: (registration, reason) => onMismatch(`The harness of ${registration} cannot be used: ${reason}.`),
  });
}

/** Folders of native state: one a registration, one a session in it. */
function createStateDirs(paths: DataPaths) {
  const registration = (name: string): string => {
    const folder = join(paths.agentloops, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  };
  /** Sessions whose folder is known to be there. */
  const made = new WeakSet<LiveSession>();
  const sessionDir = (agentloop: string, sessionId: string) => join(paths.agentloops, agentloop, sessionId);
  return {
    registration,
    open(session: LiveSession): string {
      const folder = sessionDir(session.state.configuration?.agentloop.name ?? '', session.sessionId);
      if (!made.has(session)) mkdirSync(folder, { recursive: true, mode: 0o700 });
      made.add(session);
      return folder;
    },
    remove: (agentloop: string, sessionId: string) =>
      rm(sessionDir(agentloop, sessionId), { recursive: true, force: true }),
  };
}

/** Sealed values of resident sessions and the server's own, for the log and for error texts. */
class LogSecrets {
  readonly #own: string[];
  #sessions: SessionService | undefined;
  #version = -1;
  #scrubber = createScrubber([]);

  constructor({ apiToken, masterKey }: Settings) {
    this.#own = [apiToken, masterKey].filter((value) => value !== undefined);
  }

  attach(sessions: SessionService): void {
    this.#sessions = sessions;
  }

  scrub(text: string): string {
    const version = this.#sessions?.secretsVersion ?? 0;
    if (version !== this.#version) {
      this.#version = version;
      this.#scrubber = createScrubber([...this.#own, ...(this.#sessions?.collectSecrets() ?? [])]);
    }
    return this.#scrubber.scrub(text);
  }
}

/** Nobody waits for this; a journal that cannot be written says so itself. */
function expireRequests({ journal, clock, settings }: HttpContext): void {
  const expireRequestsBeforeMs = clock.nowMs() - settings.limits.requestRetentionMs;
  journal.append({ expireRequestsBeforeMs }, { barrier: false }).catch(() => {});
}

function hostForUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Random letters and digits, each as likely as the others. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}
