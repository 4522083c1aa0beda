// The dated entries of a page. Entries inside fences are none.
import { definePart } from '../../part.ts';
import { listTimeline } from '../pages/page-timeline.ts';
import type { TimelineEntry } from '../pages/timeline.ts';
import { replaceEntries } from './timeline.sql.ts';

export default definePart<TimelineEntry[]>({
  name: 'timeline',
  summary: 'The dated entries of a page.',
  requirement: 'facts/engine A.4',
  derive: ({ page }) => listTimeline(page),
  write: (page, rows) => replaceEntries([{ page, rows }]),
  writeMany: replaceEntries,
  reply: (entries) => ({ auto_timeline: { entries: entries.length } }),
});
