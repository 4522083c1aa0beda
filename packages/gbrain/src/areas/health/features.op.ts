// features: what this installation can do now, and for what it cannot the step that makes it so. It never spends.
import { defineOperation, type HumanView } from '../../operation.ts';
import { explained } from '../../render/table.ts';
import { counted } from '../../row-text.ts';
import { readOnboardCounts } from './onboard-report.ts';
import { gapsOf } from './onboarding.ts';
import { readReadiness } from './readiness.ts';
import { readinessShape } from './row-shape.ts';

/** What each capability is to a person. */
const TITLES: Readonly<Record<string, string>> = {
  embeddings: 'Search by meaning',
  chat_llm: 'Answers with sources',
  worker: 'Work in the background',
  writeback: 'Agents save what you state',
  backup: 'Copy off this machine',
  tool_surface: 'Tools of agents',
  sync: 'Folders that are read again',
  migrations: 'Schema of the brain',
  harness_wiring: 'Agent apps with this memory',
};

/** Room for the longest title. */
const TITLE_COLUMNS = 27;

const STATES: Readonly<Record<string, string>> = {
  ok: 'on',
  disabled_by_choice: 'off, by choice',
  not_applicable: 'not needed',
  missing: 'off',
  degraded: 'needs care',
  unknown: 'not known',
};

const featureLines = (title: string, text: string, view: HumanView): string[] =>
  explained([[title.padEnd(TITLE_COLUMNS), text]], view, '');

export default defineOperation({
  name: 'features',
  title: 'What this brain can do',
  summary: 'Lists what is on, what is off, and the step that turns each on; it spends nothing and changes nothing.',
  requirement: 'facts/contract C.3, D (never spends); AGENT_OPERATOR v1, Notices by transport',
  scope: 'read',
  surface: 'cli',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  localOnly: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      features: z.array(z.intersection(readinessShape(z), z.object({ title: z.string() }))),
      graph: z.object({ pages: z.number(), links: z.number() }),
    }),
  errors: [],
  notices: ['features_auto_fix'],
  cli: {
    command: 'features',
    group: 'Health',
    human: ({ features, graph }, view) =>
      [
        ...features.flatMap(({ title, state, why, fix }) => [
          ...featureLines(title, `${STATES[state] ?? state}: ${why}`, view),
          ...(fix?.command ? [`  Fix: ${view.cyan(fix.command)}`] : []),
        ]),
        ...featureLines(
          'Links between pages',
          `${graph.links > 0 ? 'on' : 'none'}: ${counted(graph.links, 'link')} over ${counted(graph.pages, 'page')}`,
          view,
        ),
      ].join('\n'),
  },
  examples: [{ title: 'What is on', input: {} }],
  run: async (ctx) => {
    const rows = await readReadiness(ctx, { brain: ctx.brain });
    const counts = await readOnboardCounts(ctx);
    if (gapsOf(counts).includes('features_auto_fix')) ctx.notice('features_auto_fix', { ...counts });
    return {
      features: rows.map((row) => ({ title: TITLES[row.capability] ?? row.capability, ...row })),
      graph: { pages: counts.pages, links: counts.links },
    };
  },
});
