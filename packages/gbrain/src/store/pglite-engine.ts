// The embedded engine in the thread that opens it: how it is started, spoken to, checkpointed and ended.
// It must not know stores, callers or other threads; bytes of the wire protocol go in and come out.
import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { removeTemporaryFiles } from './data-folder.ts';
import { EngineFiles, type FileObserver } from './pglite-files.ts';
import { encodeScript, parseReply } from './protocol.ts';

/** Where an engine lives and whether it must survive a power cut. */
export interface EngineOptions {
  /** An existing data folder of this Postgres major; the engine never makes one by itself. */
  dataDir: string;
  durable: boolean;
  /** Log that may pile up between transactions before a checkpoint, twice that inside one; 64 MiB if absent. */
  checkpointBytes?: number;
}

/** Hooks of the thread around an engine, and of tests. */
export interface EngineHooks {
  /** The engine gave up (panic, trap, exit) while it ran; nothing it is asked will be answered. */
  onCrash?: (log: string) => void;
  /** The engine's code, where it was made ready before. */
  code?: WebAssembly.Module;
  observe?: FileObserver;
}

/** A start that failed; `log` is the engine's own last lines, for classification only. */
export class EngineStartError extends Error {
  readonly log: string;
  constructor(log: string, options: { cause: unknown }) {
    super('the embedded engine did not start', options);
    this.log = log;
  }
}

const checkpointBytesDefault = 64 * 2 ** 20;

const settings = (durable: boolean) => [
  `fsync=${durable ? 'on' : 'off'}`,
  // The engine's libc answers fdatasync without doing anything; fsync is the call that reaches our file layer.
  'wal_sync_method=fsync',
  'synchronous_commit=on',
  'full_page_writes=on',
  'shared_buffers=32MB',
  // No background process trims the log here: without recycling a checkpoint deletes what it has made useless.
  'wal_recycle=off',
  'max_wal_size=96MB',
  'min_wal_size=32MB',
  // Keeps statements, which hold the user's text, out of the engine's log.
  'log_min_messages=log',
  'log_min_error_statement=panic',
];

/** PGlite without the type query that it runs at every open: our codec knows the types. */
class Pg extends PGlite {
  override _initArrayTypes(): Promise<void> {
    return Promise.resolve();
  }
}

/** The part of the runtime's WebAssembly that its types leave out. */
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: { compile(bytes: Uint8Array): Promise<WebAssembly.Module> };
};

/** Makes the engine's code ready, which needs no folder. */
export const compileEngine = async (): Promise<WebAssembly.Module> =>
  wasm.compile(await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))));

/** Exits of the engine's main function that mean "ready" and "an error was handled". */
const usualExits = new Set([99, 100]);

/** A running engine. One at a time per data folder, under the owner's lock. */
export class Engine {
  readonly #pg: Pg;
  readonly #files: WatchedFiles;
  readonly #checkpointBytes: number;

  private constructor(pg: Pg, files: WatchedFiles, checkpointBytes = checkpointBytesDefault) {
    this.#pg = pg;
    this.#files = files;
    this.#checkpointBytes = checkpointBytes;
  }

  /** Starts the engine, which recovers the folder by itself after an unclean end. Throws EngineStartError. */
  static async open(options: EngineOptions, hooks: EngineHooks = {}): Promise<Engine> {
    removeTemporaryFiles(options.dataDir);
    const log: string[] = [];
    const keep = (line: string) => {
      log.push(line);
      if (log.length > 40) log.shift();
      return false;
    };
    const files = new WatchedFiles(options, hooks, () => log.join('\n'));
    const startParams = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F');
    for (const setting of settings(options.durable)) startParams.push('-c', setting);
    const code = hooks.code && { pgliteWasmModule: hooks.code };
    const pg = new Pg({ fs: files, startParams, onStdout: keep, onStderr: keep, ...code });
    try {
      await pg.waitReady;
    } catch (cause) {
      throw new EngineStartError(log.join('\n'), { cause });
    }
    files.running = true;
    return new Engine(pg, files, options.checkpointBytes);
  }

  /** Sends one burst; gives the bytes of its whole reply. */
  async run(message: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const onRawData = (bytes: Uint8Array) => {
      // The bytes are a view into the engine's memory, which the next message overwrites.
      chunks.push(bytes.slice());
      size += bytes.byteLength;
    };
    await this.#pg.execProtocolRawStream(message, { syncToFs: false, onRawData });
    const reply = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      reply.set(chunk, at);
      at += chunk.byteLength;
    }
    return reply;
  }

  /** Writes a checkpoint when enough log has piled up; `reply` is the last one, whose end tells the state. */
  async checkpointIfDue(reply: Uint8Array): Promise<void> {
    const status = String.fromCharCode(reply.at(-1) ?? 0);
    const limitBytes = this.#checkpointBytes * (status === 'T' ? 2 : 1);
    // In a failed transaction (E) nothing but its end is accepted.
    if (status === 'E' || this.#files.walBytes < limitBytes) return;
    const { error } = parseReply(await this.run(encodeScript('checkpoint')));
    // A refused checkpoint (disk full) harms nothing by itself: it is tried again a little later.
    this.#files.walBytes = error ? limitBytes - limitBytes / 4 : 0;
  }

  /** Ends the engine with a checkpoint. */
  async close(): Promise<void> {
    this.#files.running = false;
    await this.#pg.close();
  }
}

/** The file layer plus the two ways in which the engine's module says that it is finished. */
class WatchedFiles extends EngineFiles {
  running = false;
  readonly #onCrash: () => void;

  constructor(options: EngineOptions, hooks: EngineHooks, log: () => string) {
    super(options.dataDir, options.durable, hooks.observe);
    this.#onCrash = () => {
      if (this.running) hooks.onCrash?.(log());
    };
  }

  override async init(...args: Parameters<EngineFiles['init']>): ReturnType<EngineFiles['init']> {
    const { emscriptenOpts } = await super.init(...args);
    const hooks = {
      onAbort: () => this.#onCrash(),
      quit: (status: number, toThrow: unknown) => {
        if (!usualExits.has(status)) this.#onCrash();
        throw toThrow;
      },
    };
    return { emscriptenOpts: { ...emscriptenOpts, ...hooks } };
  }
}
