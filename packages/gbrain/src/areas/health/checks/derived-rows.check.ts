// derived_rows: every page has the rows that its commit writes with it.
import { defineCheck } from '../../../check.ts';
import { counted } from '../../../row-text.ts';
import { underivedPages } from '../../pages/underived.ts';

export default defineCheck({
  name: 'derived_rows',
  category: 'brain',
  summary: 'Every page has the derived rows that its commit writes with it.',
  requirement: 'facts/user-faults P13; design/architecture section 4',
  needsBrain: true,
  run: async ({ brain }) => {
    const missing = await underivedPages(brain.store);
    if (missing === 0) return { status: 'ok', message: 'every page has the rows of its text' };
    return {
      status: 'fail',
      message: `${counted(missing, 'page')} without the rows that are derived from the text`,
      details: { pages: missing },
      fix: {
        call: { op: 'derive_rows', input: {} },
        why: 'It derives the rows from the text again; no page changes.',
      },
    };
  },
});
