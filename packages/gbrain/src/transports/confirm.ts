// Asks the person at the terminal before work that needs their agreement. No answer, an end or a time-out declines.
import { createInterface } from 'node:readline/promises';
import type { ConsentRequest } from '@gbrain/wire/envelope';
import { decidePromptRefusal } from '@gbrain/wire/interactivity';
import { inlineValue } from '@gbrain/wire/markers';
import type { Approval } from '../call.ts';
import type { Streams } from './terminal.ts';

/** A person who walked away has not agreed. */
const ANSWER_MS = 120_000;

/**
 * The approval that a person gives at this terminal; undefined when they decline, or when nobody may be asked (no
 * terminal, CI, an agent's process). Source: AGENT_OPERATOR v1, Interactivity and stdin.
 */
export async function askApproval(
  request: ConsentRequest,
  { stdin, stdout, stderr }: Streams,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Approval | undefined> {
  const facts = { stdinIsTerminal: stdin.isTTY === true, stdoutIsTerminal: stdout.isTTY === true, environment: env };
  if (decidePromptRefusal(facts)) return undefined;
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    stderr.write(`${inlineValue(request.user_message)}\n${inlineValue(request.risk)}\n`);
    const answer = await lines.question('Go on? [y/N] ', { signal: AbortSignal.timeout(ANSWER_MS) });
    if (!/^y(es)?$/i.test(answer.trim())) return undefined;
    return { yes: true, ...(request.plan_hash && { expect: request.plan_hash }) };
  } catch {
    // Time ran out, or the input ended: a decline.
    return undefined;
  } finally {
    lines.close();
  }
}
