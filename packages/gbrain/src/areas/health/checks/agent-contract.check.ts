// agent_contract: what failed lately, and whether each failure said what to do next.
import { defineCheck } from '../../../check.ts';
import { readContractEvents } from '../../../home/contract-log.ts';
import { counted } from '../../../row-text.ts';

const DAY_MS = 24 * 60 * 60_000;

/** The commonest values with their counts, most first. */
function tally(values: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

export default defineCheck({
  name: 'agent_contract',
  category: 'meta',
  summary: 'What failed in the last day, and whether each failure said what to do next.',
  requirement: 'facts/contract F (contract-event log)',
  needsBrain: false,
  run: async ({ host }) => {
    const events = await readContractEvents(host.home, new Date(host.now().getTime() - DAY_MS));
    const faults = events.filter(({ code }) => code === 'internal_error');
    const mute = events.filter((event) => !event.has_suggestion);
    const details = {
      failures: events.length,
      codes: Object.fromEntries(tally(events.map(({ code }) => code)).slice(0, 10)),
      faults: Object.fromEntries(tally(faults.map(({ op }) => op)).slice(0, 5)),
      without_fix: events.filter((event) => !event.has_fix).length,
    };
    if (faults.length > 0 || mute.length > 0) {
      const unforeseen = [...faults, ...mute];
      const where = tally(unforeseen.map(({ op }) => op)).map(([op]) => op);
      const what = counted(unforeseen.length, 'unexpected fault');
      return {
        status: 'warn',
        message: `${what} in the last day, in ${where.slice(0, 3).join(', ')}`,
        details,
        fixUnavailable: 'Report it with what the server wrote to stderr; the call itself left nothing half done.',
      };
    }
    const message =
      events.length === 0
        ? 'nothing failed in the last day'
        : `${counted(events.length, 'refusal')}, each with a next step`;
    return { status: 'ok', message, details };
  },
});
