// Notices of the graph.
import { defineNotices } from '../../notices.ts';
import { counted, text } from '../../row-text.ts';

export default defineNotices({
  graph_truncated: {
    kind: 'info',
    perCall: true,
    summary: 'A walk of the graph ended at a bound, so it shows a part of the neighbourhood.',
    why: (d) =>
      `The walk stopped at its bound of ${text(d, 'cut')} after ${counted(Number(d.pages), 'page')}; there is more.`,
    fix: (d) => ({
      call: { op: 'traverse_graph', input: { slug: d.slug, direction: d.direction, depth: 1 } },
      why: 'One step from the page is complete more often; a link type narrows it further.',
    }),
    example: { cut: 'pages', pages: 500, slug: 'companies/acme-example', direction: 'both' },
  },
});
