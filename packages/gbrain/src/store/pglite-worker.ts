// The thread in which the embedded engine runs: one message in, one message out, and a crash that is always told.
// It must not know SQL or stores. It is an entry of its own in the built product.
import { parentPort } from 'node:worker_threads';
import { keepCompiledCode } from '../compiled-code.ts';
import type { Engine, EngineOptions } from './pglite-engine.ts';

/** What the thread is asked: to open the folder, then bursts in the wire protocol, then to end with a checkpoint. */
export type ToEngine =
  | { kind: 'open'; options: EngineOptions }
  | { kind: 'run'; bytes: Uint8Array }
  | { kind: 'close' };

/** What the thread says: once opened or failed, then one reply a burst, or that it crashed. */
export type FromEngine =
  | { kind: 'opened' }
  | { kind: 'failed'; log: string; cause: unknown }
  | { kind: 'reply'; bytes: Uint8Array }
  | { kind: 'crashed'; log: string };

keepCompiledCode();
// The engine's own program is half a megabyte, so it is loaded once its compiled form is looked for.
const { compileEngine, Engine: Opened, EngineStartError } = await import('./pglite-engine.ts');

if (!parentPort) throw new Error('this file is the entry of a worker thread');
const port = parentPort;
const say = (message: FromEngine, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

// While the program is still being loaded and the folder made, the engine's code is made ready; a fault of that is told
// when it is opened.
const code = compileEngine();
code.catch(() => undefined);
let engine: Engine;

async function open(options: EngineOptions): Promise<void> {
  engine = await Opened.open(options, {
    code: await code,
    onCrash: (log) => {
      say({ kind: 'crashed', log });
      // The engine would go on in a loop over its own ruins; only the end of the thread stops it.
      process.exit(1);
    },
  });
  say({ kind: 'opened' });
}

async function run(bytes: Uint8Array): Promise<void> {
  const reply = await engine.run(bytes);
  const last = reply.slice(-1);
  say({ kind: 'reply', bytes: reply }, [reply.buffer]);
  // After the answer, so that only the caller after next can wait for it.
  await engine.checkpointIfDue(last);
}

function tellFailed(error: unknown): void {
  const log = error instanceof EngineStartError ? error.log : '';
  const cause = error instanceof EngineStartError ? error.cause : error;
  say({ kind: 'failed', log, cause: { code: (cause as { code?: unknown })?.code, message: String(cause) } });
}

async function close(): Promise<void> {
  await engine.close();
  process.exit(0);
}

let turn: Promise<void> = Promise.resolve();
port.on('message', (message: ToEngine) => {
  turn = turn.then(() => {
    if (message.kind === 'open') return open(message.options).catch(tellFailed);
    return message.kind === 'run' ? run(message.bytes) : close();
  });
});
