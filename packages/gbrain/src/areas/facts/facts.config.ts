// Settings of the memory. Source: mcp-access (fact rows); facts/engine J.
import { defineSettings } from '../../settings.ts';

export default defineSettings({
  'search.query_facts_arm': {
    type: 'boolean',
    default: true,
    summary: 'Whether query gives saved facts in the slots that its pages leave free.',
    requirement: 'mcp-access, fact rows',
  },
});
