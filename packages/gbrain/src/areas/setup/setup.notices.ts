// The first-run bundle: one question that holds every setting that the user may want otherwise.
// Source: AGENT_OPERATOR v1, First run and transcript 4; decisions 14, 14a.
import type { Decision } from '@gbrain/wire/notice';
import { defineNotices, type NoticeData } from '../../notices.ts';

const SEARCH_MODES = ['conservative', 'balanced', 'tokenmax'];

/** Monthly input cost at 10,000 queries for a small, a middle and a large model, in US dollars. Facts/engine C.7. */
const SEARCH_COST: Record<string, string> = {
  conservative: '$4 / $80 / $160',
  balanced: '$10 / $200 / $400',
  tokenmax: '$20 / $400 / $800',
};

function searchMode(applied: string): Decision {
  const costs = SEARCH_MODES.map((mode) => `${mode} ${SEARCH_COST[mode]}`).join(', ');
  return {
    id: 'search_mode',
    question: `How much text may a search return? Input cost a month of 10,000 searches, small / middle / large model: ${costs}.`,
    options: SEARCH_MODES.map((mode) => ({
      id: mode,
      label: mode === applied ? `${mode} (applied)` : mode,
      argv: ['gbrain', 'config', 'set', 'search.mode', mode],
    })),
    default: applied,
    default_reason: 'No chat key and no reranker are set up, so short replies lose nothing.',
  };
}

const WRITEBACK: Decision = {
  id: 'writeback',
  question:
    'May agents save important facts that you state (preferences, decisions, commitments), each with its source? ' +
    'Agents on this brain can read them; passing ones expire. `gbrain config set memory.auto_writeback off` ends it.',
  options: [
    { id: 'salient', label: 'Save lasting facts that you state yourself (recommended)' },
    { id: 'all', label: 'Save every statement of fact (more noise)' },
    { id: 'off', label: 'Save only what you ask to be remembered' },
  ].map((option) => ({ ...option, argv: ['gbrain', 'config', 'set', 'memory.auto_writeback', option.id] })),
  default: 'salient',
  default_reason: 'The brain learns what you tell your agents. It applies only when you accept or choose it.',
};

interface Harness {
  id: string;
  name: string;
  argv?: string[];
}

function wiring(launcher: string, surface: string, harnesses: readonly Harness[]): Decision {
  const serve = `${launcher} serve --surface ${surface}`;
  const found = harnesses.map(({ id, name, argv }) => ({
    id,
    label: `Register gbrain with ${name}`,
    ...(argv && { argv }),
  }));
  const byHand = { id: 'wire', label: `Register \`${serve}\` as a stdio MCP server in your agent app` };
  return {
    id: 'harness_wiring',
    question: 'Which agent app should have this memory?',
    options: [...(found.length > 0 ? found : [byHand]), { id: 'skip', label: 'Register nothing now' }],
    default: 'skip',
    default_reason: found.length > 0 ? 'It changes the app, so it is your choice.' : 'No agent app was found here.',
  };
}

/** Every decision, or only the named ones: over MCP the machine's own settings are not asked. */
function decisionsOf(data: NoticeData): Decision[] {
  const only = data.only as readonly string[] | undefined;
  const all = [
    searchMode(String(data.searchMode)),
    WRITEBACK,
    wiring(String(data.launcher), String(data.surface), (data.harnesses ?? []) as Harness[]),
  ];
  return only ? all.filter(({ id }) => only.includes(id)) : all;
}

export default defineNotices({
  first_run_decisions: {
    kind: 'ask',
    summary: 'A new brain is ready; the settings that the user may want otherwise.',
    why: 'The brain is ready. These settings have defaults or need a choice; none of them blocks its use.',
    userMessage: (d) => {
      const defaults = decisionsOf(d).map((one) => `${one.id}: ${one.default}`);
      return `gbrain is installed. Reply 'defaults' to keep the recommended settings (${defaults.join('; ')}), or tell me what to change.`;
    },
    decisions: decisionsOf,
    example: { searchMode: 'conservative', launcher: '/usr/local/bin/gbrain', surface: 'starter', harnesses: [] },
  },
});
