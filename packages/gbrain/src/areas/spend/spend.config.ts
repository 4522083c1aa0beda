// Settings of spend. Source: facts/engine J, AGENT_OPERATOR v1 (Consent and preapproval).
import { defineSettings } from '../../settings.ts';

export default defineSettings({
  'spend.posture': {
    type: 'enum',
    values: ['gated', 'tokenmax'],
    default: 'gated',
    summary: 'Whether paid work asks first, or runs under its derived cap without asking.',
    requirement: 'AGENT_OPERATOR v1, Effects',
  },
  'spend.max_usd_per_run': {
    type: 'number',
    min: 0.01,
    max: 10_000,
    summary: 'Cap in US dollars of a paid run whose cost cannot be estimated; without it 5 dollars.',
    requirement: 'AGENT_OPERATOR v1, Caps',
  },
  'spend.unattended_max_usd_per_day': {
    type: 'number',
    min: 0,
    max: 10_000,
    summary: 'Cap in US dollars a day for calls that nobody agrees to one by one; without it 5 dollars.',
    requirement: 'facts/user-faults P53',
  },
});
