// Codes of looking at the protocol of a server.
import { defineErrors } from '../../failure.ts';
import { text } from '../../row-text.ts';

const MESSAGES: Record<string, string> = {
  not_started: 'did not start, or does not speak MCP on its pipe',
  unreachable: 'does not answer, or does not speak MCP there',
  unauthorized: 'refused the token',
};

export default defineErrors({
  target_unreachable: {
    class: 'unavailable',
    summary: 'The server that a conformance run is about cannot be reached.',
    reasons: ['not_started', 'unreachable', 'unauthorized'],
    message: (d) => `${text(d, 'target')} ${MESSAGES[text(d, 'reason')] ?? 'cannot be reached'}.`,
    suggestion: 'Check the command, the address and the token. Nothing was checked.',
    fix: () => ({
      call: { op: 'protocol_conformance', input: {} },
      why: 'Without a target it checks this gbrain on an empty brain of its own, so you see whether the run itself works.',
    }),
    example: { target: 'http://127.0.0.1:3131/mcp', reason: 'unreachable', why: 'connect ECONNREFUSED' },
  },
});
