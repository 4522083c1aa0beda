// Advice on a setup that limits what the user is trying to do. Source: AGENT_OPERATOR v1, Notices by transport.
import type { FixSpec } from '../../fix.ts';
import { defineNotices } from '../../notices.ts';
import { text } from '../../row-text.ts';

/** A look that changes nothing: the tool where the session has it, else the command for the user. */
const LOOK: FixSpec = {
  call: { op: 'get_health', input: {} },
  only: 'mcp',
  argv: ['gbrain', 'onboard', '--check'],
  why: 'It shows the figures and lists every remedy with its cost; it changes nothing.',
};

const COUNTS = {
  pages: 40,
  links: 0,
  entities: 10,
  entities_linked: 4,
  entities_dated: 5,
  chunks: 80,
  chunks_waiting: 12,
};

export default defineNotices({
  features_auto_fix: {
    kind: 'coaching',
    summary: 'No page of this brain links to another, so its graph is empty.',
    why: (d) =>
      `None of the ${text(d, 'pages')} pages links to another, so questions about who belongs to what find nothing. ` +
      'Naming a page as [[its-slug]] in another one links them; that is local and costs nothing.',
    userMessage: () => 'Your notes do not link to each other yet. Shall I look where a link would help? It is free.',
    fix: () => LOOK,
    example: COUNTS,
  },
  onboard_link_coverage: {
    kind: 'coaching',
    summary: 'Fewer than 70 % of the people and companies have a page that links to them.',
    why: (d) =>
      `Only ${text(d, 'entities_linked')} of ${text(d, 'entities')} people and companies have a page that links to them. ` +
      'Links are taken from the pages themselves, on this machine and at no cost.',
    userMessage: () =>
      'Many people and companies in your brain are linked by no note. Shall I look which ones? It costs nothing.',
    fix: () => LOOK,
    example: COUNTS,
  },
  onboard_timeline_coverage: {
    kind: 'coaching',
    summary: 'Fewer than 90 % of the people and companies have a dated entry, and the one that was read has none.',
    why: (d) =>
      `Only ${text(d, 'entities_dated')} of ${text(d, 'entities')} people and companies have a dated entry, and this one ` +
      'has none. A dated line in its page makes one; that is local and costs nothing.',
    userMessage: () => 'There is no dated entry about this one yet. Shall I add what you tell me with its date?',
    fix: () => LOOK,
    example: COUNTS,
  },
  onboard_stale_chunks: {
    kind: 'coaching',
    summary: 'Pages were compared by meaning, and some of their text has no embedding yet.',
    why: (d) =>
      `${text(d, 'chunks_waiting')} of ${text(d, 'chunks')} pieces of text wait for an embedding, so a search finds ` +
      'them by their words alone.',
    userMessage: () =>
      'Part of your notes cannot be found by meaning yet. Shall I look how much, and what it would cost?',
    fix: () => LOOK,
    example: COUNTS,
  },
  onboard_opportunities: {
    kind: 'coaching',
    summary: 'The brain of this home has gaps that are listed with their remedies.',
    why: (d) => `This brain could do more: ${text(d, 'gaps')}.`,
    fix: () => ({
      call: { op: 'run_onboard', input: { check: true } },
      why: 'It lists each gap with its remedy and its cost; it changes nothing.',
    }),
    example: { gaps: '6 of 10 people and companies without a link' },
  },
});
