// Advice on reads of pages: what was left out of a reply and the call that brings it. Source: facts/contract C.3.
import { defineNotices } from '../../notices.ts';
import { text } from '../../row-text.ts';

export default defineNotices({
  listing_truncated: {
    kind: 'info',
    perCall: true,
    summary: 'More rows fit the list than it shows.',
    why: (d) => `More rows fit than the ${text(d, 'shown')} shown.`,
    fix: (d) =>
      d.next === undefined
        ? undefined
        : {
            call: { op: text(d, 'operation') || 'list_pages', input: d.next as Record<string, unknown> },
            why: 'The same list, further on.',
          },
    example: { shown: 50, next: { limit: 50, cursor: 'WyJ1cGRhdGVkOmRlc2MiXQ' } },
  },
  page_truncated: {
    kind: 'info',
    perCall: true,
    summary: 'A page is longer than the reply; the rest is read by byte range.',
    why: (d) => `${text(d, 'slug')} has ${text(d, 'size')} bytes; only a part is shown.`,
    fix: (d) => ({
      call: {
        op: 'get_page',
        input: {
          slug: d.slug,
          content_only: true,
          offset: d.next,
          max_bytes: d.maxBytes,
          ...(d.deleted === true && { include_deleted: true }),
          source_id: d.source,
        },
      },
      why: 'The markdown from where this reply ends.',
    }),
    example: { slug: 'media/long-talk', size: 180_000, next: 60_000, maxBytes: 60_000, source: 'default' },
  },
});
