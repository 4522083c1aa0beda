// memory_writeback: whether agents save what the user states; and whether that question is open but muted.
import { defineCheck } from '../../../check.ts';
import { mutedFor, readMuted } from '../../../home/muted.ts';
import { counted } from '../../../row-text.ts';
import { countBanked } from '../../extraction/turn-bank.ts';

export default defineCheck({
  name: 'memory_writeback',
  category: 'ops',
  summary: 'Whether agents may save facts that the user states, and whether the user was asked.',
  requirement: 'facts/contract K.2; AGENT_OPERATOR v1, First-run decisions on stdio',
  capability: 'writeback',
  needsBrain: false,
  run: async ({ host }) => {
    const { value } = await host.setting('memory.auto_writeback');
    if (value === 'salient' || value === 'all') {
      const waiting = await countBanked(host.home);
      const message =
        (value === 'all' ? 'agents save every stated fact' : 'agents save lasting facts that are stated') +
        (waiting > 0 ? `; ${counted(waiting, 'turn')} of conversations wait to be read (gbrain facts drain)` : '');
      return { status: 'ok', message, readiness: { state: 'ok', reason: 'enabled', tier: 'config' } };
    }
    if (value === 'off') {
      const message = 'off by choice: only what the user asks for is remembered';
      return {
        status: 'ok',
        message,
        readiness: { state: 'disabled_by_choice', reason: 'off_by_choice', tier: 'config' },
      };
    }
    const muted = mutedFor(await readMuted(host.home), 'global').has('first_run_decisions');
    return {
      status: 'ok',
      message: `not decided: only what the user asks for is remembered${muted ? ' (the question is muted)' : ''}`,
      readiness: { state: 'missing', reason: 'not_configured', tier: 'config' },
      fix: {
        call: { op: 'config_set', input: { key: 'memory.auto_writeback', value: 'salient' } },
        actor: 'user',
        why: 'Agents then save lasting facts that the user states, each with its source. It is the user who decides.',
        userMessage: 'May your agents save lasting facts that you state (preferences, decisions) without being asked?',
      },
    };
  },
});
