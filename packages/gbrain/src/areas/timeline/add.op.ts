// add_timeline_entry: one dated entry, by an edit of the page's own text.

import { raise } from '../../failure.ts';
import { defineOperation } from '../../operation.ts';
import { requireLive } from '../pages/decide-write.ts';
import { requestArg, slugArg } from '../pages/page-args.ts';
import { requireSlug } from '../pages/page-slug.ts';
import { addTimelineEntry } from '../pages/timeline-edit.ts';
import { writeLine, writePage, writeReplyShape } from '../pages/write-page.ts';
import { WRITE_DEADLINE_MS, WRITE_ERRORS } from '../writes/submit.ts';

export default defineOperation({
  name: 'add_timeline_entry',
  title: 'Add a timeline entry',
  summary: 'Adds a dated entry to a page; the same entry again changes nothing.',
  requirement: 'facts/contract G.7',
  scope: 'write',
  surface: 'starter',
  where: 'brain',
  routesSource: true,
  mutating: true,
  idempotent: true,
  deadlineMs: WRITE_DEADLINE_MS,
  input: (z) => ({
    slug: slugArg(z),
    date: z.string().describe('Day, YYYY-MM-DD'),
    summary: z.string().describe('What happened, one line'),
    detail: z.string().describe('More lines').optional(),
    source: z.string().describe('Who or what says so').optional(),
    request_id: requestArg(z),
  }),
  output: (z) => z.looseObject({ ...writeReplyShape(z), entry: z.object({ date: z.string(), summary: z.string() }) }),
  errors: [...WRITE_ERRORS, 'page_not_found', 'permission_denied', 'invalid_frontmatter', 'invalid_fence'],
  cli: {
    command: 'timeline-add',
    group: 'Graph',
    positionals: ['slug', 'date', 'summary'],
    joinRest: true,
    human: (reply) => writeLine(reply),
  },
  examples: [
    {
      title: 'A meeting',
      input: { slug: 'people/alice-example', date: '2026-11-30', summary: 'Agreed on the pilot', source: 'call' },
    },
  ],
  run: async (ctx, input) => {
    const slug = requireSlug(ctx, 'add_timeline_entry', input);
    const { date, summary, detail, source } = input;
    const entry = { date, summary, ...(detail && { detail }), ...(source && { source }) };
    const reply = await writePage(ctx, {
      operation: 'add_timeline_entry',
      slug,
      input,
      decide: (page, asker) => {
        const live = requireLive(page, asker);
        const edited = addTimelineEntry(live.text, entry);
        const fields = { entry: { date, summary } };
        if (edited.ok)
          return edited.changed ? { kind: 'put', text: edited.text, reply: fields } : { kind: 'none', reply: fields };
        const param = edited.reason === 'invalid_date' ? 'date' : 'summary';
        return raise('invalid_params', {
          tool: 'add_timeline_entry',
          param,
          problem: 'shape',
          expected: edited.message,
        });
      },
    });
    return reply as typeof reply & { entry: { date: string; summary: string } };
  },
});
