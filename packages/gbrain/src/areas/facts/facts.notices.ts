// Notices of the memory verbs. Source: facts/contract C.3.
import { defineNotices, type NoticeData } from '../../notices.ts';
import { counted } from '../../row-text.ts';

const WAIT_SECONDS = 30;
const DOCTOR = { op: 'run_doctor', input: {}, only: 'cli' } as const;
/** Wakes of a session in a row that did not get everything. Source: facts/contract C.3. */
const isStuck = (d: NoticeData): boolean => Number(d.wakes) >= 3;

export default defineNotices({
  facts_unembedded: {
    kind: 'degraded',
    perCall: true,
    summary: 'A question was compared with some facts by their words, though pages are compared by meaning.',
    why: (d) =>
      `${counted(Number(d.waiting), 'fact')} of this source wait for an embedding: they were compared with the ` +
      'question by their words alone, so one that is worded otherwise may be missed.',
    fix: (d) => {
      const input = { stale: true, facts: true, source_id: d.source };
      return {
        call: { op: 'embed', input: { ...input, dry_run: true } },
        why: 'It shows how many facts wait and what they may cost; it calls nobody.',
        // biome-ignore lint/suspicious/noThenProperty: the second step of a plan, as the contract names it
        then: { call: { op: 'embed', input }, consent: ['paid'], why: 'It embeds them, under a cap.' },
      };
    },
    example: { waiting: 3, source: 'default' },
  },
  degraded_dedup: {
    kind: 'info',
    summary: 'A fact was compared with others by its words and by what it states, not by meaning.',
    why: () =>
      'Facts are told to be the same by their words, numbers, dates and what they state; one that says the same in ' +
      'quite other words is kept beside the first. Recall before you remember.',
    example: {},
  },
  delta_incomplete: {
    kind: 'degraded',
    perCall: true,
    summary: 'A delta delivered less than was waiting.',
    why: (d) => {
      if (isStuck(d)) return 'More changes wait than three wakes of this session in a row have delivered.';
      if (d.isTooSmall === true)
        return 'The budget is smaller than the next change, so nothing of it was delivered and the cursor stayed.';
      return `More changes wait than this reply holds; ask again in ${WAIT_SECONDS} seconds, nothing is passed over.`;
    },
    fix: (d) => {
      // Source: AGENT_OPERATOR v1, Degraded retry hint: no command, so the reader reports it.
      if (isStuck(d)) return { why: 'Tell the user. The doctor says how the brain is.', verify: DOCTOR };
      const call = { op: 'delta', input: d.next as Record<string, unknown> };
      if (d.isTooSmall === true) return { call, why: 'A larger budget holds the next change.' };
      return {
        call,
        actor: 'provider',
        why: `It goes on behind what was delivered. Wait ${WAIT_SECONDS} seconds first.`,
      };
    },
    example: { wakes: 1, next: { cursor: 'eyJ2IjoxfQ' } },
  },
});
