// index: the search index is open, follows every change, and holds every page.
import type { OpenBrain } from '../../../brain.ts';
import { defineCheck } from '../../../check.ts';
import { counted } from '../../../row-text.ts';
import { readCounts } from '../health.sql.ts';

/** A write may come between the two readings; one that does is not there at every try. */
const TRIES = 3;

async function comparedOf(brain: OpenBrain, live: Awaited<ReturnType<OpenBrain['index']>>) {
  for (let left = TRIES; ; left--) {
    const index = await live.current();
    // Private pages are in the index too; its scope hides them from others.
    const { page_count: pages } = await readCounts(brain.store, 'all');
    const figures = index.stats();
    if (figures.documents === pages || left === 1) return { pages, figures };
  }
}

export default defineCheck({
  name: 'index',
  category: 'brain',
  summary: 'The search index follows every change and holds every page.',
  requirement: 'facts/user-faults P55, P34',
  needsBrain: true,
  limitMs: 30_000,
  run: async ({ brain }) => {
    const live = await brain.index();
    const { pages, figures } = await comparedOf(brain, live);
    const { documents, bytes, language } = figures;
    const details = {
      pages,
      indexed: documents,
      bytes,
      language,
      position: live.position,
      ...(live.rebuilt && { rebuilt: live.rebuilt }),
    };
    if (documents === pages) {
      const how = live.rebuilt ? `, built anew (its file: ${live.rebuilt})` : '';
      return {
        status: 'ok',
        message: `${documents} of ${counted(pages, 'page')}, up to the last change${how}`,
        details,
      };
    }
    return {
      status: 'fail',
      message: `only ${documents} of ${counted(pages, 'page')} in the index, so a search can miss some`,
      details,
      fix: {
        call: { op: 'search_rebuild', input: {} },
        why: 'It builds the index from the pages again; no page changes.',
      },
    };
  },
});
