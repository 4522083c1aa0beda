// Shows an error of a command as the operator contract has it: lines for people, one document with `--json`.
import type { Connection } from '@gbrain/wire/action';
import type { ErrorEnvelope, Failure } from '@gbrain/wire/envelope';
import { errorLines, renderEnvelope } from '@gbrain/wire/render-envelope';
import type { CliError } from './context.ts';

/** This terminal: commands of `brain` open no store of the other product, so nothing is pinned. */
const TERMINAL: Connection = {
  transport: 'cli',
  isCallable: () => false,
  command: () => ({ opensBrain: false, routesSource: false, sourceFlag: '' }),
  preapproval: { persistentInstall: false },
};

/** The envelope of an error. Its step is a command of `brain` when the error names one. */
export function toEnvelope(error: CliError): ErrorEnvelope {
  const { code, message, suggestion, exit, argv } = error;
  const failure: Failure = {
    code,
    class: exit === 2 ? 'caller' : 'unavailable',
    retryable: code === 'overloaded' || code === 'server_unreachable',
    exit,
    httpStatus: 500,
    message,
    suggestion,
    notices: [],
    ...(argv && { fix: { argv, consent: [], actor: 'agent', why: suggestion, requires_exclusive: false } }),
  };
  return { ...renderEnvelope(failure, TERMINAL), docs_cmd: ['brain', '--help'] };
}

/** The lines of an error, each ended. */
export function toErrorText(error: CliError): string {
  return errorLines(toEnvelope(error))
    .map((line) => `${line}\n`)
    .join('');
}
