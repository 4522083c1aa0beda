// The short way of a command whose brain another process has open: it is sent as it was typed, and its texts are
// written. It loads no operation, schema or engine; whatever it cannot do is left to the long way, with what was sent.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import config from '../areas/config/config.config.ts';
import type { Progress } from '../context.ts';
import { brainCommands } from '../generated/brain-commands.ts';
import { fileConfigOf } from '../home/file-config.ts';
import { homeAt } from '../home/home.ts';
import { type Located, locateBrain } from '../home/locate.ts';
import { connectOwner, type OwnerClient } from '../owner/client.ts';
import { machineFacts, readOwnerPaths } from '../owner/rendezvous.ts';
import { CallDeclined, LinkLost } from '../owner/sent-call.ts';
import { findSetting, type SettingTable } from '../settings.ts';
import { VERSION } from '../version.ts';
import type { CommandDone, Screen, SentBefore, SentCommand } from './command-frame.ts';
import { progressLine, type Streams, writeWhole } from './terminal.ts';

/** A command as its process was started with it. */
export interface TypedCommand {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the home. */
  home: string;
  cwd: string;
  streams: Streams;
  /** Aborted with the name of the signal that ends the process; the owner is told of it. */
  signal: AbortSignal;
  /** The command has to run in this process. */
  isArmed: boolean;
}

/** How the short way ended: with an exit status, or not at all. */
export type SendEnd = { kind: 'done'; exit: number } | LongWay;

/** What the long way has to know. */
export interface LongWay {
  kind: 'long_way';
  /** The command probably opens the embedded engine. */
  opensEngine: boolean;
  /** What was sent to an owner that gave no answer. */
  before?: SentBefore;
  /** The input, where some of it was read already. */
  stdin?: Streams['stdin'];
}

/** An owner that is stopped must not hold a command up: the long way waits for it, and says so. */
const GREETING_MS = 500;

async function locate({ home, env }: TypedCommand): Promise<Located | undefined> {
  const at = homeAt(home);
  const file = fileConfigOf(at);
  const rows: SettingTable = config;
  const setting = async (key: string) => findSetting(rows[key]!, key, { env, file: await file.read() });
  // Settings that cannot be read are the long way's to tell.
  return locateBrain({ home: at, setting }).catch(() => undefined);
}

async function greet(dataDir: string, env: TypedCommand['env']): Promise<OwnerClient | undefined> {
  const paths = readOwnerPaths(dataDir, machineFacts(env));
  const found = await connectOwner(paths, { version: VERSION, caller: null, greetingMs: GREETING_MS });
  if (found.kind !== 'connected') return undefined;
  if (found.owner.version === VERSION) return found;
  // Another version may read the same words otherwise.
  found.close();
  return undefined;
}

const screenOf = ({ isTTY, columns }: Streams['stdout']): Screen => ({
  isTerminal: isTTY === true,
  ...(columns !== undefined && { columns }),
});

/** What a command line reads of its environment; keys and secrets stay where they are. */
function sentEnv(env: TypedCommand['env']): Record<string, string> {
  const isSent = (name: string) => name.startsWith('GBRAIN_') || /^(NO_COLOR|TERM|LLMS_REPO_BASE)$/.test(name);
  const isSecret = (name: string) => /_(URL|KEY|TOKEN)$/.test(name);
  const rows = Object.entries(env).filter(([name]) => isSent(name) && !isSecret(name));
  return Object.fromEntries(rows) as Record<string, string>;
}

/** Piped input, opened when it is asked for, that can be read again: what was read of it, then the rest. */
class Replayed {
  readonly #streams: Pick<Streams, 'stdin'>;
  readonly #read: Uint8Array[] = [];
  #rest: AsyncIterator<Uint8Array> | undefined;

  constructor(streams: Pick<Streams, 'stdin'>) {
    this.#streams = streams;
  }

  async *first(): AsyncGenerator<Uint8Array> {
    this.#rest ??= this.#streams.stdin[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.#rest.next();
      if (next.done) return;
      this.#read.push(next.value);
      yield next.value;
    }
  }

  /** The input from its beginning; undefined when nobody has opened it. */
  again(): Readable | undefined {
    const rest = this.#rest;
    if (!rest) return undefined;
    const parts = async function* (read: readonly Uint8Array[]) {
      yield* read;
      yield* { [Symbol.asyncIterator]: () => rest };
    };
    return Readable.from(parts(this.#read));
  }

  /** A pipe that stays open would keep the process up. */
  close(): void {
    if (this.#rest) this.#streams.stdin.destroy();
  }
}

async function send(client: OwnerClient, typed: TypedCommand): Promise<SendEnd> {
  const { argv, cwd, home, env, streams } = typed;
  const { stdout, stderr } = streams;
  const stdinIsTerminal = isatty(0);
  const command: SentCommand = {
    argv,
    cwd,
    home,
    env: sentEnv(env),
    stdinIsTerminal,
    stdout: screenOf(stdout),
    stderr: screenOf(stderr),
    requestId: randomUUID(),
  };
  const input = new Replayed(streams);
  const line = progressLine(streams, false);
  const longWay = (wasSent: boolean): SendEnd => {
    const again = input.again();
    const before = { requestId: command.requestId, wasSent };
    return { kind: 'long_way', opensEngine: false, before, ...(again && { stdin: again }) };
  };
  try {
    const onProgress = (value: unknown) => line.show(value as Progress);
    const options = { signal: typed.signal, onProgress, ...(!stdinIsTerminal && { stdin: input.first() }) };
    const done = (await client.call({ command }, options)) as CommandDone;
    line.end();
    if (done.kind === 'elsewhere') return longWay(false);
    for (const [to, text] of done.written) await writeWhole(to === 'stdout' ? stdout : stderr, text);
    input.close();
    return { kind: 'done', exit: done.exit };
  } catch (error) {
    line.end();
    return longWay(!(error instanceof CallDeclined) && !(error instanceof LinkLost && !error.sent));
  } finally {
    client.close();
  }
}

/** True when the words begin with a command that runs beside the open brain. */
function isBrainCommand(argv: readonly string[]): boolean {
  const first = argv.findIndex((word) => word.startsWith('-'));
  const words = argv.slice(0, first === -1 ? 3 : Math.min(first, 3));
  return words.some((_, i) => brainCommands.has(words.slice(0, i + 1).join(' ')));
}

/** Sends a command to the owner of its brain, when there is one and it can run it. */
export async function sendCommand(typed: TypedCommand): Promise<SendEnd> {
  const isBrains = isBrainCommand(typed.argv);
  // A server is ready for its client before it opens the brain, and may find that it is not its own.
  if (!isBrains && typed.argv[0] !== 'init') return { kind: 'long_way', opensEngine: false };
  const located = await locate(typed);
  const isSent = isBrains && !typed.isArmed;
  const client = isSent && located?.kind === 'pglite' ? await greet(located.dataDir, typed.env) : undefined;
  if (client) return send(client, typed);
  return { kind: 'long_way', opensEngine: located?.kind === 'pglite' || located?.kind === 'none' };
}
