// get_health: how well the pages hang together, as a score whose every lost point has a reason.
import { defineOperation } from '../../operation.ts';
import { twoColumns } from '../../render/help.ts';
import { explained } from '../../render/table.ts';
import { coverage, scoreBrain } from './brain-score.ts';
import { readConnectedness, readMostConnected } from './health.sql.ts';

const MOST = 5;

export default defineOperation({
  name: 'get_health',
  title: 'How the pages hang together',
  summary: 'Scores the brain: links, references that lead nowhere, dated people and companies, orphans.',
  requirement: 'facts/contract G.12, K.1',
  scope: 'admin',
  surface: 'full',
  where: 'brain',
  routesSource: false,
  mutating: false,
  idempotent: true,
  input: () => ({}),
  output: (z) =>
    z.object({
      brain_score: z.number(),
      parts: z.array(z.object({ name: z.string(), points: z.number(), of: z.number(), why: z.string() })),
      page_count: z.number(),
      link_count: z.number(),
      orphan_pages: z.number(),
      dead_links: z.number(),
      link_coverage: z.number(),
      timeline_coverage: z.number(),
      most_connected: z.array(z.object({ slug: z.string(), link_count: z.number() })),
    }),
  errors: [],
  cli: {
    command: 'health',
    group: 'Health',
    human: (health, view) =>
      [
        `${view.bold(`${health.brain_score} of 100`)}`,
        ...explained(
          health.parts.map(({ name, points, of, why }) => [`${name}  ${points}/${of}`, why]),
          view,
        ),
        ...(health.most_connected.length > 0 ? ['', view.bold('Most connected')] : []),
        ...twoColumns(health.most_connected.map(({ slug, link_count }) => [slug, String(link_count)])),
      ].join('\n'),
  },
  examples: [{ title: 'The score and what it is made of', input: {} }],
  run: async ({ brain, caller }) => {
    const sight = caller.owner ? 'all' : 'world';
    const figures = await readConnectedness(brain.store, sight);
    const { score, parts } = scoreBrain(figures);
    return {
      brain_score: score,
      parts,
      page_count: figures.pages,
      link_count: figures.edges,
      orphan_pages: figures.orphans,
      dead_links: figures.open,
      link_coverage: coverage(figures.entitiesLinked, figures.entities),
      timeline_coverage: coverage(figures.entitiesDated, figures.entities),
      most_connected: await readMostConnected(brain.store, sight, MOST),
    };
  },
});
