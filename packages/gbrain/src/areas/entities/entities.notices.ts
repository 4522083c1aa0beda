// Notices of entities. Source: facts/contract C.3.
import { defineNotices } from '../../notices.ts';
import { text } from '../../row-text.ts';

export default defineNotices({
  identity_siblings_capped: {
    kind: 'info',
    perCall: true,
    summary: 'More pages share a name than a card shows.',
    why: (d) =>
      `${text(d, 'total')} other pages share a name with \`${text(d, 'slug')}\`; ${text(d, 'shown')} are shown.`,
    example: { slug: 'people/alice-example', total: 12, shown: 5 },
  },
});
