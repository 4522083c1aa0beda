// Settings of taking facts out of what is said. Source: facts/engine E.1, E.2, J.
import { defineSettings } from '../../settings.ts';

export default defineSettings({
  'facts.extraction_enabled': {
    type: 'boolean',
    default: true,
    summary: 'Whether a model may take facts out of turns of conversations at all.',
    requirement: 'facts/engine E.2',
  },
  'facts.extraction_max_tokens': {
    type: 'number',
    min: 256,
    max: 32_000,
    default: 4_000,
    summary: 'Most tokens that a model may answer with when it takes facts out of a turn.',
    requirement: 'facts/engine E.2',
  },
  'facts.extraction_model': {
    type: 'string',
    pattern: /^[a-z][a-z0-9_-]*:\S{1,200}$/,
    summary: 'Chat model that takes facts out of turns, as provider:model; without it chat_model.',
    requirement: 'facts/engine J',
  },
  'facts.drain_budget_usd': {
    type: 'number',
    min: 0,
    max: 10_000,
    default: 1,
    summary: 'Most US dollars that one run of `facts drain` may spend, within the cap of all unattended calls.',
    requirement: 'facts/engine E.2',
  },
  'facts.drain_daily_budget_usd': {
    type: 'number',
    min: 0,
    max: 10_000,
    default: 5,
    summary: 'Most US dollars that `facts drain` may spend in 24 hours.',
    requirement: 'facts/engine E.2',
  },
  'memory.auto_writeback_transient_ttl': {
    type: 'string',
    pattern: /^(?:[1-9]\d{0,2}d|[1-9]\d{0,3}h|[1-9]\d{0,5}m)$/,
    default: '3d',
    summary: 'How long a fact that only holds for the moment is kept, such as 3d or 12h; at most 365d.',
    requirement: 'facts/engine E.1',
  },
});
