// Notices of the memory verbs. Source: facts/contract C.3.
import { defineNotices } from '../../notices.ts';

export default defineNotices({
  facts_unembedded: {
    kind: 'degraded',
    perCall: true,
    summary: 'A question was compared with facts by their words, though pages are compared by meaning.',
    why:
      'Facts have no embeddings: they were compared with the question by their words alone, so one that is worded ' +
      'otherwise may be missed.',
    example: {},
  },
  delta_incomplete: {
    kind: 'degraded',
    perCall: true,
    summary: 'A delta delivered less than was waiting.',
    why: (d) =>
      d.isTooSmall === true
        ? 'The budget is smaller than the next change, so nothing of it was delivered and the cursor stayed.'
        : Number(d.wakes) >= 3
          ? 'More changes wait than three wakes of this session in a row have delivered; tell the user.'
          : 'More changes wait than this reply holds; the next call goes on from here.',
    fix: (d) =>
      Number(d.wakes) >= 3
        ? undefined
        : {
            call: { op: 'delta', input: d.next as Record<string, unknown> },
            why:
              d.isTooSmall === true
                ? 'A larger budget holds the next change.'
                : 'It goes on behind what was delivered.',
          },
    example: { wakes: 1, next: { cursor: 'eyJ2IjoxfQ' } },
  },
});
