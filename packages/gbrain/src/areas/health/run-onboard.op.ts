// run_onboard (`gbrain onboard --check`): what this brain could do better for its user, with remedies and their costs.
import { defineOperation } from '../../operation.ts';
import { counted } from '../../row-text.ts';
import { onboardReport } from './onboard-report.ts';
import { fixShape } from './row-shape.ts';

export default defineOperation({
  name: 'run_onboard',
  title: 'What could be better',
  summary: 'Lists gaps of this brain with remedies and costs, and first-run questions that are open. Only looks.',
  requirement: 'AGENT_OPERATOR v1, Notices by transport, First-run decisions on stdio; facts/contract G.12',
  scope: 'admin',
  surface: 'full',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  localOnly: true,
  input: (z) => ({
    check: z.boolean().describe('Look and list the remedies, which is all that it does').default(true),
  }),
  output: (z) =>
    z.object({
      counts: z.object({
        pages: z.number(),
        links: z.number(),
        entities: z.number(),
        entities_linked: z.number(),
        entities_dated: z.number(),
        chunks: z.number(),
        chunks_waiting: z.number(),
      }),
      opportunities: z.array(
        z.object({
          id: z.string(),
          message: z.string(),
          have: z.number(),
          of: z.number(),
          cost: z.enum(['local', 'paid']),
          fix: fixShape(z).optional(),
        }),
      ),
      decisions: z.array(
        z.object({ id: z.string(), question: z.string(), muted: z.boolean(), fix: fixShape(z).optional() }),
      ),
    }),
  errors: [],
  cli: {
    command: 'onboard',
    group: 'Health',
    human: ({ counts, opportunities, decisions }, view) => {
      const rows = [
        ...opportunities.map(({ message, cost, fix }) => [`${message} (${cost === 'paid' ? 'paid' : 'free'})`, fix]),
        ...decisions.map(({ question, muted, fix }) => [`${question}${muted ? ' (muted)' : ''}`, fix]),
      ] as [string, { command?: string } | undefined][];
      if (rows.length === 0)
        return `Nothing is open: ${counted(counts.pages, 'page')}, ${counted(counts.links, 'link')}.`;
      return rows
        .flatMap(([line, fix]) => [view.bold(line), ...(fix?.command ? [view.dim(`  ${fix.command}`)] : [])])
        .join('\n');
    },
  },
  examples: [{ title: 'Look', input: { check: true } }],
  run: (ctx) => onboardReport(ctx),
});
