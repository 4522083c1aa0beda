// embed_staleness: how many pages wait for their vectors, and whether making them works.
import { defineCheck } from '../../../check.ts';
import type { FixSpec } from '../../../fix.ts';
import { type Coverage, readCoverage } from '../../vectors/coverage.ts';

const embedFix = (texts: number): FixSpec => ({
  call: { op: 'embed', input: { stale: true, dry_run: true } },
  why: `It shows what embedding ${texts} texts may cost; it calls nobody.`,
  // biome-ignore lint/suspicious/noThenProperty: the second step of a plan, as the contract names it
  then: {
    call: { op: 'embed', input: { stale: true } },
    consent: ['paid'],
    why: 'It gives them their vectors, under a cap that follows from the estimate.',
    userMessage: `${texts} texts of your brain cannot be found by meaning yet. Shall I have them embedded?`,
  },
});

function describe({ waiting, refused, live, building, fault }: Coverage): string {
  const parts = [
    `${live} is searched`,
    waiting.texts === 0 ? 'every text has its vector' : `${waiting.texts} texts of ${waiting.pages} pages wait`,
    ...(refused > 0 ? [`${refused} texts got none from the provider`] : []),
    ...(building ? [`${building} is being built beside it`] : []),
    ...(fault ? [`the last try ended with ${fault}`] : []),
  ];
  return parts.join('; ');
}

export default defineCheck({
  name: 'embed_staleness',
  category: 'brain',
  summary: 'How many texts wait for their vectors, and how the last try to make some ended.',
  requirement: 'facts/user-faults P37; facts/contract K.4',
  needsBrain: true,
  run: async ({ brain, host }) => {
    const coverage = await readCoverage(brain.store, host);
    if (coverage.live === undefined) {
      const message = coverage.isConfigured ? 'nothing is embedded yet' : 'no embedding model is used';
      if (!coverage.isConfigured || coverage.waiting.texts === 0) return { status: 'ok', message };
      return { status: 'warn', message, details: { ...coverage }, fix: embedFix(coverage.waiting.texts) };
    }
    const message = describe(coverage);
    if (coverage.waiting.texts === 0 || !coverage.isConfigured)
      return { status: 'ok', message, details: { ...coverage } };
    return { status: 'warn', message, details: { ...coverage }, fix: embedFix(coverage.waiting.texts) };
  },
});
