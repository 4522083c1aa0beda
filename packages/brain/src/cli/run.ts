// Finds the command of `brain`, runs it, and says what went wrong and what to do next. Commands are files of their own.
import { DataDirError } from '../journal/data-dir.ts';
import { JournalOpenError } from '../journal/sqlite.ts';
import { SettingError } from '../settings.ts';
import { VERSION } from '../version.ts';
import { type CliContext, CliError, suggestName } from './context.ts';
import { helpText } from './help.ts';
import { toEnvelope, toErrorText } from './show-error.ts';

type Command = (context: CliContext, argv: string[]) => Promise<number>;

/** Commands load only what they need. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serve,
  verify: async () => (await import('./verify.ts')).verify,
  sessions: async () => (await import('./sessions.ts')).sessions,
  chat: async () => (await import('./chat.ts')).chat,
};

/** Runs one command; gives the exit code: 0 done, 1 failed, 2 used wrongly. */
export async function runCli(context: CliContext): Promise<number> {
  const [first = 'serve', ...others] = context.argv;
  if (context.argv.includes('--help') || first === 'help') {
    context.stdout(helpText());
    return 0;
  }
  if (first === '--version' || first === '-V') {
    context.stdout(`brain ${VERSION}\n`);
    return 0;
  }
  const named = !first.startsWith('--');
  const name = named ? first : 'serve';
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (!load) {
      const hint = suggestName(first, Object.keys(COMMANDS), 'See brain --help.');
      throw new CliError('usage', `There is no command ${first}.`, hint, { exit: 2 });
    }
    const command = await load();
    return await command(context, named ? others : context.argv);
  } catch (error) {
    const shown = toCliError(error);
    context.stderr(toErrorText(shown));
    if (context.argv.includes('--json')) context.stdout(`${JSON.stringify(toEnvelope(shown), null, 2)}\n`);
    return shown.exit;
  }
}

function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof SettingError)
    return new CliError(error.code, error.message, 'See brain --help for every setting.', { exit: 2 });
  if (error instanceof DataDirError) return new CliError(error.code, error.message, error.suggestion);
  if (error instanceof JournalOpenError) {
    const lost = error.code === 'records_lost';
    const next = lost
      ? 'Run brain verify, then restore the newest copy of the folder.'
      : 'Run brain verify on the folder.';
    return new CliError(error.code, error.message, next);
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new CliError('address_in_use', (error as Error).message, 'Choose another --listen.');
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
    return new CliError('address_unusable', (error as Error).message, 'Choose another --listen.');
  }
  throw error;
}
