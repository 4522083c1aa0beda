// The nested error of a few old commands, which keeps its nesting and gains the contract's keys. No new code uses it.
import type { Connection, RenderedAction } from './action.ts';
import type { Failure } from './envelope.ts';
import { redactText } from './redact.ts';
import { docsCommand, renderEnvelope } from './render-envelope.ts';

/** A nested legacy error. The sibling keys are authoritative. Source: AGENT_OPERATOR v1, Legacy advice names. */
export interface NestedErrorDocument {
  error: { class: string; code: string; message: string; hint: string };
  code: string;
  fix?: RenderedAction;
  docs_cmd: string[];
  contract_version: 1;
}

/** A failure in its nested form; `legacyClass` is the name that the command has always sent, such as `UsageError`. */
export function renderNestedError(failure: Failure, legacyClass: string, connection: Connection): NestedErrorDocument {
  const { code, message, fix } = renderEnvelope(failure, connection);
  const hint = connection.transport === 'http' ? redactText(failure.suggestion) : failure.suggestion;
  return {
    // `hint` stays the prose alone: readers of it know no appended step.
    error: { class: legacyClass, code, message, hint },
    code,
    ...(fix && { fix }),
    docs_cmd: docsCommand(code),
    contract_version: 1,
  };
}
