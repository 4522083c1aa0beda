// Pins the brain and the source that a call acted on into the argv of a fix; it knows flags, not commands.
import type { Actor, Connection } from './action.ts';

/** What pinning needs of the reader's connection. */
export type PinConnection = Pick<Connection, 'transport' | 'command' | 'target'>;

/** Any of these says which source is meant, whatever the command's own flag is. */
const SOURCE_FLAGS = ['--source-id', '--all-sources', '--sources'];

/**
 * `argv` with `--brain <id>` and `--source <id>` inserted before a bare `--` (else at the end), where the command
 * takes them and the argv does not carry them yet. Other programs, commands that open no brain, and calls that
 * resolved no target come back as a copy. Over HTTP a mount id is host topology, so `--brain` is never pinned, and
 * the source only where a thin client can send it or the brain host's operator runs the command.
 * Source: AGENT_OPERATOR v1, Explicit routing.
 */
export function pinArgv(argv: readonly string[], connection: PinConnection, actor: Actor): string[] {
  const { target, transport } = connection;
  if (target === undefined || !isGbrain(argv)) return [...argv];
  const command = connection.command(argv);
  if (command === undefined) return [...argv];
  const end = argv.indexOf('--');
  const cut = end === -1 ? argv.length : end;
  const options = argv.slice(0, cut);
  const pins: string[] = [];
  if (command.opensBrain && transport !== 'http' && !hasFlag(options, '--brain')) {
    pins.push('--brain', target.brain);
  }
  const sendable = transport !== 'http' || command.thinClientSource !== false || actor === 'host_admin';
  if (command.routesSource && sendable && target.source !== undefined && !hasSource(options, command.sourceFlag)) {
    pins.push(command.sourceFlag, target.source);
  }
  return [...options, ...pins, ...argv.slice(cut)];
}

/** True for an argv that starts gbrain, by name or by path. */
export function isGbrain(argv: readonly string[]): boolean {
  return /(?:^|[/\\])gbrain(?:\.cmd|\.exe)?$/.test(argv[0] ?? '');
}

// `--source` of a command with another source flag (extract's fs|db mode) names no source.
function hasSource(options: readonly string[], sourceFlag: string): boolean {
  return [sourceFlag, ...SOURCE_FLAGS].some((flag) => hasFlag(options, flag));
}

function hasFlag(options: readonly string[], flag: string): boolean {
  return options.some((word) => word === flag || word.startsWith(`${flag}=`));
}
