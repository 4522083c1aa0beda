// derived_rows: every page has the rows that its commit writes with it.
import { defineCheck } from '../../../check.ts';
import { counted } from '../../../row-text.ts';
import { countUnderived } from '../health.sql.ts';

export default defineCheck({
  name: 'derived_rows',
  category: 'brain',
  summary: 'Every page has the derived rows that its commit writes with it.',
  requirement: 'facts/user-faults P13; design/architecture section 4',
  needsBrain: true,
  run: async ({ brain }) => {
    const missing = await countUnderived(brain.store);
    if (missing === 0) return { status: 'ok', message: 'every page has its links and chunks' };
    return {
      status: 'fail',
      message: `${counted(missing, 'page')} without the rows that are derived from the text`,
      details: { pages: missing },
      fixUnavailable: 'Saving such a page again derives them; report it, because no commit may leave them out.',
    };
  },
});
